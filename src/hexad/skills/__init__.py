"""Reusable procedures. Here: the library that keeps them; running them comes with the sandbox."""
