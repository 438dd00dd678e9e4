"""An error → its text, its category, its pattern, and the one learning that it belongs to."""
