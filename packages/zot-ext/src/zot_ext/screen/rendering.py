"""`RenderRequest`, which a renderer takes, and `Rendering`: the calls about what renderers draw."""

from __future__ import annotations

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    RenderedKind: TypeAlias = Literal["tool_call", "tool_progress", "tool_result", "message", "entry", "markdown"]
    RenderedLine: TypeAlias = str | Sequence[Mapping[str, object]]


class RenderRequest(Record):
    """Something to draw in lines of `width` cells: a call of the tool `name`, its progress, its result, or a message or
    an entry of this extension with this `custom_type`, or the Markdown of an `answer`. `state` of a call is `running`,
    `ok`, `failed`, `stopped` or `refused`. `text` is that of the result or of the message, the progress so far, or the
    Markdown, `data` what the entry has."""

    kind: RenderedKind
    name: str
    item: str
    width: int
    expanded: bool = False
    state: str = ""
    args: Mapping[str, Any] = {}
    text: str = ""
    data: Any = None


class Rendering:
    """`ext.rendering`, in the group `renderers`. Each method raises `HostError` with the code `unavailable` in
    `zot acp` and the one-shot modes."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    @property
    def expanded(self) -> bool:
        """Whether everything is expanded."""
        return bool(self._call("renderers.expand")["expanded"])

    def expand(self, expanded: bool = True) -> None:  # noqa: FBT001, FBT002 - the only thing that it says
        """Expand everything in the conversation, new cells too, or fold it."""
        self._call("renderers.expand", expanded=expanded)

    def again(self, kind: RenderedKind, name: str) -> None:
        """Draw everything that this renderer has drawn again."""
        self._call("renderers.again", kind=kind, name=name)
