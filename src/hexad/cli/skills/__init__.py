"""The commands `hexad skills …`."""
