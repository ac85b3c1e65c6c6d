#!/usr/bin/env python3
"""A command that waits for a yes, but not for ever."""

import asyncio

from zot_ext import Extension, Response, display, prompt

SECONDS = 10.0

ext = Extension("timed-confirm", "1.0.0", capabilities=("ui",))


@ext.command("deploy", "have the agent deploy, after a yes within ten seconds")
async def deploy(target: str) -> Response:
    target = target or "staging"
    # An async handler lets the method wait in a thread, and can do other work meanwhile.
    asked = asyncio.create_task(ext.soon(ext.ui.confirm, f"Deploy to {target}?", timeout=SECONDS))
    if await asked:
        return prompt(f"Deploy to {target} with the script of this project.")
    return display(f"not deployed to {target}")


ext.run()
