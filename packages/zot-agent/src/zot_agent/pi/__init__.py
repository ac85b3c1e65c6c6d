"""Extensions written for pi and Atomic: what their packages bring, and the bridge that runs them.

`bridge/` is a program for Node that speaks zot's extension protocol and gives such extensions the API that they expect.
"""
