"""The server in the configuration of an MCP client: put in and taken out, every other byte as it was."""
