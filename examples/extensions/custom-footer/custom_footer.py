#!/usr/bin/env python3
"""Draws a row in place of the status row: branch, model, context and cost."""

from typing import Any

from zot_ext import Event, Extension, HostError

ext = Extension("custom-footer", "1.0.0", capabilities=("control", "session", "widgets"))
shown = True


@ext.on("session_start")
@ext.on("turn_complete")
@ext.on("model_select")
@ext.on("thinking_level_select")
@ext.on("session_tree")
def draw(_: Event) -> None:
    if not shown:
        return
    try:
        ext.widgets.set("footer", row(), place="footer")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where there is no screen
            raise


@ext.command("footer", "show this row, or zot's own again: /footer on|off")
def footer(args: str) -> None:
    global shown
    shown = args != "off"
    if shown:
        ext.widgets.set("footer", row(), place="footer")
    else:
        ext.widgets.remove("footer")


def row() -> list[dict[str, Any]]:
    """The spans of the row. A model without a known price has no cost, one without a known window no share of it."""
    state, context = ext.control.state(), ext.control.context()
    cost = state["usage"]["cost_usd"]
    spans: list[dict[str, Any]] = [{"text": f" {ext.session.info()['branch'] or '-'} ", "style": "success"}]
    spans += [{"text": f" {state['model']} ({state['reasoning_used']})", "style": "muted"}]
    if context["window"]:
        spans += [{"text": f"  context {100 * context['tokens'] // context['window']} %"}]
    if cost is not None:
        spans += [{"text": f"  ${cost:.2f}"}]
    return spans


ext.run()
