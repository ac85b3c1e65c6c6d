"""The calls that run while tools of extensions run.

```text
running_call      `RunningCall`: a call of an extension's tool that has no result yet; its progress
frames            `ToolFrames`: the frames of one extension about tools
call_tool         `ToolCaller`: the tools that an extension calls; loaded for extensions that ask for it
confined_context  what the tools of zot may do for an extension in a sandbox
```
"""

from contextvars import ContextVar

chain: ContextVar[tuple[str, ...]] = ContextVar("chain", default=())
"""The tools that have called each other, the outermost first, while an extension calls a tool."""

caller: ContextVar[object] = ContextVar("caller", default=None)
"""The connection of the extension that calls a tool."""
