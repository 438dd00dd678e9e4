"""A small gate for shell scripts: parse, judge the literal words of each command,
execute nothing.

`reading.py` makes the syntax tree and expands words as far as that needs no emulation;
the rest is unknown. `gate.py` visits its statements and judges each command. `tables.py`
holds what is judged, row by row, and `rules.py` names every finding.
"""
