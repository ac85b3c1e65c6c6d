"""`AbsentExtensions`: says to the model, and to those who want it strict, what of the extensions is not there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from zot_agent.extensions.managed import ManagedExtension
from zot_core.hooks import Refusal
from zot_provider.errors import ConfigError
from zot_provider.messages import Message


class AbsentExtensions:
    """The missing parts of the extensions that `members` returns."""

    def __init__(self, members: Callable[[], Sequence[ManagedExtension]], *, strict: bool) -> None:
        """With `strict` nothing is done while something is missing."""
        self._members, self._strict = members, strict
        self._told: set[str] = set()  # the names of those about whose tools the model knows

    def check(self) -> None:
        """Raise `ConfigError` if something must not be missing."""
        for member in self._members() if self._strict else ():
            if why := member.progress.absence:
                raise ConfigError(f"--strict-extensions: extension {member.name} is not there: {why}")

    async def flags_served(self, seconds: float) -> Refusal | None:
        """Wait so long for the extensions whose flags are on the command line. Without one of them a run is not what
        the person has asked for: it may be one on another machine."""
        for member in self._members():
            if member.flags is None or not member.flags.given:
                continue
            await asyncio.wait([member.started], timeout=seconds)
            if member.failure or not member.started.done():
                why = member.failure or "it has not started yet"
                return Refusal(f"extension {member.name} has --{member.flags.given[0]} and does not run: {why}")
        return None

    def news(self, step: int) -> list[Message]:
        """Return what the model does not know yet, as a message. A handler of the hook `extra_messages`."""
        missing = {each.name: each.progress.missing_tools for each in self._members()}
        gone = {name for name, what in missing.items() if what}
        # Not why: the words of an extension are not for the model, unless it may write to it.
        lines = [f"[{missing[name]} of extension {name} are not there]" for name in gone - self._told]
        lines += [f"[the tools of extension {name} are there now]" for name in self._told - gone]
        self._told = gone
        if not lines:
            return []
        from zot_core.agent import user_message  # noqa: PLC0415  few extensions are absent

        text = "\n".join(sorted(lines))
        return [user_message(text, hidden=text)]
