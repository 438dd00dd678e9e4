"""What is kept of a call's arguments: a summary, shapes and fingerprints, without secrets."""
