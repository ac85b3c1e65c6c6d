#!/usr/bin/env python3
"""Shows the project and its branch above the conversation."""

import os
import subprocess

from zot_ext import Extension, HelloAck, HostError

ext = Extension("custom-header", "1.0.0", capabilities=("widgets",))
shown = True


@ext.on_hello
def show(host: HelloAck) -> None:
    if "widgets" not in host.capabilities:
        return
    command = ["git", "-C", host.cwd or ".", "branch", "--show-current"]
    branch = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2).stdout.strip()
    name: list[dict[str, object]] = [
        {"text": "◆ ", "style": "accent"},
        {"text": os.path.basename(host.cwd), "bold": True},
    ]
    try:
        ext.widgets.set("header", [*name, {"text": f"  {branch}", "style": "muted"}], place="header")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where there is no screen
            raise


@ext.command("header", "show or remove the header")
def toggle(_: str) -> None:
    global shown
    shown = not shown
    if shown:
        show(ext.host)
    else:
        ext.widgets.remove("header")


ext.run()
