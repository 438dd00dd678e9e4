"""The interface `/api/v1`: `routes.py` is its table, from which routing, checks and the
OpenAPI description follow.
"""
