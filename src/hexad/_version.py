"""The version, in the one place that packaging and `hexad --version` read."""

__version__ = "0.1.0"
