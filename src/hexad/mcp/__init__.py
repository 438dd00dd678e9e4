"""MCP: the six layers for every agent, in any language.

`server.server_of(hx)` makes the server, `stdio.serve_stdio` and `http.serve_http` run it. `install/` writes it into a
client's configuration, and needs no package for that.
"""
