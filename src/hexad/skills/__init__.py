"""Reusable procedures: the library that keeps them, the check and the sandbox of
scripts, templates, and their runs.
"""
