"""The server in the configuration of an MCP client: put in, and taken out again."""
