"""A small gate for shell scripts: parse, judge the literal words of each command, execute nothing.

`parsing.py` makes the syntax tree. `walking.py` visits its statements in order and keeps what variables, functions and
files hold. `words.py` expands words as far as that needs no emulation; the rest is unknown. `commands.py` judges one
command, `running.py` those that run something else: other commands, text, files, code. `places.py` classifies paths,
`tables.py` lists which commands need what, and `rules.py` names every finding.
"""
