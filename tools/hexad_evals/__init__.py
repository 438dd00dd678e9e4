"""How well retrieval finds things, on anyone's data: a folder → sets → a fresh store
each → questions → figures.
"""
