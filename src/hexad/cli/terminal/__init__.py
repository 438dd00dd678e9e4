"""Printing, asking and editing on a terminal or in a pipe."""
