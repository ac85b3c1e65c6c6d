#!/usr/bin/env python3
"""A plan before the work: the model reads and writes numbered steps, then carries them out one by one."""

import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

from zot_ext import (
    AgentStartDecision,
    AgentStartRequest,
    Blocked,
    Event,
    Extension,
    HostError,
    NotGranted,
    Response,
    Result,
    ToolCallRequest,
    block,
    display,
    error,
    prompt,
    text_result,
)

READS = ("read", "grep", "glob", "ls", "skill", "todo")
PLAN = "Plan mode: only read. End your answer with a line `Plan:` and numbered steps below it, one line each."
STEP = re.compile(r"\s*(?:\d+[.)]|[-*])\s+(.+)")
KEY = "ctrl+alt+p"
MOST_ROWS = 8

ext = Extension("plan-mode", "1.0.0", capabilities=("events2", "flags", "keys", "session", "widgets"))


class Plan:
    """The steps, whether each is done, and whether they are being made. Handlers use it at once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.making, self.steps, self.done = False, list[str](), list[bool]()

    @property
    def left(self) -> list[tuple[int, str]]:
        """The steps that are not done, with their numbers from 1."""
        return [(at, step) for at, step in enumerate(self.steps, 1) if not self.done[at - 1]]

    def set(self, steps: list[str]) -> None:
        self.steps, self.done = steps, [False] * len(steps)

    def stored(self) -> dict[str, Any]:
        return {"making": self.making, "steps": self.steps, "done": self.done}


plan = Plan()


@ext.flag("plan")
def begin(planning: object) -> None:
    plan.making = bool(planning)


def read_steps(answer: str) -> list[str]:
    """Return the numbered lines below the last line `Plan:`, without marks of Markdown."""
    _, found, below = answer.rpartition("Plan:")
    lines = (STEP.fullmatch(line) for line in below.splitlines()) if found else ()
    return [re.sub(r"[`*]", "", match[1]).strip() for match in lines if match]


@contextlib.contextmanager
def changing() -> Iterator[None]:
    """Change the plan, then show it and keep it in the session, where there are a screen and a session."""
    with plan.lock:
        yield
        show()
        quietly(lambda: ext.session.append("plan", plan.stored()))


def quietly(act: Callable[[], object]) -> None:
    """Do what only some hosts and front ends can do."""
    try:
        act()
    except NotGranted:
        pass
    except HostError as failure:
        if failure.code != "unavailable":
            raise


def show() -> None:
    """Show the mode in the status row, and the steps above the editor."""
    mode = "plan" if plan.making else f"plan {sum(plan.done)}/{len(plan.steps)}" if plan.steps else ""
    hint = "/plan go carries it out" if plan.making and plan.steps else ""
    rows: list[list[dict[str, object]]] = [
        [
            {"text": "☑ " if done else "☐ ", "style": "success" if done else "accent"},
            {"text": step, "style": "dim" if done else "text", "strike": done},
        ]
        for step, done in zip(plan.steps, plan.done, strict=True)
    ]
    first = plan.left[0][0] - 1 if plan.left else len(rows)
    rows = rows[max(0, min(first - 1, len(rows) - MOST_ROWS)) :][:MOST_ROWS]
    quietly(lambda: ext.widgets.status("mode", mode))
    quietly(lambda: ext.widgets.set("steps", *rows, *([[{"text": hint, "style": "muted"}]] if hint else [])))


@ext.on("session_start")
@ext.on("session_tree")
def restore(event: Event) -> None:
    """Take the plan of this place of the conversation."""
    kept: list[dict[str, Any]] = []
    with plan.lock:  # from here on, so that a command that comes now is not undone
        quietly(lambda: kept.extend(entry["data"] for entry in ext.session.entries(custom_type="plan")))
        if kept:
            plan.making, plan.steps, plan.done = (kept[-1][name] for name in ("making", "steps", "done"))
        elif event.extra.get("reason") != "startup":
            plan.making, plan.steps, plan.done = False, [], []
        show()
    quietly(lambda: ext.keys.bind(KEY, "plan"))


@ext.command("plan", "turn the plan mode on or off; /plan go, /plan drop")
def command(args: str) -> Response:
    with changing():
        if args == "drop":
            plan.making, plan.steps, plan.done = False, [], []
            return display("the plan is forgotten")
        if args == "go":
            if not plan.left:
                return error("there is no step to do")
            plan.making = False
            steps = "\n".join(f"{at}. {step}" for at, step in plan.left)
            return prompt(f"Carry out the plan. After each step call step_done with its number.\n\n{steps}")
        plan.making = not plan.making
        return display("plan mode: nothing is changed" if plan.making else "plan mode is off")


@ext.intercept("before_agent_start", cadence="prompt")
def instruct(request: AgentStartRequest) -> AgentStartDecision | None:
    return AgentStartDecision(f"{request.system_prompt}\n\n{PLAN}") if plan.making else None


@ext.intercept("tool_call", on_error="block")
def refuse(call: ToolCallRequest) -> Blocked | None:
    return block("in plan mode nothing is changed") if plan.making and call.name not in READS else None


@ext.on("assistant_message")
def read(event: Event) -> None:
    if plan.making and (steps := read_steps(event.text)):
        with changing():
            plan.set(steps)


@ext.tool
def step_done(number: int) -> Result:
    """Tick a step of the plan that you carry out.

    Args:
        number: of the step, from 1
    """
    if not 1 <= number <= len(plan.steps):
        raise LookupError(f"there is no step {number}, there are {len(plan.steps)}")
    with changing():
        plan.done[number - 1] = True
        left = "\n".join(f"{at}. {step}" for at, step in plan.left)
        return text_result(f"left:\n{left}" if left else "all steps are done")


ext.run()
