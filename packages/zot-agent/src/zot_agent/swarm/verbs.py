"""The verbs that steer and end members, for `zot swarm` and `/swarm`: words behind an id, and a line for a person."""

from collections.abc import Callable
from typing import cast, get_args

from zot_agent.swarm.swarm import Choice, Swarm
from zot_provider.errors import ConfigError, UnknownName


def _answer(swarm: Swarm, id: str, words: str) -> str:
    choice, _, why = words.partition(" ")
    if choice not in get_args(Choice):
        raise UnknownName.among("answer", choice, get_args(Choice))
    return f"answered {swarm.answer(id, cast('Choice', choice), why.strip()).id}"


def _kill(swarm: Swarm, id: str, words: str) -> str:
    member = swarm.kill(id)
    return f"{member.id} is {member.state}"


def _remove(swarm: Swarm, id: str, words: str) -> str:
    if words not in ("", "--discard"):
        raise ConfigError(f"remove takes --discard, not {words!r}")
    id = swarm.folder(id).id
    line = swarm.remove(id, discard=bool(words))
    return f"removed {id}" + (f": {line}" if line else "")


VERBS: dict[str, Callable[[Swarm, str, str], str]] = {
    "send": lambda swarm, id, words: f"sent to {swarm.send(id, words).id}",
    "answer": _answer,
    "resume": lambda swarm, id, words: f"{swarm.resume(id, words).id} works again",
    "kill": _kill,
    "merge": lambda swarm, id, words: swarm.merge(id),
    "remove": _remove,
}

STARTING = ("send", "resume")
"""Verbs after which a member works that did not."""
