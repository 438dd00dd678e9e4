"""Learning from tool calls: a call's outcome → its error's pattern → a learning → fixes → trust.

A *learning* is about one error of one tool. Its *fix* is a sentence; a *remedy* is the same as data. A *candidate* is
a remedy with the evidence for it; the most trusted one is the learning's fix. An *offer* is a fix that a session saw.
"""
