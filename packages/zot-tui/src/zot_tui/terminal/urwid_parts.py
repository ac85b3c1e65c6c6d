"""urwid without the parts that nothing here draws with, until somebody asks for them (see `zot_tui.deferred`).
Modules here import `urwid` from here."""

import sys

from zot_tui.deferred import defer

HOMES = {
    "AttrSpec": "urwid.display.common",
    "BOX": "urwid.widget.constants:Sizing.BOX",
    "Canvas": "urwid.canvas",
    "CanvasCombine": "urwid.canvas",
    "CanvasJoin": "urwid.canvas",
    "CanvasOverlay": "urwid.canvas",
    "CompositeCanvas": "urwid.canvas",
    "FLOW": "urwid.widget.constants:Sizing.FLOW",
    "LayeredAttr": "urwid.util",
    "SolidCanvas": "urwid.canvas",
    "TextCanvas": "urwid.canvas",
    "Widget": "urwid.widget.widget",
    "set_encoding": "urwid.util",
}
"""Where the names that zot's widgets use are defined; behind a colon what they are called there."""


if "urwid" not in sys.modules:
    defer("urwid", HOMES)
    defer("urwid.widget", {})

import urwid as urwid  # noqa: E402  what was put in place
from urwid.display import escape as escape  # noqa: E402
from urwid.display.raw import Screen as Screen  # noqa: E402
