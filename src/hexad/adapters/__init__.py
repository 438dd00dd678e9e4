"""Agent frameworks, one package each, each behind the extra of its name. They translate
and do nothing else.
"""
