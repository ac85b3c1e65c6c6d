"""The bundled extension for MCP servers: an extension like any other, on the public protocol alone.

It runs in its own environment with the package `mcp`, and of zot it imports `zot_ext` alone. Only `config` may be
imported by the rest of zot, which has no package `mcp`.

```text
__main__     the program: the extension, or `doctor` or `serve`
config       the servers that the files name
names        the names of tools and commands
bridge       all servers as one extension: tools, commands, resources;  listing: what a person sees of them
server       one server: its connection, kept up, and what it offers
stdio web    the transports, with limits;  oauth: tokens for those behind a URL
content      what a server answers, for the model
person       what a server asks: models (sampling) and the person (elicitation)
server_files servers as their files have them;  unknown_fields: fields that zot does not have
report       what `zot mcp doctor` shows
serve        the other way: zot as an MCP server
```
"""
