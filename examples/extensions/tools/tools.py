#!/usr/bin/env python3
"""Choose the tools that the model has, and keep the choice in the conversation."""

from zot_ext import Event, Extension

ext = Extension("tools", "1.0.0", capabilities=("tools2", "session", "ui"))


def choose(names: list[str]) -> list[str]:
    """Take all other tools from the model; names that are not there any more are left out."""
    known = {tool["name"] for tool in ext.tools.list()["tools"]}
    return [*ext.tools.set_active([name for name in names if name in known])["names"]]


@ext.on("session_start")
def restore(_: Event) -> None:
    stored = [entry["data"] for entry in ext.session.entries(custom_type="tools")]
    choose(stored[-1] if stored else [tool["name"] for tool in ext.tools.list()["tools"]])


@ext.command("tools", "choose the tools of the model: /tools, or /tools read grep")
def tools(args: str) -> str:
    names = args.split()
    if not names:
        rows = [
            {"id": tool["name"], "label": tool["name"], "detail": tool["source"]} for tool in ext.tools.list()["tools"]
        ]
        picked = ext.ui.pick("Tools of the model", rows, multi=True)
        if picked is None:
            return "nothing has changed"
        names = [*picked]
    active = choose(names)
    ext.session.append("tools", active)
    return f"the model has {', '.join(active) or 'no tools'}"


ext.run()
