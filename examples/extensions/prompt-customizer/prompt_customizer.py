#!/usr/bin/env python3
"""Adds `NOTE.md` of the project to each prompt, as a message that the person does not see."""

import os

from zot_ext import AgentStartDecision, AgentStartRequest, Extension, display

ext = Extension("prompt-customizer", "1.0.0", capabilities=("intercepts2",))


def note() -> str:
    try:
        with open(os.path.join(ext.host.cwd, "NOTE.md"), encoding="utf-8") as file:
            return file.read(10_000).strip()
    except OSError:
        return ""


@ext.command("note", "the note that the model gets with each prompt")
def show(_: str) -> object:
    return display(note() or "there is no NOTE.md")


@ext.intercept("before_agent_start", cadence="prompt")
def add(start: AgentStartRequest) -> AgentStartDecision | None:
    text = note()
    if not text or start.prompt.startswith("no note:"):
        return None
    return AgentStartDecision(message={"content": text, "display": False})


if __name__ == "__main__":
    ext.run()
