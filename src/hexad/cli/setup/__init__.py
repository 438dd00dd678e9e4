"""The commands about the machine: settings, checks, completion, evaluation, the MCP server."""
