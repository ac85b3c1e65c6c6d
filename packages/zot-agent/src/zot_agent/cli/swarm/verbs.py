"""The verbs of `zot swarm` for members that there are: `list`, `show`, `logs`, `send` and so on."""

import time
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from zot_agent.cli.ext.terminal import print_fields, print_json, print_line, print_table
from zot_agent.cli.verb import Json
from zot_agent.standard_error import print_error
from zot_agent.swarm.member import Member
from zot_agent.swarm.swarm import Choice, Swarm
from zot_agent.swarm.transcript import MemberTranscript
from zot_agent.swarm.verbs import VERBS
from zot_agent.swarm.words import question_text, status

MemberId: TypeAlias = Annotated[str, "ID: the id of a member, or the beginning of one"]

POLL_SECONDS = 0.2
"""Seconds between two looks at a conversation that is followed."""


def print_members(*, json: Json = False) -> int:
    """List the members, and what is in their worktrees only."""
    swarm = Swarm()
    found, problems = swarm.members()
    for problem in problems:
        print_error(problem)
    if json:
        print_json({"members": [_fields(swarm, each) for each in found]})
    elif found:
        rows = [(each.id, status(each), swarm.left(each), each.task) for each in found]
        print_table([("id", "state", "only there", "task"), *rows])
    elif not problems:
        print_line('no agents in the swarm; zot swarm new "TASK" starts one')
    return int(bool(problems))


def show(id: MemberId, *, json: Json = False) -> int:
    """Show what a member does, has done and asks.

    --json: print its state as JSON
    """
    swarm = Swarm()
    member = swarm.find(id)
    if json:
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


def logs(id: MemberId, *, follow: bool = False) -> int:
    """Print the conversation of a member.

    -f, --follow: print what comes, until it ends
    """
    swarm, transcript, asked, said = Swarm(), MemberTranscript(), "", False
    member = swarm.find(id)
    while True:
        over = not (follow and member.active)  # before the look: what comes after it is not missed
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
    if follow or not said:
        print_line(f"-- {status(member)}")
    return 0


def send(id: MemberId, text: list[str]) -> int:
    """Send a member a message; it works again if it has ended.

    TEXT: the message
    """
    return _steer("send", id, *text)


def answer(id: MemberId, answer: Choice, text: Sequence[str] = ()) -> int:
    """Answer the question that a member waits with.

    yes|always|no: what becomes of the call
    WHY: with no: why, for the model
    """
    return _steer("answer", id, answer, *text)


def resume(id: MemberId, text: Sequence[str] = ()) -> int:
    """Continue the work of a member that was stopped, interrupted or has failed.

    TEXT: a message for it
    """
    return _steer("resume", id, *text)


def kill(id: MemberId) -> int:
    """Stop a member; what it has done stays."""
    return _steer("kill", id)


def merge(id: MemberId) -> int:
    """Commit what a member has done, and merge it into your branch."""
    print_line(f"{VERBS['merge'](Swarm(), id, '')}; zot swarm remove {id} removes it")
    return 0


def remove(id: MemberId, *, discard: bool = False) -> int:
    """Remove a member and its worktree; its session and its branch stay.

    --discard: also drop its branch, and what cannot be committed
    """
    return _steer("remove", id, *["--discard"] * discard)


def _steer(verb: str, id: str, *words: str) -> int:
    print_line(VERBS[verb](Swarm(), id, " ".join(words)))
    return 0


def _fields(swarm: Swarm, member: Member) -> dict[str, Any]:
    return member.fields() | {"only_there": swarm.left(member)}
