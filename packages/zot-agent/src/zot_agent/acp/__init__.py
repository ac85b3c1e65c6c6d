"""`zot acp`: the Agent Client Protocol over standard input and output, for editors.

`agent` and `process` import the package `acp` of the protocol, an extra. The other modules turn events into the JSON
objects of the protocol (schema 1.19) without that package.
"""
