"""Something to keep → admission (validate, redact, reserve a slot) → a shelf → store, audit."""
