"""One tool call as it may be kept: what it was given, whether it worked, and what its
error says.
"""
