"""The commands that save, find, explain, move and erase what is stored."""
