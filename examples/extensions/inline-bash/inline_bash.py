#!/usr/bin/env python3
"""Replaces `!{command}` in a prompt with the output of the command."""

import re

from zot_ext import Extension, HostError, InputDecision, InputRequest, display

COMMAND = re.compile(r"!\{([^}\n]+)\}")

ext = Extension("inline-bash", "1.0.0", capabilities=("exec",))
ran: list[str] = []


def output(command: str) -> str:
    try:
        result = ext.programs.run(["sh", "-c", command], timeout_ms=4000)
    except HostError as error:
        return f"[{command}: {error}]"
    ran.append(command)
    return str(result["output"]).strip()


@ext.intercept("input")
def insert(given: InputRequest) -> InputDecision | None:
    text = COMMAND.sub(lambda found: output(found[1].strip()), given.text)
    return InputDecision(text=text) if text != given.text else None


@ext.command("inlined", "which commands were run inside prompts")
def show(_: str) -> object:
    return display("\n".join(ran) or "none")


if __name__ == "__main__":
    ext.run()
