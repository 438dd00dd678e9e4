"""A namespace → files, and transcripts of conversations → messages."""
