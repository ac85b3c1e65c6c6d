"""Frames about tools, in both directions, in the groups `tools2`, `call_tool` and `tool_cancel`."""

from __future__ import annotations

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.raw import RawObject
    from zot_ext.protocol.values import Block


class UnregisterTool(Frame, type="unregister_tool"):
    """Takes a tool back. The model does not have it from its next request on. In the group `tools2`."""

    name: str


class ShowProgress(Frame, type="tool_progress"):
    """Shows text while a tool runs; the model does not read it. In the group `tools2`."""

    id: str
    """The id of the `tool_call`."""
    text: str
    """More text, usually whole lines. What comes within 50 ms is joined."""


class CallTool(Frame, type="call_tool"):
    """Calls a tool that the model has; the host answers with `tool_result`. In the group `call_tool`."""

    id: str
    """Chosen by the extension; no other open call has it."""
    name: str
    args: RawObject
    parent_id: str = ""
    """The id of the open request of the host on whose behalf it is called. Needed while a tool of the extension
    runs."""
    builtin: bool = False
    """Call the host's own tool, also if an extension has taken its place."""


class CallToolCancel(Frame, type="call_tool_cancel"):
    """Takes a `call_tool` back. It is still answered."""

    id: str
    """The id of the `call_tool`."""


class ToolAnswer(Frame, type="tool_result"):
    """Answers `call_tool`."""

    id: str
    """The id of the `call_tool`."""
    name: str
    content: tuple[Block, ...]
    is_error: bool = False
    """It has failed, or was refused; the content says why."""
    truncated: bool = False
    """Some of the content was left out: it was more than `ExtensionLimits.call_tool_bytes`."""
    structured_content: RawObject | None = None
    """The result for programs, if the tool has one."""
    details: RawObject | None = None
    """Facts about the work beside the content. `docs/tools.md` names the members of zot's own tools.
    None if they are larger than `ExtensionLimits.call_tool_bytes`."""

    @property
    def text(self) -> str:
        """The text of the content, blocks joined by a line break."""
        from zot_ext.protocol.values import TextBlock  # noqa: PLC0415 - few extensions call tools

        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))


class ToolCancel(Frame, type="tool_cancel"):
    """Nobody waits any more for the result of a `tool_call`. Only with the capability `tool_cancel`."""

    id: str
    """The id of the `tool_call`."""
