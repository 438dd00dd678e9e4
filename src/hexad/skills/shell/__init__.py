"""A small gate for shell scripts: parse, judge the literal words of each command,
execute nothing.

`reading.py` makes the syntax tree and expands words as far as that needs no emulation;
the rest is unknown. `walking.py` visits its statements in order and keeps what
variables, functions and files hold. `commands.py` judges one command, `running.py`
those that run something else: other commands, text, files, code. `places.py` classifies
paths, `tables.py` lists which commands need what, and `rules.py` names every finding.
"""
