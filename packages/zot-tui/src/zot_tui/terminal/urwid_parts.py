"""urwid, with unused parts loaded only on demand (see `zot_tui.deferred`). Other modules import `urwid` from here."""

import sys

from zot_tui.deferred import defer
from zot_tui.text.width import width as _width  # noqa: F401  it defers wcwidth, which urwid imports

HOMES = {
    "AttrSpec": "urwid.display.common",
    "BOX": "urwid.widget.constants:Sizing.BOX",
    "Canvas": "urwid.canvas",
    "CanvasCache": "urwid.canvas",
    "FLOW": "urwid.widget.constants:Sizing.FLOW",
    "LayeredAttr": "urwid.util",
    "TextCanvas": "urwid.canvas",
    "Widget": "urwid.widget.widget",
    "set_encoding": "urwid.util",
}
"""Where the names that zot uses are defined, with the name there after a colon if it differs."""


if "urwid" not in sys.modules:
    defer("urwid", HOMES)
    defer("urwid.widget", {})

import urwid as urwid  # noqa: E402  after `defer`
from urwid.display import escape as escape  # noqa: E402
from urwid.display.raw import Screen as Screen  # noqa: E402
