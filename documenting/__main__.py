"""Write the pages."""

from __future__ import annotations

from documenting import HOME, PAGES

for name, made in PAGES.items():
    (HOME / name).write_text(made(), encoding="utf-8")
    print(f"docs/reference/{name}")
