"""How entries become findable: terms and vectors of each one, re-indexing, and entries
that are alike.
"""
