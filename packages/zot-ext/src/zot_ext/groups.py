"""`Groups`: the methods of the host by group, as in `ext.ui.confirm(...)`."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, Unpack, overload

    from zot_ext.calls.agent import Control, Messages, ModelCalls, Programs
    from zot_ext.calls.bus import Bus, Resources
    from zot_ext.calls.operations import OperationGroups
    from zot_ext.calls.panels import PanelMode, PanelOptions, ScreenPanel
    from zot_ext.calls.session import KeyValues, Secrets, Session
    from zot_ext.calls.tools import Tools
    from zot_ext.calls.ui import Ui
    from zot_ext.calls.widgets import EditorAccess, Keys, Widgets
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.registrations import Registrations
    from zot_ext.runtime.runner import ExtensionRunner
    from zot_ext.screen.handlers import ScreenHandlers
    from zot_ext.screen.rendering import RenderedKind, Rendering

    Handler = TypeVar("Handler", bound=Callable[..., object])
else:

    def overload(function):
        return function

    class OperationGroups:
        """The groups of operations that no class here completes: whatever word their names begin with."""

        def __getattr__(self, name):
            from zot_ext.calls import operations  # noqa: PLC0415 - loaded when it is first used

            kind = vars(operations).get(f"{name.capitalize()}Operations")
            if kind is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return kind(self.call)


class _Group:
    """A group of calls: the class of its annotation, whose module is loaded when the group is first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __set_name__(self, owner: type[Groups], name: str) -> None:
        self._kind: str = owner.__annotations__[name]

    def __get__(self, extension: Groups | None, owner: type[Groups]) -> Any:
        if extension is None:
            return self
        return getattr(import_module(f"zot_ext.{self._module}"), self._kind)(extension.call)


def _group(module: str) -> Any:
    return _Group(module)


class Groups(OperationGroups):
    """A base class of `Extension`."""

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask the host for something; see `Extension.call`."""
        raise NotImplementedError

    def on(self, event: str) -> Callable[[Handler], Handler]:
        """Register an observer of an event; see `Extension.on`."""
        raise NotImplementedError

    def _call(self, progress: Callable[[str], None] | None, method: str, **params: object) -> dict[str, Any]:
        raise NotImplementedError

    def require(self, capability: str) -> None:
        """Raise `NotGranted` unless the host grants `capability`."""
        raise NotImplementedError

    def send(self, frame: FromExtension) -> None:
        """Send a frame as it is."""
        raise NotImplementedError

    _runner: ExtensionRunner | None
    _registrations: Registrations

    @overload
    def panel(self, id: str, title: str = "", footer: str = "") -> Panel: ...

    @overload
    def panel(  # noqa: F811
        self, id: str, title: str = "", footer: str = "", *, mode: PanelMode, **options: Unpack[PanelOptions]
    ) -> ScreenPanel: ...

    def panel(  # noqa: F811
        self, id: str, title: str = "", footer: str = "", *, mode: Any = "", **options: Any
    ) -> Any:
        """Make a panel; the author chooses `id`. With a `mode` it is a `ScreenPanel`, in the group `panels2`, and the
        options are the options of `panels.open`: `anchor`, `width`, `handles_esc`, ..."""
        if mode:
            from zot_ext.calls.panels import ScreenPanel  # noqa: PLC0415 - as below

            made = self._registrations.panels[id] = ScreenPanel(id, title, footer, self, mode, options)
            return made
        from zot_ext.panel import Panel  # noqa: PLC0415 - only panels need it

        panel = self._registrations.panels[id] = Panel(id, title, footer, self)
        return panel

    def enqueue(self, panel: ScreenPanel, handler: Callable[..., object]) -> bool:
        """Run a handler of a panel in turn with its others. False if the extension ends."""
        return self._runner is not None and self._runner.enqueue(panel, handler)

    rendering: Rendering = _group("screen.rendering")
    """The drawings of renderers, in the group `renderers`."""
    ui: Ui = _group("calls.ui")
    """Dialogs with the person, in the group `ui`."""
    widgets: Widgets = _group("calls.widgets")
    """Lines and texts beside the conversation, in the group `widgets`."""
    editor: EditorAccess = _group("calls.widgets")
    """The text that the person is typing, in the group `editor`."""
    keys: Keys = _group("calls.widgets")
    """Keys that run commands, in the group `keys`."""
    session: Session = _group("calls.session")
    """The stored conversation, in the group `session`."""
    kv: KeyValues = _group("calls.session")
    """Values that the extension keeps, in the group `storage`."""
    secrets: Secrets = _group("calls.session")
    """Secrets that the extension keeps, in the group `storage`."""
    messages: Messages = _group("calls.agent")
    """Messages in the name of the user, in the group `messages`."""
    control: Control = _group("calls.agent")
    """The work of the agent, in the group `control`."""
    programs: Programs = _group("calls.agent")
    """Programs that the host runs, in the group `exec`."""
    resources: Resources = _group("calls.bus")
    """Skills, prompt templates and themes that come and go, in the group `resources`."""

    @property
    def _screen(self) -> ScreenHandlers:
        return self._registrations.screen_handlers(self.call)

    def completer(self, trigger: str = "", *, command: str = "") -> Callable[[Handler], Handler]:
        """Register what suggests words that begin with `trigger`, or the arguments of a slash command, in the group
        `autocomplete`. The handler takes a `CompletionRequest` and returns texts or `Suggestion`s, best first."""
        if bool(trigger) == bool(command):
            raise ValueError("a completer has either a trigger or a command")
        return self._on_screen(lambda handler: self._screen.add_completer(trigger, command.removeprefix("/"), handler))

    def renderer(self, kind: RenderedKind, name: str) -> Callable[[Handler], Handler]:
        """Register what draws calls or results of a tool (`*`: of all), messages of a `custom_type`, or entries that
        `ext.session.append` has stored, in the group `renderers`. The handler takes a `RenderRequest` and returns
        lines, as for `ext.widgets.set`, or one text; an empty list shows nothing, None shows it as zot does. Of
        the kind `markdown`, with the name `answer`, it returns the Markdown to show in place of `text`; models read
        `text`."""
        return self._on_screen(lambda handler: self._screen.add_renderer(kind, name, handler))

    def editor_key(self, *keys: str) -> Callable[[Handler], Handler]:
        """Register what is asked about keys of the editor, or all keys without any names, in the group `editor`.

        The handler takes an `EditorKey` and has 50 ms. It returns None if it has no use for the key; True if the key
        shall do nothing; the name of a key that is handled in place of it; or objects such as `{"insert": "text"}`: see
        `editor_key` in docs/extension-editor.md.
        """
        return self._on_screen(lambda handler: self._screen.set_key_handler(handler, keys))

    def decorator(self, handler: Handler) -> Handler:
        """Register what says how the text in the editor is drawn, in the group `editor`. The handler takes an
        `EditorText` and returns spans such as `{"start": 0, "end": 4, "style": "accent", "bold": True}`."""
        return self._on_screen(self._screen.set_decorator)(handler)

    def _on_screen(self, add: Callable[[Callable[..., Any]], Callable[[], None]]) -> Callable[[Handler], Handler]:
        """Return what adds a handler with `add`, which returns what tells a host that has greeted already."""

        def register(handler: Handler) -> Handler:
            late = add(handler)
            if self._runner is not None:
                late()
            return handler

        return register

    @property
    def tools(self) -> Tools:
        """Other tools, and the call that runs, in the groups `tools2` and `call_tool`."""
        from zot_ext.calls.tools import Tools  # noqa: PLC0415 - loaded when it is first used

        return Tools(self.call, self.require, self.send, None if self._runner is None else self._runner.caller)

    @property
    def bus(self) -> Bus:
        """Messages between extensions, in the group `bus`."""
        from zot_ext.calls.bus import Bus  # noqa: PLC0415 - as above

        return Bus(self.call, self.on)

    @property
    def model(self) -> ModelCalls:
        """The model of the agent, and questions to any model, in the group `model`."""
        from zot_ext.calls.agent import ModelCalls  # noqa: PLC0415 - as above

        return ModelCalls(self.call, self._call)
