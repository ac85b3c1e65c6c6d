"""`ScreenHandlers`: what an extension answers about the screen: completions, what is drawn, keys of the editor; and the
questions as handlers get them."""

from __future__ import annotations

from zot_ext.errors import HostError
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.record import Record
from zot_ext.screen.rendering import RenderRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from zot_ext.protocol.from_host import EventIntercept, HelloAck

    Handler = Callable[..., Any]
    Call = Callable[..., object]


class EditorKey(Record):
    """A key that was pressed in the editor, whose text has the cursor before `text[cursor]`.

    `key` is `rune` for a character, which is in `typed`; `mods` are `ctrl`, `alt`, `shift`, `super`, `hyper`. `mode` is
    the mode of this extension that is in force.
    """

    key: str
    typed: str = ""
    mods: Sequence[str] = ()
    text: str = ""
    cursor: int = 0
    mode: str = ""


class EditorText(Record):
    """The text in the editor, and the place of the cursor in it."""

    text: str = ""
    cursor: int = 0


class CompletionRequest(Record):
    """A word that is being typed: `prefix` is the word up to the cursor without its trigger, `line` the line up to the
    cursor. `trigger` or `command` say which completer is asked."""

    prefix: str
    line: str = ""
    trigger: str = ""
    command: str = ""


class Suggestion(Record):
    """A suggestion. `text` takes the place of the whole word, trigger included; `label`, or the text, is listed."""

    text: str
    label: str = ""
    description: str = ""


_METHODS = {"autocomplete": "completions.register", "renderers": "renderers.register"}


class ScreenHandlers:
    """Registers handlers when the host greets, and answers its questions. `call` is `Extension.call`."""

    questions = frozenset(("complete", "render", "editor_key", "editor_decorate"))
    """The values of `event` that it answers."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._completers: dict[tuple[str, str], Handler] = {}
        self._renderers: dict[tuple[str, str], Handler] = {}
        self._key: tuple[Handler, Sequence[str]] | None = None
        self._decorator: Handler | None = None

    def add_completer(self, trigger: str, command: str, handler: Handler) -> Callable[[], None]:
        """Add a completer; return what registers it with a host that has greeted already."""
        self._completers[trigger, command] = handler
        return lambda: self._register("autocomplete", **_completer(trigger, command))

    def add_renderer(self, kind: str, name: str, handler: Handler) -> Callable[[], None]:
        """Add a renderer; return what registers it with a host that has greeted already."""
        self._renderers[kind, name] = handler
        return lambda: self._register("renderers", kind=kind, name=name)

    def set_key_handler(self, handler: Handler, keys: Sequence[str]) -> Callable[[], None]:
        """Set what is asked about keys of the editor; return as above."""
        self._key = handler, keys
        return self._ask_about_keys

    def set_decorator(self, handler: Handler) -> Callable[[], None]:
        """Set what says how the editor is drawn; return as above."""
        self._decorator = handler
        return self._ask_about_text

    def _ask_about_keys(self) -> None:
        keys = None if self._key is None or not self._key[1] else list(self._key[1])
        self._ask("editor.keys", on=True, keys=keys)

    def _ask_about_text(self) -> None:
        self._ask("editor.decorate", on=True)

    def groups(self) -> Iterator[str]:
        """Yield the groups of the protocol that are in use."""
        if self._completers:
            yield "autocomplete"
        if self._renderers:
            yield "renderers"
        if self._key is not None or self._decorator is not None:
            yield "editor"

    def greeted(self, host: HelloAck) -> None:
        """Register everything that the host grants."""
        if "autocomplete" in host.capabilities:
            for trigger, command in list(self._completers):
                self._register("autocomplete", **_completer(trigger, command))
        if "renderers" in host.capabilities:
            for kind, name in list(self._renderers):
                self._register("renderers", kind=kind, name=name)
        if "editor" in host.capabilities:
            if self._key is not None:
                self._ask_about_keys()
            if self._decorator is not None:
                self._ask_about_text()

    def _register(self, group: str, **params: str) -> None:
        self._ask(_METHODS[group], **params)

    def _ask(self, method: str, **params: object) -> None:
        try:
            self._call(method, **params)
        except HostError as error:
            if error.code != "unavailable":  # as in `zot -p`, where nobody types and nothing is drawn
                raise

    def answer(self, frame: EventIntercept, call: Callable[..., object]) -> EventInterceptResponse:
        """Answer a question. `call` runs a handler and returns its answer."""
        members = {**frame.extra, "text": frame.text}
        answers = {
            "complete": self._complete,
            "render": self._render,
            "editor_key": self._press,
            "editor_decorate": self._decorate,
        }
        return EventInterceptResponse(frame.id, extra=answers[frame.event](members, call))

    def _press(self, members: dict[str, Any], call: Callable[..., object]) -> dict[str, object]:
        if self._key is None:
            return {}
        answer: Any = call(self._key[0], _request(EditorKey, members))
        if answer is None or answer is False:
            return {}
        if answer is True:
            return {"consumed": True}
        if isinstance(answer, str):
            return {"keys": [answer]}
        return {"ops": [answer] if isinstance(answer, dict) else list(answer)}

    def _decorate(self, members: dict[str, Any], call: Callable[..., object]) -> dict[str, object]:
        spans: Any = None if self._decorator is None else call(self._decorator, _request(EditorText, members))
        return {"spans": list(spans or ())}

    def _complete(self, members: dict[str, Any], call: Callable[..., object]) -> dict[str, object]:
        asked = _request(CompletionRequest, members)
        handler = self._completers.get((asked.trigger, asked.command))
        found: Any = None if handler is None else call(handler, asked)
        return {"items": [_item(each) for each in found or ()]}

    def _render(self, members: dict[str, Any], call: Callable[..., object]) -> dict[str, object]:
        asked = _request(RenderRequest, members)
        handler = self._renderers.get((asked.kind, asked.name)) or self._renderers.get((asked.kind, "*"))
        lines: Any = None if handler is None else call(handler, asked)
        if lines is None:
            return {}
        if asked.kind == "markdown":
            return {"text": lines}
        return {"lines": lines.split("\n") if isinstance(lines, str) else list(lines)}


def _completer(trigger: str, command: str) -> dict[str, str]:
    return {"trigger": trigger} if trigger else {"command": command}


def _request(kind: type[Any], members: dict[str, Any]) -> Any:
    """Return the members that the request has; unknown ones are ignored."""
    return kind(**{name: members[name] for name in kind.__fields__ if members.get(name) is not None})


def _item(given: object) -> object:
    if not isinstance(given, Suggestion):
        return given
    fields = {"text": given.text, "label": given.label, "description": given.description}
    return {name: value for name, value in fields.items() if value}
