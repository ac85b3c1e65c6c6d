"""The verbs of `zot swarm` for members that there are: `list`, `show`, `logs`, `send` and so on."""

import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from zot_agent.cli.ext.terminal import print_fields, print_json, print_line, print_table
from zot_agent.standard_error import print_error
from zot_agent.swarm.member import Member
from zot_agent.swarm.swarm import Swarm
from zot_agent.swarm.transcript import MemberTranscript
from zot_agent.swarm.verbs import VERBS
from zot_agent.swarm.words import question_text, status

POLL_SECONDS = 0.2
"""Seconds between two looks at a conversation that is followed."""


def _list(given: Namespace) -> int:
    swarm = Swarm()
    found, problems = swarm.members()
    for problem in problems:
        print_error(problem)
    if given.json:
        print_json({"members": [_fields(swarm, each) for each in found]})
    elif found:
        rows = [(each.id, status(each), swarm.left(each), each.task) for each in found]
        print_table([("id", "state", "only there", "task"), *rows])
    elif not problems:
        print_line('no agents in the swarm; zot swarm new "TASK" starts one')
    return int(bool(problems))


def _show(given: Namespace) -> int:
    swarm = Swarm()
    member = swarm.find(given.id)
    if given.json:
        print_json(_fields(swarm, member))
        return 0
    tree = member.tree
    cost = "" if not member.cost_usd else f", ${member.cost_usd:.4f}"
    print_fields((
        ("id", member.id), ("task", member.task), ("state", status(member)), ("asks", question_text(member)),
        ("now", member.line if member.active else ""), ("model", f"{member.provider}/{member.model}"),
        ("steps", f"{member.steps}, {member.tokens:,} tokens{cost}"), ("directory", member.cwd),
        ("branch", "" if tree is None else tree.branch), ("only there", swarm.left(member)),
        ("session", member.session),
    ))  # fmt: skip
    if member.answer:
        print_line()
        for line in member.answer.split("\n"):
            print_line(f"  {line}".rstrip())
    return 0


def _logs(given: Namespace) -> int:
    swarm, transcript, asked, said = Swarm(), MemberTranscript(), "", False
    member = swarm.find(given.id)
    while True:
        over = not (given.follow and member.active)  # before the look: what comes after it is not missed
        for line in transcript.more(member.session):
            print_line(line)
            said = True
        if (question := question_text(member)) and question != asked:
            print_line(f"-- asks: {question}")
        asked = question
        if over:
            break
        time.sleep(POLL_SECONDS)
        member = swarm.find(member.id)
    if given.follow or not said:
        print_line(f"-- {status(member)}")
    return 0


def _steer(given: Namespace) -> int:
    words = " ".join([*given.answer, *given.text])
    print_line(VERBS[given.verb](Swarm(), given.id, words))
    return 0


def _merge(given: Namespace) -> int:
    print_line(f"{VERBS['merge'](Swarm(), given.id, '')}; zot swarm remove {given.id} removes it")
    return 0


def _fields(swarm: Swarm, member: Member) -> dict[str, Any]:
    return member.fields() | {"only_there": swarm.left(member)}


ACTIONS: dict[str, Callable[[Namespace], int]] = {
    **dict.fromkeys(VERBS, _steer),
    "list": _list,
    "show": _show,
    "logs": _logs,
    "merge": _merge,
}
