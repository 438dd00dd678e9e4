"""Shared by every edge, for any framework or protocol.

`agent` is everything that an agent's adapter needs, over the others; `transcripts`
reads providers' requests. `conversation` says who speaks and which namespace is theirs,
`context` looks up the block of a turn, `notes` keeps values for a framework's objects,
`threads` runs the engine beside an event loop and within a time, `warnings` warns once
a turn, `guard` decides who may call over HTTP.
"""
