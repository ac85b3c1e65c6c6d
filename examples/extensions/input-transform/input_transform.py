#!/usr/bin/env python3
"""Changes prompts before they are sent: `?question` is answered briefly, `ping` without the model."""

from zot_ext import Extension, InputDecision, InputRequest, display

ext = Extension("input-transform", "1.0.0")
counts = {"changed": 0, "handled": 0}


@ext.intercept("input")
def change(given: InputRequest) -> InputDecision | None:
    if given.text.strip() == "ping":
        counts["handled"] += 1
        ext.notify("pong")
        return InputDecision(handled=True)
    if given.text.startswith("?") and given.text[1:].strip():
        counts["changed"] += 1
        return InputDecision(text=f"Answer in one sentence: {given.text[1:].strip()}")
    return None


@ext.command("shortcuts", "how many prompts were changed")
def show(_: str) -> object:
    return display(f"{counts['changed']} changed, {counts['handled']} handled")


if __name__ == "__main__":
    ext.run()
