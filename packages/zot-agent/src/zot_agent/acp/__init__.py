"""`zot acp`: the Agent Client Protocol over standard input and output, for editors.

`agent` and `process` are the protocol's and import its package, an extra. The modules below them make its JSON objects
(schema 1.19) of what happens, and know nothing of it.
"""
