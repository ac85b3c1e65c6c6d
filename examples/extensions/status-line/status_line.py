#!/usr/bin/env python3
"""Counts the turns in the status row, and shows what ran last above the editor."""

from typing import Any

from zot_ext import Event, Extension, HostError

ext = Extension("status-line", "1.0.0", capabilities=("widgets",))
turns = 0


@ext.on("turn_start")
def count(_: Event) -> None:
    global turns
    turns += 1
    show("turns", f"turn {turns}", status=True)


@ext.on("tool_call")
def last(event: Event) -> None:
    show("last", [{"text": "last: ", "style": "muted"}, {"text": event.tool_name, "style": "tool", "bold": True}])


@ext.command("quiet", "remove what is shown")
def quiet(_: str) -> None:
    ext.widgets.remove("turns")
    ext.widgets.remove("last")


def show(key: str, line: str | list[dict[str, Any]], *, status: bool = False) -> None:
    try:
        ext.widgets.set(key, line, place="status" if status else "above_editor")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where there is no screen
            raise


ext.run()
