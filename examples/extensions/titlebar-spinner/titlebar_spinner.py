#!/usr/bin/env python3
"""Shows a spinner in the title of the window while zot works, and a mark when it has ended."""

import threading

from zot_ext import Event, Extension, HostError

ext = Extension("titlebar-spinner", "1.0.0", capabilities=("widgets", "events2"))
FRAMES = "◴◷◶◵"
ended = threading.Event()


@ext.on("agent_start")
def begin(_: Event) -> None:
    ended.clear()
    threading.Thread(target=spin, daemon=True).start()


@ext.on("agent_end")
def finish(_: Event) -> None:
    ended.set()


def spin() -> None:
    frame = 0
    while title(f"{FRAMES[frame % len(FRAMES)]} zot works") and not ended.wait(0.25):
        frame += 1
    title("✓ zot is done")


def title(text: str) -> bool:
    """Set the title; False where there is no window."""
    try:
        ext.widgets.title(text)
    except HostError:
        return False
    return True


@ext.command("title", "name the window: /title TEXT")
def name(text: str) -> None:
    ext.widgets.title(text)


ext.run()
