"""`zot rpc`: the agent as a child process that another program controls with lines of JSON.

What it can be asked is in `zot_agent.operations`; here is what only clients ask, about themselves and their screens.
"""
