"""What a shell script would run, read from its syntax tree; nothing here executes anything.

`ordinary.py` knows the scripts in which nothing can be found; any other is followed.
`machine.py` walks the tree with a `Shell`: what variables, functions, aliases and files hold at each place.
`plain.py` reads the words that are what they look like, `words.py` and `parameters.py` say what the others come to,
`values.py` is their arithmetic, `output.py` tells what a few harmless commands print. `commands.py` says what a command
with its words does, with `destructive.py`, `wrappers.py` and `languages.py` for the three kinds that need a closer
look, and `own_commands.py` for `cd`, `read` and their like. `carried.py` has the commands in the words and variables of
other programs, `tools.py` the files that programs read by themselves, `embedded.py` searches a text of any language;
`editing.py`, `awk_programs.py`, `git_commands.py` and `makefiles.py` know one program each. `held_files.py` says what
files hold, `unseen.py` which of them nobody can know. `branching.py`, `loops.py`, `lasting.py` and `endless.py` follow
the ways through a script.
Code in other languages is searched by `interpreters.py`: `code_parts.py` takes its texts out, `code_building.py` and
`code_texts.py` put together what it builds of them, `code_deeds.py` and `code_forks.py` tell what is done to what.
`capabilities.py` is the table of what commands need, `paths.py` knows which places matter, `rules.py` names everything
that can be found.
"""
