"""The agent's hooks, for extensions and other programs that observe and intercept events.

An event is a row of one table: `observables` lists what can be observed, `intercepts` what can be intercepted.
`handlers` connects the rows with the hook points of the agent; `interceptor` says what a program must offer to be
asked.
"""

from zot_agent.extensions.hooks.handlers import ExtensionHooks
from zot_agent.extensions.setup import AgentInfo

__all__ = ["AgentInfo", "ExtensionHooks"]
