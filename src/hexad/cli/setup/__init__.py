"""The commands about the machine: settings, checks, evaluation, the MCP server."""
