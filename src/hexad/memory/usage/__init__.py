"""Learning from use: what a prompt showed, how often, and which questions led to it."""
