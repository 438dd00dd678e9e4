"""The difference between a call that failed and one that worked, in words."""
