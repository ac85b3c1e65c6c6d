"""The operations of clients on what asks them and is shown: questions, panels, and words while the person types."""

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict, cast

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_agent.rpc.service import service_of
from zot_agent.verbs.permissions import Choice, RefusalReason
from zot_core.confirm import PermissionAnswer
from zot_ext.protocol.fields import OnlyIf

if TYPE_CHECKING:
    from zot_agent.extensions.panels.panels import Panels

KeyKind: TypeAlias = Literal["press", "repeat", "release"]
Cells: TypeAlias = Annotated[int, 1, 10_000]


class CompletionItem(TypedDict):
    """Words to insert, and what is shown of them."""

    text: str
    label: NotRequired[str]
    description: NotRequired[str]
    extension: str


class CompletionsInfo(TypedDict):
    """Words in place of the text from `start` to `end`, counted in characters from 0."""

    start: int
    end: int
    items: list[CompletionItem]


@operation("get_completions", scope="watch")
async def get_completions(caller: OperationCaller, text: str, *, cursor: int = -1) -> CompletionsInfo:
    """Ask extensions what they [suggest](extension-calls.md#suggestions-while-typing) in place of the word at the
    cursor, once all of them have registered. An extension has three seconds to answer. Ask when the user pauses, not
    for each key.

    text: The whole text of the input field.
    cursor: The place of the cursor; by default the end of the text.
    """
    place = len(text) if cursor == -1 else cursor
    if not 0 <= place <= len(text):
        raise OperationFailed("invalid", f"cursor must be a whole number from 0 to {len(text)}")
    await caller.conversation.ready()
    start, items = await service_of(caller).screen.completers.complete(text, place)
    rest = re.match(r"\S*", text[place:])
    return {
        "start": start,
        "end": place + (rest.end() if rest and start < place else 0),
        "items": cast("list[CompletionItem]", items),
    }


@operation("ext_panel_key", scope="drive")
def ext_panel_key(
    caller: OperationCaller,
    key: str,
    *,
    text: str = "",
    mods: list[str] = [],  # noqa: B006  it is not changed
    kind: KeyKind = "press",
) -> None:
    """Send a key to the open panel; `esc` closes it.

    key: `up`, `enter`, `rune`, ...: see the frame `panel_key`.
    text: The character, for `rune`.
    mods: `ctrl`, `alt`, `shift`, ..., for panels that extensions draw.
    kind: `press`, `repeat` or `release`; the last for panels with `key_kinds`.
    """
    panels = _panels(caller)
    if kind == "release":
        panels.release(key, text, mods)
    else:
        panels.press(key, text, mods, repeated=kind == "repeat")


@operation("ext_panel_paste", scope="drive")
def ext_panel_paste(caller: OperationCaller, text: str) -> None:
    """Paste text into the open panel.

    text: The text.
    """
    _panels(caller).paste(text)


@operation("ext_panel_mouse", scope="drive")
def ext_panel_mouse(
    caller: OperationCaller, extension: str, panel: str, action: str, row: int, column: int, *, button: int = 0
) -> None:
    """Use the mouse over an overlay whose `mouse` is true.

    extension: Of the event `ext_panel_show`.
    panel: The `id` of the panel.
    action: `press`, `release`, `drag` or `wheel`.
    row: The cell within its lines, from 0.
    column: The same.
    button: 1 to 3; 4 and 5 for the wheel.
    """
    if not _panels(caller).mouse(extension, panel, action, row, column, button):
        raise OperationFailed("not_found", f"no open panel {panel!r} of {extension!r} wants the mouse")


@operation("ext_panel_size", scope="drive")
def ext_panel_size(caller: OperationCaller, columns: Cells, rows: Cells) -> None:
    """Say how large the screen is on which the client shows panels of extensions; 80 by 24 until then.

    columns: In cells.
    rows: In cells.
    """
    extensions = service_of(caller).host.extensions
    if extensions is not None:
        extensions.panels.resize(columns, rows)


@operation("ext_panel_close", scope="drive")
def ext_panel_close(caller: OperationCaller) -> None:
    """Close the open panel and notify its extension."""
    _panels(caller).close()


@operation("permissions.answer", scope="answer")
def answer(caller: OperationCaller, request: str, answer: Choice, *, message: RefusalReason = "") -> None:
    """Answer an event `permission_request`: the tool call runs or is refused. The first answer counts.

    request: The `request` of the event.
    answer: `yes`, `no`, or `always`, which also adds the `rules` of the event.
    message: Why, for the model.
    """
    if not service_of(caller).permissions.answer(request, PermissionAnswer(answer, message)):
        raise OperationFailed("not_found", f"no permission_request {request!r} waits for an answer")


@operation("ext_ui_response", scope="answer")
def ext_ui_response(
    caller: OperationCaller,
    request: str,
    *,
    value: Annotated[Any, OnlyIf("closed", (False,))] = None,
    closed: bool = False,
) -> None:
    """Answer an event `ext_ui_request`. The first valid answer counts; others are refused.

    request: The `request` of the event.
    value: select: one of the `options`. confirm: true or false. input, editor: a string. form: an object with the
        values of fields. pick: a list of the ids of rows.
    closed: Close it without an answer.
    """
    if not service_of(caller).dialogs.answer(request, value, closed=closed):
        raise OperationFailed("not_found", f"no ext_ui_request {request!r} waits for an answer")


def _panels(caller: OperationCaller) -> "Panels":
    extensions = service_of(caller).host.extensions
    if extensions is None or not extensions.panels.open_now:
        raise OperationFailed("unavailable", "no panel is open")
    return extensions.panels
