#!/usr/bin/env python3
"""What is written to a file of the project becomes a message."""

import threading
import time
from pathlib import Path

from zot_ext import Extension, HelloAck

SECONDS = 0.2
LONGEST = 100_000

ext = Extension("file-trigger", "1.0.0", capabilities=("messages",))


def path() -> Path:
    return Path(ext.host.cwd, ".zot", "trigger.txt")


@ext.command("trigger", "say which file becomes a message")
def trigger(_: str) -> str:
    return str(path())


def take() -> str:
    """The text of the file, which is removed; empty without one."""
    try:
        text = path().read_text("utf-8", "replace")
        path().unlink()
    except OSError:
        return ""
    return text.strip()[:LONGEST]


def watch() -> None:
    while True:
        if text := take():
            ext.messages.send(text, deliver_as="follow_up")
        time.sleep(SECONDS)


@ext.on_hello
def begin(host: HelloAck) -> None:
    if "messages" in host.capabilities:
        threading.Thread(target=watch, daemon=True).start()


ext.run()
