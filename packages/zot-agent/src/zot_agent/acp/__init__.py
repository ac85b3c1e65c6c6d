"""`zot acp`: the Agent Client Protocol over standard input and output, for editors.

`agent` and `process` import the package `acp` of the protocol. The other modules turn events into the JSON
objects of the protocol (schema 1.19) without that package.
"""

SIGN_IN = ("auth", "login")
"""The words that an editor adds to the arguments of `zot acp`, or takes in place of them, to start a sign-in in its
terminal: the protocol says that a method supplies arguments, and editors read that in both ways."""
