"""Pages for people: `site.py` serves them, `pages.py` reads what they show,
`actions.py` does what their forms ask.
"""
