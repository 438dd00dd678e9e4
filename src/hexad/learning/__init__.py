"""What the agent learned from its own work. Here: the record; what fills it comes with watching."""
