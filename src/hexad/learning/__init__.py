"""Learning from tool calls: a call's outcome → its error's pattern → a learning → what is
shown → trust.

A *learning* is about one error of one tool. Its *examples* are calls that failed, each
with the call that worked next; its *lessons* are sentences that somebody wrote. An
*offer* is a learning that a session was shown.
"""
