"""`Attendance`: which extensions are there, how long they are waited for, and what is said of the others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from zot_agent.extensions.managed import ManagedExtension
from zot_core.agent import Agent, user_message
from zot_core.agent.history import NewMessages
from zot_core.hooks import Refusal, ToolRequest
from zot_ext.limits import ExtensionLimits
from zot_provider.errors import ConfigError
from zot_provider.messages import Message

_SAID = re.compile(r"^\[(?:the|some) tools of extension (.+) are (?:(not there)|there now)\]$", re.MULTILINE)
"""A line of a message for the model about the tools of an extension."""


class Attendance:
    """The attendance of `members`, which may change. Hold `lock` while they start or are waited for."""

    def __init__(self, members: Sequence[ManagedExtension], limits: ExtensionLimits, *, strict: bool) -> None:
        """With `strict` nothing is done while something is missing."""
        self._members, self._limits, self._strict = members, limits, strict
        self.lock, self._deadline = asyncio.Lock(), 0.0
        self.settled = False
        """Whether nobody has to be waited for any more."""
        self.closed = False
        """Whether none may start any more."""

    def begin(self) -> float:
        """They are about to start; return when nobody waits for them any more, by the clock of the loop."""
        self.settled = False
        self._deadline = asyncio.get_running_loop().time() + self._limits.ready_total_seconds
        return self._deadline

    async def wait(self) -> None:
        """Return once they have registered, in this run or the last one, or their time is over."""
        waiting = [each for each in self._members if each.late is None and not each.started.done()]
        left = self._deadline - asyncio.get_running_loop().time()
        if waiting:  # without time left, too: their start must have begun before it is given up
            await asyncio.wait([each.started for each in waiting], timeout=max(left, 0))
        # Extensions written for pi count on it that nothing runs before they are loaded: a guard must not fail open.
        if loading := [each.started for each in waiting if each.found.pi and not each.started.done()]:
            await asyncio.wait(loading, timeout=self._limits.hello_seconds)
        if busy := [each.started for each in waiting if each.running and not each.started.done()]:
            await asyncio.wait(busy, timeout=self._limits.busy_seconds)
        for each in waiting:
            if not each.started.done():
                each.progress.give_up()
        self.settled = True

    def _absence(self) -> str:
        for member in self._members if self._strict else ():
            if why := member.progress.absence:
                return f"--strict-extensions: extension {member.name} is not there: {why}"
        return ""

    def check(self) -> None:
        """Raise `ConfigError` if something must not be missing."""
        if why := self._absence():
            raise ConfigError(why)

    async def refuse(self, _: ToolRequest) -> Refusal | None:
        """Refuse a call, also one of a sub-agent, if something has gone that must not be missing."""
        return Refusal(why) if (why := self._absence()) else None

    async def flags_served(self) -> Refusal | None:
        """Wait for the extensions whose flags are on the command line. Without one of them a run is not what the person
        has asked for: it may be one on another machine."""
        for member in self._members:
            if member.flags is None or not member.flags.given:
                continue
            await asyncio.wait([member.started], timeout=self._limits.hello_seconds)
            if member.failure or not member.started.done():
                why = member.failure or "it has not started yet"
                return Refusal(f"extension {member.name} has --{member.flags.given[0]} and does not run: {why}")
        return None

    def attach(self, agent: Agent) -> None:
        """Tell the model of an agent which tools are missing, unless its conversation says so."""
        new, known = NewMessages(agent.history), set[str]()

        def news(_: int) -> list[Message]:
            messages, again = new.read()
            if again:
                known.clear()
            for name, gone in (said for each in messages if each.hidden for said in _SAID.findall(each.hidden)):
                (known.add if gone else known.discard)(name)
            missing = {each.name: each.progress.missing_tools for each in self._members}
            # Not why: the words of an extension are not for the model, unless it may write to it.
            lines = [
                f"[{what} of extension {name} are not there]"
                for name, what in missing.items()
                if what and name not in known
            ]
            lines += [f"[the tools of extension {name} are there now]" for name in known if missing.get(name) == ""]
            text = "\n".join(sorted(lines))
            return [user_message(text, hidden=text)] if text else []

        agent.hooks.extra_messages.add(news)
