"""Random sequences of commands at `zot rpc`: whatever comes in whichever order, the rules of the protocol hold."""

import os
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import Zot
from extension_folder import write_program
from python_forks import zot_python
from rpc_talk import Talk

from zot_agent.client import Event
from zot_agent.operations.names import ALIASES, MODULES
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

PROCESSES, SEQUENCES = 8, 40
NAMES = tuple(name for name in (*MODULES, *ALIASES) if name != "control.shutdown")  # which ends it

EXTENSION = """
from zot_ext import *
ext = Extension("toy")

@ext.command("say", "have the agent say something")
def say(args):
    return prompt(f"say {args}")

@ext.command("show", "show something")
def show(args):
    return display("shown")

@ext.command("type", "put something into the editor")
def type_(args):
    return insert("typed")

@ext.command("fail", "answer with an error")
def fail(args):
    raise ValueError("oh")

view = ext.panel("toy", "Toy", "a footer")
view.on_render(lambda: ["a line"])
view.on_key(lambda key, text: view.refresh())

@ext.command("panel", "open a panel")
def panel(args):
    return view.open()

@ext.intercept("tool_call")
def allow(call):
    return None

ext.run()
"""


def toy(folder: Path) -> str:
    """An extension with a command of each kind; its folder."""
    return str(write_program(folder, EXTENSION))


def answer(chance: random.Random) -> Turn:
    """What the model says next: mostly something short."""
    calls = [
        Call("ls", {"path": "."}),
        Call("read", {"path": chance.choice(("a.txt", "none.txt"))}),
        Call("bash", {"command": "sleep 0.03; echo slept"}),
        Call("no_such_tool", {}),
        Call("ls", "{broken"),
    ]
    kind = chance.random()
    if kind < 0.3:
        return Turn("I will look.", calls=chance.sample(calls, chance.randrange(1, 3)))
    if kind < 0.4:
        return Turn("a longer answer " * 4, chunk=4, delay=0.004)
    if kind < 0.5:
        return Turn(fault=Fault(status=400, body={"error": {"message": "no"}}))
    if kind < 0.55:
        return Turn("broken off", chunk=4, fault=Fault(after=3, cut=True))
    if kind < 0.6:
        return Turn(fault=Fault(status=503, headers={"retry-after": "0.01"}))
    return Turn("fine")


FIELDS: dict[str, Any] = {
    "prompt": lambda chance: {"message": chance.choice(("hi", "what?", "")), "hold_text": chance.random() < 0.3},
    "prompts.steer": lambda chance: {"message": "and this"},
    "prompts.follow_up": lambda chance: {"message": "and then"},
    "compact": lambda chance: chance.choice(({}, {"instructions": "be short"})),
    "set_model": lambda chance: {"model": chance.choice(("scripted", "another", "anthropic/other", ""))},
    "set_reasoning": lambda chance: {"reasoning": chance.choice(("off", "high", "very"))},
    "tools.set": lambda chance: {"tools": chance.choice((["read", "ls", "bash"], [], ["none"]))},
    "control.run": lambda chance: {"name": chance.choice(("say", "/say", "show", "type", "fail", "panel", "none"))},
    "ext_panel_key": lambda chance: {"key": chance.choice(("enter", "rune", "esc")), "text": "x"},
    "hello": lambda chance: chance.choice(({}, {"token": "any"})),
}
"""What goes with the commands that take something."""
FIELDS |= {name: FIELDS[alias] for alias, name in ALIASES.items() if alias in FIELDS}
STARTS = ("prompts.send", "control.compact")

RARE = {"control.reload": 0.15, "model.list": 0.3}
"""Commands that take a while."""


def commands(chance: random.Random, names: list[str]) -> list[dict[str, Any]]:
    return [{"type": name} | FIELDS.get(name, lambda chance: {})(chance) for name in names]


def sequences(chance: random.Random) -> list[list[dict[str, Any]]]:
    """Sequences in which every command occurs."""
    weights = [RARE.get(name, 4.0 if name in ("prompt", "abort") else 1.0) for name in NAMES]
    every = chance.sample(NAMES, len(NAMES))
    found = []
    for _ in range(SEQUENCES):
        names = [every.pop() for _ in range(1 + len(NAMES) // SEQUENCES) if every]
        names += chance.choices(NAMES, weights, k=chance.randrange(2, 10))
        chance.shuffle(names)
        found.append(commands(chance, names))
    return found


class Order:
    """Checks that events come in the order that is documented."""

    WITHIN_A_TURN = frozenset({"assistant_start", "text_delta", "reasoning_delta", "assistant_message", "tool_call"})

    def __init__(self) -> None:
        self.turn = self.compacting = False
        self.done = self.owed = 0

    def see(self, event: Event) -> None:
        kind = event["type"]
        if kind == "response":
            self.owed += bool(event["success"]) and ALIASES.get(event["command"], event["command"]) in STARTS
            return
        if kind.startswith("ext_"):
            self.owed += kind == "ext_submit"
            return
        if kind in ("session_start", "session_tree"):
            return
        assert self.owed > self.done, f"{event} while nothing was asked for"
        if kind == "turn_start":
            assert not self.turn, "a turn within a turn"
            self.turn = True
        elif kind == "turn_end":
            assert self.turn, "the end of a turn that has not begun"
            self.turn = False
        elif kind == "compact_start":
            assert not self.compacting
            self.compacting = True
        elif kind in ("compact_done", "error", "notice"):
            assert kind != "compact_done" or self.compacting
            self.compacting = False
        elif kind == "done":
            assert not self.turn, "done within a turn"
            self.compacting = False
            self.done += 1
        elif kind in self.WITHIN_A_TURN:
            assert self.turn, f"{kind} outside of a turn"


def play(talk: Talk, order: Order, chance: random.Random, number: int, sequence: list[dict[str, Any]]) -> None:
    """Send a sequence, a few commands at a time, and read up to its last response and its last `done`."""
    answers: Counter[str] = Counter()
    asked = {f"{number}.{position}": command for position, command in enumerate(sequence)}
    waiting = [{"id": id} | command for id, command in asked.items()]

    def read() -> Event:
        event = talk.next()
        order.see(event)
        if event["type"] == "response":
            answers[event["id"]] += 1
            assert event["command"] == asked[event["id"]]["type"]
            assert event["success"] or event["error"]
        return event

    while waiting:
        size = chance.randrange(1, 5)
        talk.send(*waiting[:size])
        del waiting[:size]
        for _ in range(chance.choice((0, 0, 1, 2))):  # there is at least one response to come
            if answers.total() < len(asked) - len(waiting):
                read()
    while answers.total() < len(asked) or order.done < order.owed:
        read()
    assert answers == dict.fromkeys(asked, 1)


def settled(talk: Talk, order: Order) -> dict[str, Any]:
    """The state once everything has been answered."""
    talk.send({"id": "state", "type": "get_state"})
    while True:
        event = talk.next()
        order.see(event)
        if event.get("id") == "state":
            return dict(event["data"])


def in_folder(folder: Path) -> list[int]:
    """Processes that work in a folder or below."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if Path(os.readlink(f"/proc/{name}/cwd")).is_relative_to(folder):
                found.append(int(name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


@pytest.mark.parametrize("seed", range(PROCESSES))
def test_the_rules_hold_in_every_sequence_of_commands(zot: Zot, server: ScriptedServer, seed: int) -> None:
    chance, model = random.Random(seed), random.Random(-seed)
    server.add(*[lambda request: answer(model)] * 20_000)
    flags = ["--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat")]
    flags += ["--ext", toy(zot.cwd.parent / "toy"), "--max-steps", "4"]
    order = Order()
    played = sequences(chance)
    command = [zot_python(), "-m", "zot_agent", "rpc", *flags]
    with Talk(command, cwd=zot.cwd, env=zot.env, stderr=subprocess.PIPE) as talk:
        for number, sequence in enumerate(played):
            play(talk, order, chance, number, sequence)
            state = settled(talk, order)
            assert (state["busy"], state["queued"]) == (False, 0)
            assert not order.turn
        for event in talk.finish():
            order.see(event)
        assert talk.process.returncode == 0
        assert talk.process.stderr is not None
        assert talk.process.stderr.read() == b""
    assert order.done == order.owed > 0
    assert {command["type"] for sequence in played for command in sequence} == set(NAMES)
    assert in_folder(zot.cwd.parent) == []


def test_there_are_two_hundred_sequences() -> None:
    assert PROCESSES * SEQUENCES >= 200
