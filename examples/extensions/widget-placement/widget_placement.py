#!/usr/bin/env python3
"""Shows a widget at each place of the screen, with `/places`, and removes them with the next `/places`."""

from zot_ext import Extension

ext = Extension("widget-placement", "1.0.0", capabilities=("widgets",))
shown = False


@ext.command("places", "show a widget at each place, or remove them")
def places(_: str) -> None:
    global shown
    shown = not shown
    for place in (
        "header", "above_editor", "top_left", "top_right", "bottom_left", "bottom_right", "below_editor", "status"
    ):  # fmt: skip
        ext.widgets.set(place, *([[{"text": place, "style": "accent"}]] if shown else []), place=place)


ext.run()
