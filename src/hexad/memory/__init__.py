"""Something to keep → admission (validate, redact, reserve a slot) → a collection →
store, audit.
"""
