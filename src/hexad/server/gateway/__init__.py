"""A door between a client and its provider: `forwarding.py` passes requests on, `speaking.py` says whose they are."""
