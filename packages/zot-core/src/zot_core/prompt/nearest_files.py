"""`NearestInstructions`: the `AGENTS.md` of a folder below the working directory, added to the first result that
touches the folder.

They are never in the system prompt, which stays the same from request to request. Where the conversation has lost
them, by a compaction or because it was taken back, the next result that touches the folder has them again.
"""

import os
import re
from collections.abc import Callable
from typing import Protocol

from zot_core.display import INSTRUCTIONS
from zot_core.errors import ToolError
from zot_core.hooks import Hooks, ToolOutcome
from zot_core.prompt.context_files import CLAUDE, NAME, open_to_all
from zot_core.tools.definition.context import ToolContext
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.record import Record

_CD = re.compile(r"(?:\A|[;&|(\n])[ \t]*cd[ \t]+(?:\"([^\"\n$`]+)\"|'([^'\n]+)'|([\w./~@+-]+)(?=[\s;&|)]|\Z))")
_FOR_WORK = ", for work in "
_HIT = re.compile(r"^([^\n:\0]{1,400}):\d{1,9}: ", re.MULTILINE)
"""A row of a search: `path:line: text`."""


class NearestLimits(Record):
    """Bytes of one file, files that are added to one result, paths of a result that are looked at, and folders above
    each of them."""

    bytes: int = 16 * 1024
    files: int = 3
    paths: int = 20
    folders: int = 10


class ReadHistory(Protocol):
    """The members of a history in use here: see `MessageHistory`."""

    resets: int

    @property
    def messages(self) -> list[Message]: ...


class TouchingAgent(Protocol):
    """The members of an agent in use here: see `AgentState`."""

    hooks: Hooks

    @property
    def history(self) -> ReadHistory: ...

    @property
    def context(self) -> ToolContext: ...


class NearestInstructions:
    """Adds instructions to the results of one agent, and of its sub-agents."""

    def __init__(
        self,
        agent: TouchingAgent,
        trusted: Callable[[], bool],
        *,
        claude: bool = True,
        limits: NearestLimits | None = None,
    ) -> None:
        """`trusted` says whether the person trusts the working directory. `claude`: a `CLAUDE.md` counts where there is
        no `AGENTS.md`."""
        self._agent, self._trusted = agent, trusted
        self._names = (NAME, CLAUDE) if claude else (NAME,)
        self._limits = limits or NearestLimits()
        self._done: set[tuple[str, str]] = set()
        """The folders that were looked at, each with the id of the sub-agent that has touched it."""
        self._resets = -1  # those of the history when `_done` was true of it

    def attach(self) -> None:
        """Begin, with the next result."""
        self._agent.hooks.tool_result.add(self._on_result)

    async def _on_result(self, outcome: ToolOutcome) -> ToolOutcome | None:
        call, result = outcome.call, outcome.result
        context = self._agent.context.replace(cwd=call.cwd or self._agent.context.cwd)
        failed = result.is_error and "exit_code" not in (result.details or {})  # a command that fails was there, too
        if failed or call.by or context.home or not self._trusted() or open_to_all(context.cwd):
            return None
        root = await context.files.real(context.cwd)
        if self._resets != self._agent.history.resets:
            self._resets, self._done = self._agent.history.resets, self._in_history(root)
        notes: list[TextBlock] = []
        for path in await self._touched(outcome, context):
            nearest: list[TextBlock] = []
            for folder in reversed(self._chain(path, root)):
                key = (call.agent_id, folder)
                if key in self._done or len(notes) + len(nearest) == self._limits.files:
                    continue
                self._done.add(key)
                if path in (os.path.join(folder, name) for name in self._names):
                    continue  # it has just been read
                if text := await self._read(folder, root, context):
                    nearest.append(TextBlock(text))
            notes += reversed(nearest)
        return outcome.replace(result=result.replace(content=[*result.content, *notes])) if notes else None

    def _in_history(self, root: str) -> set[tuple[str, str]]:
        """Return the folders whose instructions the conversation has: it may be an earlier one, or have lost some."""
        results = (block for message in self._agent.history.messages for block in message.content)
        notes = (note for block in results if isinstance(block, ToolResultBlock) for note in block.content[1:])
        named = (
            note.text.removeprefix(INSTRUCTIONS).partition(_FOR_WORK)[0]
            for note in notes
            if isinstance(note, TextBlock) and note.text.startswith(INSTRUCTIONS)
        )
        return {("", os.path.join(root, os.path.dirname(each))) for each in named}

    async def _touched(self, outcome: ToolOutcome, context: ToolContext) -> list[str]:
        """Return the real paths that a call has touched: the file or folder that it names, the files of the rows that
        it found, the folder that a command goes to."""
        from zot_core.tools.text.paths import resolve  # noqa: PLC0415  not before the first request

        named = outcome.call.arguments.get("path")
        command = outcome.call.arguments.get("command")
        found = [named] if isinstance(named, str) else []
        if isinstance(command, str):
            found += [goes[1] or goes[2] or goes[3] for goes in _CD.finditer(command[:1000])]
        found += dict.fromkeys(hit[1] for hit in _HIT.finditer(outcome.result.text))
        paths: list[str] = []
        for each in found[: self._limits.paths]:
            try:
                paths.append(await context.files.real(await resolve(each, context)))
            except (OSError, ToolError):
                continue
        return paths

    def _chain(self, path: str, root: str) -> list[str]:
        """Return the folders from below `root` down to a path, so that the nearest instructions come last; of a file
        the path itself is no folder, and has no instructions."""
        if not path.startswith(f"{root}{os.sep}"):
            return []
        parts = path[len(root) + 1 :].split(os.sep)
        first = max(len(parts) - self._limits.folders, 0) + 1
        return [os.path.join(root, *parts[:count]) for count in range(first, len(parts) + 1)]

    async def _read(self, folder: str, root: str, context: ToolContext) -> str:
        """Return the instructions of a folder with a line that names them; empty without any, or if a link leads out of
        `root`."""
        from zot_core.tools.text.encoding import shown  # noqa: PLC0415  not before the first request

        for name in self._names:
            path = os.path.join(folder, name)
            try:
                if not (await context.files.real(path)).startswith(f"{root}{os.sep}"):
                    continue
                data = await context.files.read(path, self._limits.bytes + 1)
            except OSError:
                continue
            text = shown(data[: self._limits.bytes].decode("utf-8", "replace")).strip()
            if not text or b"\0" in data:
                continue
            shorter = f"\n... [only its first {self._limits.bytes:,} bytes]" if len(data) > self._limits.bytes else ""
            shown_path = os.path.relpath(path, root)
            return f"{INSTRUCTIONS}{shown_path}{_FOR_WORK}{os.path.dirname(shown_path)}:]\n{text}{shorter}"
        return ""
