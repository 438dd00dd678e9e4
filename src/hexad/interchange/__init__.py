"""Files of this and other programs → a namespace, and a namespace → files. formats.py →
importing.py; exporting.py.
"""
