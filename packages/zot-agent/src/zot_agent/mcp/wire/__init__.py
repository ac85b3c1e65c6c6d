"""Connections to MCP servers: the transports, and what makes of a server's messages what the package `mcp` takes.

```text
stdio web    the transports, with limits;  standard_error: what a program writes there
lines        a line of a server as messages, also one with small flaws
repair       the answers of a server, item by item;  schema: the schema of a tool
streams      both in the place of the streams of a transport
```
"""
