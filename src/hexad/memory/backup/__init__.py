"""Everything, as JSON Lines: a header, the rows and the audit chain of each namespace,
and a last line that counts.
"""
