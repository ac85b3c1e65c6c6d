#!/usr/bin/env python3
"""Changes the system prompt while `/pirate` is on."""

from zot_ext import AgentStartDecision, AgentStartRequest, Extension

ext = Extension("pirate", "1.0.0")
state = {"on": False}


@ext.command("pirate", "talk like a pirate, or no longer")
def pirate(_: str) -> str:
    state["on"] = not state["on"]
    return "arr!" if state["on"] else "no longer a pirate"


# Once for each prompt: the command takes effect with the next one.
@ext.intercept("before_agent_start", cadence="prompt")
def speak(start: AgentStartRequest) -> AgentStartDecision | None:
    if not state["on"]:
        return None
    return AgentStartDecision(start.system_prompt + "\n\nTalk like a pirate.")


if __name__ == "__main__":
    ext.run()
