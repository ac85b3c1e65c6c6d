#!/usr/bin/env python3
"""Shows one row for each tool call and hides the results, until they are expanded."""

from zot_ext import Extension, HostError, RenderRequest

ext = Extension("minimal-mode", "1.0.0", capabilities=("renderers",))
on = True


@ext.renderer("tool_result", "*")
def result(asked: RenderRequest) -> list[str] | None:
    return [] if on and not asked.expanded and asked.state == "ok" else None


@ext.command("minimal", "hide the results of tools, or show them again")
def toggle(_: str) -> str:
    global on
    on = not on
    try:
        ext.rendering.again("tool_result", "*")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where nothing is drawn
            raise
    return "results are hidden" if on else "results are shown"


ext.run()
