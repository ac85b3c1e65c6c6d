"""`zot rpc`: the agent as a child process that another program controls with lines of JSON.

This module is the registry: the methods by name, in the order of the documentation. What extensions and ACP can do too
is in `zot_agent.operations`.
"""

from zot_agent.rpc import extensions, handshake, permissions, prompts, state
from zot_agent.rpc.activity import agents, displays, jobs
from zot_agent.rpc.method import Method
from zot_agent.rpc.screen import commands as screen
from zot_agent.rpc.stored import runs, settings

METHODS: dict[str, Method] = {
    method.name: method
    for module in (
        handshake,
        prompts,
        permissions,
        state,
        displays,
        settings,
        runs,
        jobs,
        agents,
        extensions,
        screen,
    )
    for method in module.METHODS
}
