"""`Tools`: the groups `tools2` and `call_tool`."""

from __future__ import annotations

from zot_ext.calls.operations import ToolsOperations
from zot_ext.errors import NotGranted
from zot_ext.protocol.groups.tools import ShowProgress
from zot_ext.protocol.raw import RawObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zot_ext.calls.caller import Caller
    from zot_ext.protocol.groups.tools import ToolAnswer


class Tools(ToolsOperations):
    """`ext.tools`."""

    def __init__(
        self,
        call: Callable[..., dict[str, Any]],
        require: Callable[[str], None],
        send: Callable[[ShowProgress], None],
        caller: Caller | None,
    ) -> None:
        super().__init__(call)
        self._require, self._send, self._caller = require, send, caller

    def progress(self, text: str) -> None:
        """Show text while the tool runs whose handler calls this; in other handlers nothing happens."""
        from zot_ext.calls.caller import current_request  # noqa: PLC0415 - only tools with progress need it

        self._require("tools2")
        if current_request.get():
            self._send(ShowProgress(current_request.get(), text))

    def call(self, tool: str, /, *, builtin: bool = False, **args: object) -> ToolAnswer:
        """Call a tool and return its result, in the group `call_tool`; `call_with` takes the arguments as one
        dictionary. With `builtin` it is the host's own tool, also if an extension has taken its place."""
        return self.call_with(tool, args, builtin=builtin)

    def call_with(self, tool: str, args: dict[str, object], *, builtin: bool = False) -> ToolAnswer:
        self._require("call_tool")
        if self._caller is None:
            raise NotGranted("name the group in Extension(..., capabilities=('call_tool',))")
        return self._caller.call_tool(tool, RawObject.from_value(args), builtin=builtin)
