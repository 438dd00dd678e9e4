"""For those who build on Hexad: the contracts of stores and adapters, scripted models,
and a clock that tests move.
"""
