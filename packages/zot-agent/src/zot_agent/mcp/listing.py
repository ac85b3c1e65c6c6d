"""Servers as a person sees them, and the command of a prompt."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from zot_agent.mcp.names import names_of
from zot_agent.mcp.server import McpServer


def summary(server: McpServer) -> str:
    """Return a line about a server."""
    offer = server.lists.offer
    counts = ((offer.tools, "tool"), (offer.prompts, "prompt"), (offer.resources, "resource"))
    parts = [f"{len(items)} {what}{'s' if len(items) != 1 else ''}" for items, what in counts if items]
    state = server.state if server.state == "ready" else f"{server.state}: the server {server.problem}"
    if server.state == "starting":
        state = f"starting: it {server.progress}"
    if server.lists.left_out:
        parts.append(noted(server.lists.left_out))
    return f"{server.name}  {', '.join([state, *parts])}  ({server.config.what})"


def noted(notes: Sequence[str], most: int = 3) -> str:
    """Return what is left out of an offer as one line."""
    more = f"; and {len(notes) - most} more, see zot mcp doctor" if len(notes) > most else ""
    return f"left out: {'; '.join(notes[:most])}{more}"


def details(server: McpServer) -> str:
    """Return lines about what a server offers."""
    offer = server.lists.offer
    lines = [summary(server), offer.title] if offer.title else [summary(server)]
    lines += [f"  {each}" for each in names_of(server.name, [each.name for each in offer.tools]).values()]
    lines += [f"  /{each}" for each in names_of(server.name, [each.name for each in offer.prompts]).values()]
    lines += [f"  {each.uri}" for each in offer.resources]
    lines += [f"  {each.uri_template}" for each in offer.templates]
    return "\n".join([*lines, *(f"  left out: {each}" for each in server.lists.left_out)])


def prompt_arguments(known: Sequence[Any], words: str) -> dict[str, str]:
    """Return the arguments of a prompt, as typed: in their order, or as NAME=VALUE; the last one takes the rest. Raises
    ValueError."""
    names = [each.name for each in known]
    if len(names) == 1 and not words.startswith(f"{names[0]}="):
        return {names[0]: words} if words else {}
    found: dict[str, str] = {}
    for word in shlex.split(words):
        name, equals, value = word.partition("=")
        if equals and name in names:
            found[name] = value
            continue
        free = [each for each in names if each not in found]
        if free:
            found[free[0]] = word
        elif names:
            found[names[-1]] += f" {word}"
    return found
