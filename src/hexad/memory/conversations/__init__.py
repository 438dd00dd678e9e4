"""Conversations → what the user said that lasts: messages.py → wording.py → judging.py
(tables/) → capture.py.
"""
