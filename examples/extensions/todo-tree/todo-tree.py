#!/usr/bin/env python3
"""A list of steps whose state is in the conversation, so that it goes back with it."""

import threading
from typing import Any, Literal

from zot_ext import Extension, HostError, NotGranted, Result, text_result

ext = Extension("todo-tree", "1.0.0", capabilities=("session", "tools2"))
writing = threading.Lock()


def current() -> list[dict[str, Any]]:
    """Return the list at this place of the conversation."""
    items: list[dict[str, Any]] = []
    for entry in ext.session.entries(kinds=("tool", "custom"), content=True):
        if entry.get("custom_type") == "steps":
            items = entry["data"]
        for block in entry.get("content", ()):
            details = block.get("details", {})
            if details.get("extension") == ext.name:
                items = details["items"]
    return items


def shown(items: list[dict[str, Any]]) -> str:
    rows = [f"{at}. [{'x' if item['done'] else ' '}] {item['text']}" for at, item in enumerate(items, 1)]
    return "\n".join(rows) or "no steps"


@ext.tool(snippet="Keep the steps of longer tasks with `steps`.")
def steps(action: Literal["list", "add", "tick"], text: str = "", number: int = 0) -> Result:
    """Keep the steps of the task; every action answers with the list.

    Args:
        action: what to do
        text: of the new step, for `add`
        number: of the step, from 1, for `tick`
    """
    with writing:
        items = [dict(item) for item in current()]
        if action == "add":
            items.append({"text": text, "done": False})
        elif action == "tick":
            if not 1 <= number <= len(items):
                raise LookupError(f"there is no step {number}, there are {len(items)}")
            items[number - 1]["done"] = True
        return text_result(shown(items), details={"items": items})


@ext.command("steps", "show the steps at this place of the conversation; /steps clear")
def show(args: str) -> str:
    try:
        if args == "clear":
            ext.session.append("steps", [])
        return shown(current())
    except (HostError, NotGranted) as error:
        return f"the conversation cannot be read: {error}"


ext.run()
