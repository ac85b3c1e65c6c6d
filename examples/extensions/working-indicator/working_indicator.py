#!/usr/bin/env python3
"""Changes the row that shows that work is going on: `/working moon`, `dots`, `quiet` or `none`."""

from zot_ext import Extension, Response, display, error

ext = Extension("working-indicator", "1.0.0", capabilities=("widgets",))
FRAMES = {"moon": "◐◓◑◒", "dots": "⠁⠂⠄⠂"}


@ext.command("working", "choose the look of the working row: moon, dots, quiet, none")
def choose(name: str) -> Response:
    if name not in (*FRAMES, "quiet", "none"):
        return error(f"choose one of {', '.join((*FRAMES, 'quiet', 'none'))}")
    if name in FRAMES:
        ext.widgets.working("thinking hard", frames=FRAMES[name], interval_ms=150)
    else:
        ext.widgets.working(hidden=name == "quiet")
    return display(f"the working row is {'as zot has it' if name == 'none' else name}")


ext.run()
