"""Fixes: what a fix is, how it is read from a failed call and a later one that worked, and its evidence."""
