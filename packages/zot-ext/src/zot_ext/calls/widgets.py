"""`Widgets`, `EditorAccess` and `Keys`: what an extension shows and changes on the screen."""

from __future__ import annotations

from zot_ext.calls.caller import Calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    Line = str | Sequence[Mapping[str, object]]
    Place = Literal[
        "status", "above_editor", "below_editor", "header", "footer",
        "top_left", "top_right", "bottom_left", "bottom_right",
    ]  # fmt: skip


class Widgets(Calls):
    """`ext.widgets`, in the group `widgets`. Each method raises `HostError` with the code `unavailable` where there is
    nothing to show them on, as in `zot -p`."""

    def set(self, key: str, *lines: Line, place: Place = "above_editor", priority: int = 0) -> None:
        """Show lines under a name that the extension chooses; they replace earlier lines of that name. A line is text,
        which may have colours (SGR), or a list of spans, such as `{"text": "ready", "style": "success", "bold":
        True}`."""
        self._call("widgets.set", key=key, lines=list(lines), place=place, priority=priority)

    def remove(self, key: str) -> None:
        """Remove the lines of that name."""
        self._call("widgets.set", key=key)

    def status(self, key: str, text: str) -> None:
        """Show a few words in the status row; empty to remove them."""
        self._call("widgets.set", key=key, lines=[text] if text else [], place="status")

    def title(self, text: str) -> None:
        """Name the window of the terminal; empty for the title of zot."""
        self._call("widgets.title", text=text)

    def alert(self, text: str) -> None:
        """Call the person, who may look at another window: a notification on the desktop, or the bell. Raises
        `HostError` (`busy`) for the second one within a second."""
        self._call("widgets.alert", text=text)

    def working(
        self,
        message: str = "",
        *,
        frames: Sequence[str] = (),
        interval_ms: int = 0,
        hidden: bool = False,
        thinking: str = "",
    ) -> None:
        """Change the row that shows that work is going on, and the word before thoughts; without arguments they are as
        zot has them."""
        given = {"frames": list(frames) or None, "interval_ms": interval_ms or None, "hidden": hidden or None}
        self._call("widgets.working", message=message or None, thinking=thinking or None, **given)

    @property
    def theme(self) -> str:
        """The name of the theme."""
        return str(self._call("theme.get")["name"])

    @property
    def themes(self) -> list[str]:
        """The names of all themes."""
        return list(self._call("theme.list")["names"])

    def use_theme(self, name: str) -> None:
        """Draw with another theme until zot ends."""
        self._call("theme.set", name=name)


class EditorAccess(Calls):
    """`ext.editor`, in the group `editor`: what the person is typing."""

    @property
    def text(self) -> str:
        """The text."""
        return str(self._call("editor.get")["text"])

    @property
    def cursor(self) -> int:
        """The place of the cursor in the text, counted from 0."""
        return int(self._call("editor.get")["cursor"])

    def set(self, text: str, *, cursor: int | None = None, expected: str | None = None) -> None:
        """Replace the text. With `expected` raises `HostError` (`busy`) if another text is there by now."""
        self._call("editor.set", text=text, cursor=cursor, expected=expected)

    def paste(self, text: str) -> None:
        """Insert text at the cursor."""
        self._call("editor.paste", text=text)

    def set_modes(self, modes: Mapping[str, object] | None) -> None:
        """Give the editor modes, which are as `editor_modes` of a manifest; None takes them back. Raises `HostError`
        (`invalid`) with the mode and the key that are wrong."""
        self._call("editor.modes", modes=None if modes is None else dict(modes))

    @property
    def mode(self) -> str:
        """The mode of this extension that is in force; empty if none of them is. It can be set."""
        return str(self._call("editor.mode")["name"])

    @mode.setter
    def mode(self, name: str) -> None:
        self._call("editor.mode", name=name)

    def decorate_again(self) -> None:
        """Ask the handler of `@ext.decorator` once more, as an animation does."""
        self._call("editor.decorate", on=True)


class Keys(Calls):
    """`ext.keys`, in the group `keys`."""

    def bind(self, key: str, command: str) -> None:
        """Let a key run a slash command of this extension. Raises `HostError` (`invalid`) if it belongs to the person,
        to zot or to another extension."""
        self._call("keys.bind", key=key, command=command)

    def unbind(self, key: str) -> None:
        """Give a key back."""
        self._call("keys.unbind", key=key)
