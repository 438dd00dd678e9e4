"""The parts of a call's arguments that are kept: a summary, shapes and fingerprints, without secrets."""
