#!/usr/bin/env python3
"""One slash command, which asks the agent something."""

from zot_ext import Extension, Response, prompt

ext = Extension("hello", "1.0.0")


@ext.command("hello", "have the agent greet somebody")
def hello(name: str) -> Response:
    return prompt(f"Greet {name or 'me'} in one short sentence.")


ext.run()
