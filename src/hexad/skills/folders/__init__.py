"""Agent Skills folders: a `SKILL.md` and the files beside it ⇄ a skill, without loss.

`files.py` reads and writes folders, `document.py` turns their files into a skill and
back (`frontmatter.py` is the YAML of `SKILL.md`), and `transfer.py` imports and exports
through the library.
"""
