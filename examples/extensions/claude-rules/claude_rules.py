#!/usr/bin/env python3
"""Names the rules of the project in the system prompt."""

from pathlib import Path

from zot_ext import AgentStartDecision, AgentStartRequest, Extension

MOST = 100

ext = Extension("claude-rules", "1.0.0")


def rules(cwd: str) -> list[str]:
    """The paths of the rules, relative to the project."""
    found = sorted(Path(cwd, ".claude", "rules").rglob("*.md"))
    return [each.relative_to(cwd).as_posix() for each in found if each.is_file()][:MOST]


@ext.command("rules", "list the rules of this project")
def show(_: str) -> str:
    return "\n".join(rules(ext.host.cwd)) or "no rules in .claude/rules"


@ext.intercept("before_agent_start", cadence="prompt")
def name_rules(request: AgentStartRequest) -> AgentStartDecision | None:
    names = rules(request.cwd)
    if not names:
        return None
    listed = "\n".join(f"- {name}" for name in names)
    return AgentStartDecision(
        f"{request.system_prompt}\n\nThis project has rules. Read those that concern your task:\n{listed}"
    )


ext.run()
