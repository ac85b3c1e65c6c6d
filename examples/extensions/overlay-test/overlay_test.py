#!/usr/bin/env python3
"""Overlays in all their forms: `/overlay ANCHOR`, `/overlay all`, `/overlay stack`, `/overlay clock`."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from zot_ext import Extension, PanelKey, PanelMouse, ScreenPanel

Line = str | Sequence[Mapping[str, object]]

ext = Extension("overlay-test", "1.0.0")

Anchor = Literal[
    "center",
    "top_left",
    "top_center",
    "top_right",
    "left_center",
    "right_center",
    "bottom_left",
    "bottom_center",
    "bottom_right",
]
ANCHORS = get_args(Anchor)
FRAMES = "◐◓◑◒"


class Box:
    """An overlay that shows where it is and what it hears. Tab gives the keys to the next one."""

    def __init__(self, panel: ScreenPanel, place: str) -> None:
        self.panel, self.place, self.heard, self.turns = panel, place, "", 0
        panel.on_render(self.lines)
        panel.on_key(self.key)
        panel.on_mouse(self.mouse)
        panel.on_focus(self.focus)

    def lines(self) -> list[Line]:
        panel = self.panel
        state = {"text": "has the keys", "style": "success"} if panel.focused else {"text": "waits", "style": "dim"}
        spin = f"{FRAMES[self.turns % len(FRAMES)]} {self.turns}" if self.turns else f"{panel.width} × {panel.height}"
        return [self.place, [state], [{"text": spin, "style": "muted"}], self.heard]

    def key(self, press: PanelKey) -> bool | None:
        if press.kind != "press":
            self.heard = f"{press.text or press.key} {press.kind}"
        elif press.key == "tab":
            cycle(self, -1 if "shift" in press.mods else 1)
        elif press.key in ("pageup", "pagedown"):
            return False  # the conversation scrolls
        elif press.text == "q":
            self.panel.close()
        else:
            self.heard = "+".join([*press.mods, press.text or press.key])
        return None

    def mouse(self, event: PanelMouse) -> None:
        self.heard = f"{event.action} {event.row},{event.column}"
        if event.action == "press":
            self.panel.change(focus=True)

    def focus(self, focused: bool) -> None:  # noqa: FBT001  a handler
        if focused:
            self.heard = ""


anchored = [Box(ext.panel(anchor, "", mode="overlay", width=16, anchor=anchor), anchor) for anchor in ANCHORS]
stacked = [
    Box(
        ext.panel(
            f"stack{number}",
            "",
            "tab: the next",
            mode="overlay",
            width=30,
            offset_x=4 * number,
            offset_y=2 * number,
            key_kinds=True,
        ),
        f"layer {number}",
    )
    for number in (1, 2, 3)
]
clock = Box(
    ext.panel("clock", "Thirty a second", mode="overlay", width="40%", anchor="top_right", passive=True), "top_right"
)


@clock.panel.on_tick(1 / 30)
def turn() -> None:
    clock.turns += 1


def cycle(box: Box, step: int) -> None:
    """Give the keys to the next open overlay of its group."""
    group = [each for each in (stacked if box in stacked else anchored) if each.panel.is_open]
    group[(group.index(box) + step) % len(group)].panel.change(focus=True)


@ext.command("overlay", "shows overlays: an anchor, all, stack or clock")
def overlay(args: str) -> str | None:
    shown: dict[str, list[Box]] = {"all": anchored, "stack": stacked, "clock": [clock]}
    shown |= {anchor: [box] for anchor, box in zip(ANCHORS, anchored, strict=True)}
    boxes = shown.get(args.strip() or "center")
    if boxes is None:
        return f"one of {', '.join(shown)}"
    for box in boxes:
        box.turns = 0
        box.panel.show()
    return None


if __name__ == "__main__":
    ext.run()
