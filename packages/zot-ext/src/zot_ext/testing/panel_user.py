"""`FakePanelUser`: the part of `FakeHost` that uses the panels of an extension."""

from __future__ import annotations

from zot_ext.protocol.from_host import PanelClose, PanelKey
from zot_ext.protocol.groups.panels import PanelDraw, PanelFocus, PanelKeyResult, PanelMouse, PanelPaste, PanelResize
from zot_ext.testing.model_user import FakeModelUser

_AREA = {"width": 60, "height": 20, "visible": True}
ROOM = {"panels.open": _AREA, "panels.change": _AREA}
"""The usual answers of calls for panels."""


class FakePanelUser(FakeModelUser):
    """A base class of `FakeHost`."""

    _keys = 0

    def key(self, panel_id: str, key: str, text: str = "", mods: tuple[str, ...] = (), kind: str = "press") -> None:
        """Press a key in a panel, or let it go (the kind `release`); `type_text` types text."""
        self.send(PanelKey(panel_id, key, text, mods, kind=kind))

    def type_text(self, panel_id: str, text: str) -> None:
        """Type text into a panel, a `rune` for each character."""
        for character in text:
            self.key(panel_id, "rune", character)

    def press(self, panel_id: str, key: str, text: str = "", mods: tuple[str, ...] = ()) -> PanelKeyResult:
        """Press a key in a panel of the group `panels2` and wait for its answer."""
        self._keys += 1
        seq = self._keys
        self.send(PanelKey(panel_id, key, text, mods, seq))
        answer: PanelKeyResult = self.wait_for(PanelKeyResult, lambda each: each.seq == seq)
        return answer

    def paste_panel(self, panel_id: str, text: str) -> None:
        self.send(PanelPaste(panel_id, text))

    def click_panel(self, panel_id: str, row: int, column: int, button: int = 1, action: str = "press") -> None:
        """Use the mouse over a cell of a panel."""
        self.send(PanelMouse(panel_id, action, row, column, button))

    def focus_panel(self, panel_id: str, *, focused: bool) -> None:
        """Give the keys to a panel, or take them away."""
        self.send(PanelFocus(panel_id, focused))

    def resize_panel(self, panel_id: str, width: int, height: int, *, visible: bool = True) -> None:
        """Change the room of a panel."""
        self.send(PanelResize(panel_id, width, height, visible))

    def close_panel(self, panel_id: str) -> None:
        self.send(PanelClose(panel_id))

    def drawn(self, panel_id: str) -> list[str]:
        """Return the text of the lines that a panel of the group `panels2` has drawn last."""
        frames = [frame for frame in self.sent(PanelDraw) if frame.panel_id == panel_id]
        return [_text(line) for line in frames[-1].lines] if frames else []


def _text(line: object) -> str:
    return line if isinstance(line, str) else "".join(span["text"] for span in line)  # type: ignore[attr-defined]
