"""`KeptFacts`: what a compaction keeps of the messages that it replaces without asking the model: what the user has
written, the files that tools have read and changed, the tests that failed."""

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zot_core.compaction.render import shorten
from zot_core.errors import ToolError
from zot_core.result import kept_values
from zot_core.tools.definition.seen_files import SeenFiles
from zot_provider.messages import Message, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record, field
from zot_provider.wire.parts import plain_text

if TYPE_CHECKING:
    from zot_core.agent import Agent

_PROMPT, _PROMPTS = 4_000, 12_000
"""Characters of one message of the user, and of all."""
_FILES, _TESTS, _RUNS = 60, 40, 3
"""Files of a list, tests of one command, and commands that run tests; the last ones count."""
_COMMAND = 200

_FAILED = re.compile(
    r"^[ \t]*(?:"
    r"(?:\[gw\d+\] \[ *\d+%\] )?(?:FAILED|ERROR) (?P<pytest>[^\s:(][^\s:]*(?:::\S.*?)?)(?: - .*)?"
    r"|(?P<verbose>[^\s:]+::\S.*?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?"
    r"|--- FAIL: (?P<go>\S+).*"
    r"|test (?P<cargo>\S+) \.\.\. FAILED"
    r"|(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\)(?: [(\[].*)?)"
    r"|not ok \d+ -? ?(?P<tap>\S.*?)"
    r"|[✕×✗✖] (?P<node>\S.*?)(?: \(?\d[\d.]* ?m?s\)?)?"
    r"|● (?P<jest>\S.*? › .*)"
    r"|FAIL +(?P<vitest>\S+ > \S.*)"
    r"|\[  FAILED  \] (?P<gtest>[\w/]+\.[\w/]+).*"
    r"|rspec (?P<rspec>\S+) #.*"
    r"|\d+ - (?P<ctest>\S+) \(Failed\)"
    r")[ \t]*$",
    re.MULTILINE,
)
"""A line with the name of a failed test, as pytest, `go test`, cargo, unittest, TAP, Jest and node, RSpec and CTest
write it; also lines of `pytest -v`, of xdist, and of Vitest and GoogleTest."""


class KeptFacts(Record):
    """The user's messages as they were written, and how many older ones are left out; paths of files that were only
    read, and of changed files; by command the names of the tests that failed when it last ran; the commands after
    which files were changed; and what `SeenFiles` and tools keep, which the model does not read here."""

    prompts: list[str] = field(default_factory=list)
    left_out: int = 0
    read: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    failed: dict[str, list[str]] = field(default_factory=dict)
    outdated: list[str] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)
    carried: dict[str, Any] = field(default_factory=dict)

    def json(self) -> str:
        """Return the facts as the next compaction reads them; empty without any."""
        values = {name: getattr(self, name) for name in self.__match_args__}
        return json.dumps(values, ensure_ascii=False) if any(values.values()) else ""

    def text(self) -> str:
        """Return the facts as sections, for the model; empty without any."""
        quoted = ["\n".join(f"> {line}".rstrip() for line in each.splitlines()) for each in self.prompts]
        if self.left_out:
            quoted.insert(1, f"[... {self.left_out} later ones left out ...]")
        parts = [["## What the user has written, word for word", *quoted]] if quoted else []
        for title, paths in (("changed with tools", self.changed), ("only read", self.read)):
            if paths:
                parts.append([f"## Files that were {title}", "\n".join(f"- {path}" for path in paths)])
        for command, names in self.failed.items():
            when = ", before later changes" if command in self.outdated else ""
            title = f"## Tests that failed when `{command}` last ran{when}"
            parts.append([title, "\n".join(f"- {name}" for name in names)])
        return "\n\n".join(text for part in parts for text in part)

    def add_prompt(self, text: str) -> None:
        """Add a message of the user. The first one stays, and the last ones."""
        self.prompts.append(shorten(text, _PROMPT))
        while len(self.prompts) > 2 and sum(map(len, self.prompts)) > _PROMPTS:
            del self.prompts[1]
            self.left_out += 1

    def add_file(self, path: str, *, writes: bool) -> None:
        """Add a file that a tool has read or changed."""
        if path in self.read:
            self.read.remove(path)
        if writes:
            self.outdated = [*self.failed]
        if writes and path in self.changed:
            self.changed.remove(path)
        if writes or path not in self.changed:
            paths = self.changed if writes else self.read
            paths.append(path)
            del paths[:-_FILES]

    def add_run(self, command: str, output: str) -> None:
        """Add what a command has printed, which may have run tests."""
        command = shorten(" ".join(command.split()), _COMMAND).replace("\n", " ")
        self.failed.pop(command, None)
        self.outdated = [each for each in self.outdated if each != command]
        if names := failed_tests(output):
            self.failed[command] = names[-_TESTS:]
            while len(self.failed) > _RUNS:
                del self.failed[next(iter(self.failed))]


def failed_tests(output: str) -> list[str]:
    """Return the names of the tests that failed, each once, in order."""
    found = (next(filter(None, match.groups())) for match in _FAILED.finditer(output))
    return list(dict.fromkeys(name[:300] for name in found))


async def kept_facts(agent: "Agent", messages: Sequence[Message]) -> KeptFacts:
    """Return the facts of messages that a summary replaces; an earlier summary among them has its own."""
    facts, here, seen = _stored(kept_values(messages[0]) if messages else {}), agent.place.here, SeenFiles()
    await seen.follow(messages, here.cwd, here.files)
    facts.seen = seen.stored()
    facts.carried = {name: each.value for name, tool in agent.tools.items() if (each := tool.carry(messages))}
    root = await agent.context.files.real(agent.context.cwd)
    for message, after in zip(messages, [*messages[1:], None], strict=True):
        if message.role == "user" and _is_typed(message):
            facts.add_prompt(message.text if message.display_text is None else message.display_text)
        results = {each.call_id: each for each in (after.content if after else ()) if isinstance(each, ToolResultBlock)}
        for call in message.tool_calls:
            if call.id in results:
                with suppress(ToolError, OSError, ValueError):  # a call that no tool takes
                    await _add_call(agent, facts, call, results[call.id], root)
    return facts


async def _add_call(agent: "Agent", facts: KeptFacts, call: ToolCallBlock, result: ToolResultBlock, root: str) -> None:
    arguments = call.parsed()
    command = arguments.get("command")
    if isinstance(command, str):
        facts.add_run(command, plain_text(result.content))
    tool = agent.tools.get(call.name)
    found = None if tool is None or result.is_error else await tool.access(arguments, agent.context)
    if found is not None and found.path is not None:
        below = found.path.startswith(f"{root}{os.sep}")
        facts.add_file(os.path.relpath(found.path, root) if below else found.path, writes=found.writes)


def _is_typed(message: Message) -> bool:
    """Whether a person, or a program in the place of one, has written a message."""
    return not message.hidden and message.summarized_tokens is None and not message.extension


def _stored(values: dict[str, Any]) -> KeptFacts:
    """Read the facts in the row of a summary; what is not as it was written counts as nothing."""
    failed, left_out = values.get("failed"), values.get("left_out")
    runs = failed.items() if isinstance(failed, dict) else ()
    return KeptFacts(
        _texts(values.get("prompts")),
        left_out if isinstance(left_out, int) else 0,
        _texts(values.get("read")),
        _texts(values.get("changed")),
        {command: names for command, each in runs if (names := _texts(each))},
        _texts(values.get("outdated")),
    )


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
