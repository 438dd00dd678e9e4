"""Learning from tool calls: a call's outcome → its error's pattern → a learning → fixes
→ trust.

A *learning* is about one error of one tool. A *fix* is data, and one sentence; a
*candidate* is a fix with the evidence for it. The most trusted one is the learning's
fix. An *offer* is a fix that a session saw.
"""
