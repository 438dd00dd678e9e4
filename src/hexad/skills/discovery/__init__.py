"""Repeated sequences of watched calls → draft composite skills.

`sequences.py` finds which sequences repeat, `generalising.py` turns several runs into
steps and parameters, `drafts.py` offers them to the library and removes drafts whose
sessions are forgotten.
"""
