"""`make bench`: seeded text in the proportions of English, and programs that time Hexad on it."""
