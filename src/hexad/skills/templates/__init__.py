"""Templates: Jinja's syntax, read by Jinja's own parser, and evaluated here, over data alone.

Jinja itself turns a template into Python and then guards what that may do. Here nothing is turned into Python: the
tree is walked, each step is counted, and there is no operation that reads an attribute or calls a function of Python.
"""
