"""`NearestInstructions`: the `AGENTS.md` of a folder below the working directory, added to the first result that
touches the folder: of a call that names it or something in it, or that has found a line of a file in it. For a file
that a prompt has, they follow the prompt. A word of a command is a path by its position: with a slash anywhere, without
one where a command would enter it, or as an argument of a program that takes folders. So neither `npm test` nor the
prose of a commit message touches the folder `test`.

They are never in the system prompt, which stays the same from request to request. Where the conversation has lost
them, by a compaction or because it was taken back, the next result that touches the folder has them again.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Protocol

from zot_core.clock import timestamp
from zot_core.display import INSTRUCTIONS
from zot_core.errors import ToolError
from zot_core.hooks import Compaction, Hooks, ToolOutcome
from zot_core.machine.interface import expand_home
from zot_core.prompt.context_files import CLAUDE, NAME, open_to_all
from zot_core.tools.definition.attached_files import attached_files
from zot_core.tools.definition.context import ToolContext
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.record import Record

_FOR_WORK = ", for work in "
# Texts, since a first request needs none of them: `re` keeps what it has compiled.
_HIT = r"(?m:^([^\n:\0]{1,400}):\d{1,9}(?=[:\s]|$))"
"""The beginning of a row of a search, and of a message of most compilers: `path:line:`."""
_FOUND = _HIT + r"|(?m:^([^\n:\0]{1,400})$)"
"""The same, or a row that is only a path."""
_NAMES_ONLY = r"\b(?:[ef]?grep|rg|ag|ack)\s(?:[^;|&\n]{0,400}\s)?-(?:[a-zA-Z]*l|-files-with-matches\b)"
"""A search whose rows are only paths."""
_WORD = (
    r"\"([^\"]{1,4000})\"|'([^']{1,4000})'|\$\w+|(?:[^\s\\\"'`$;|&()<>={}\[\],*?:!#]|\\.){1,400}"
    r"|([;|&(`]|(?<!\\)\n|(?<!\S)#[^\n]*)"
)
"""A word of a command, or what separates two commands, also a comment. A word in quotes may have words in it that are
paths."""
_ENTER = ("cd", "pushd", "-C", "--directory", "--prefix", "--cwd", "--dir")
_SEARCH = "ack|ag|fd|[ef]?grep|rg"
"""Programs whose first argument is a pattern."""
_TAKES_FOLDERS = f"cd|cp|diff|du|eslint|find|ls|ls-files|mkdir|mv|mypy|pytest|ruff|tree|{_SEARCH}"
"""Programs and subcommands of git whose arguments are often folders; only words without a slash depend on it."""
_ESCAPE = r"\\(.)"
_HERE = r"\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`"
"""The working directory, as commands name it."""
_HOME = r"\$HOME\b|\$\{HOME\}"


class NearestLimits(Record):
    """Bytes of one file, files that are added to one result, characters and words of a command that are looked at,
    folders in which a command may work, rows of other files that a result has found, and folders above each path."""

    bytes: int = 16 * 1024
    files: int = 3
    characters: int = 4000
    words: int = 100
    places: int = 5
    hits: int = 20
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


class _WorkingDirectory:
    """Where a call works. Its real path is looked up when it is first needed: most calls touch nothing in it."""

    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self._real = ""

    async def real(self) -> str:
        self._real = self._real or await self.context.files.real(self.context.cwd)
        return self._real

    async def has(self, path: str) -> bool:
        """Whether an absolute path is below it, by the name of one of its two paths."""
        return path.startswith(f"{self.context.cwd}{os.sep}") or path.startswith(f"{await self.real()}{os.sep}")


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
        self._looked = (-1, 0)  # those when its prompts were looked at, and how many messages it had

    def attach(self) -> None:
        """Begin, with the next prompt or result."""
        self._agent.hooks.extra_messages.add(self._on_turn)
        self._agent.hooks.tool_result.add(self._on_result)
        self._agent.hooks.compacted.add(self._forget)

    def _forget(self, compaction: Compaction) -> None:
        """Bring everything again to the agent whose conversation is compacted."""
        self._done = {key for key in self._done if key[0] != compaction.agent_id}

    async def _on_result(self, outcome: ToolOutcome) -> ToolOutcome | None:
        call, result, context = outcome.call, outcome.result, self._agent.context
        if call.by or context.home or not self._trusted():
            return None
        place = _WorkingDirectory(context.replace(cwd=call.cwd) if call.cwd else context)
        said = "\n".join([result.text, *(each for each in call.arguments.values() if isinstance(each, str))])
        notes = await self._notes(await self._touched(outcome, place), place, said, call.agent_id)
        return outcome.replace(result=result.replace(content=[*result.content, *notes])) if notes else None

    async def _on_turn(self, _: int) -> list[Message]:
        """Return the instructions for the files that new messages of the user have, which may be changed unread."""
        context, messages = self._agent.context, self._agent.history.messages
        resets = self._agent.history.resets
        start = self._looked[1] if self._looked[0] == resets else 0
        new, self._looked = [each for each in messages[start:] if each.role == "user"], (resets, len(messages))
        names = dict.fromkeys(name for each in new for name, _ in attached_files(each.text))
        if not names or context.home or not self._trusted():
            return []
        place = _WorkingDirectory(context)
        touched = await self._there(islice(names, self._limits.hits), [context.cwd], place)
        notes = await self._notes([*touched], place, "\n".join(each.text for each in new))
        return [Message("user", [*notes], timestamp(), hidden="instructions for the attached files")] if notes else []

    async def _notes(
        self, touched: list[str], place: _WorkingDirectory, said: str, agent_id: str = ""
    ) -> list[TextBlock]:
        """Return the instructions for folders below `place` that no agent has and that were not `said`."""
        if not touched or open_to_all(place.context.cwd):
            return []
        root = await place.real()
        if self._resets != self._agent.history.resets:
            self._resets, self._done = self._agent.history.resets, self._in_history(root)
        notes: list[TextBlock] = []
        for below in touched:
            nearest: list[TextBlock] = []
            for folder in reversed(self._chain(below, root)):
                key = (agent_id, folder)
                if key in self._done or len(notes) + len(nearest) == self._limits.files:
                    continue
                self._done.add(key)
                if text := await self._read(folder, root, place.context, said):
                    nearest.append(TextBlock(text))
            notes += reversed(nearest)
        return notes

    def _in_history(self, root: str) -> set[tuple[str, str]]:
        """Return the folders whose instructions the conversation has: it may be an earlier one, or have lost some."""
        blocks = [block for message in self._agent.history.messages for block in message.content]
        added = (note for block in blocks if isinstance(block, ToolResultBlock) for note in block.content[1:])
        own = (block for message in self._agent.history.messages if message.hidden for block in message.content)
        named = (
            note.text.removeprefix(INSTRUCTIONS).partition(_FOR_WORK)[0]
            for note in chain(added, own)
            if isinstance(note, TextBlock) and note.text.startswith(INSTRUCTIONS)
        )
        return {("", os.path.join(root, os.path.dirname(each))) for each in named}

    async def _touched(self, outcome: ToolOutcome, place: _WorkingDirectory) -> list[str]:
        """Return the folders below `place` that a call has touched, as real paths: the folder of the path or the words
        that it names, and the folders of the rows that it has found. Words and rows of a command may begin in a folder
        that it names."""
        from zot_core.tools.text.paths import resolve  # noqa: PLC0415  not before the first request

        arguments, limits, context, found = outcome.call.arguments, self._limits, place.context, dict[str, None]()
        places = [context.cwd]
        if isinstance(named := arguments.get("path"), str):
            with suppress(OSError, ToolError):
                real = await context.files.real(await resolve(named, context))
                found |= await self._there([real], places, place)
        rows_of = _HIT
        if isinstance(command := arguments.get("command"), str):
            command = re.sub(_HOME, "~", re.sub(_HERE, ".", command[: limits.characters]))
            rows_of = _FOUND if re.search(_NAMES_ONLY, command) else _HIT
            words = islice(dict.fromkeys(_words(command)), limits.words)
            found |= await self._there(words, places, place)
        rows = dict[str, str]()  # one for each folder
        for hit in re.finditer(rows_of, outcome.result.text):
            path = hit[1] or hit[2]
            rows.setdefault(os.path.dirname(path), path)
        found |= await self._there(islice(rows.values(), limits.hits), places, place)
        return [*found]

    async def _there(self, paths: Iterable[str], places: list[str], place: _WorkingDirectory) -> dict[str, None]:
        """Return the folders below `place` of those paths that exist in one of `places`. A path that is a folder
        becomes one of these."""
        found, files = dict[str, None](), place.context.files
        for path in paths:
            for start in [*places]:
                target = os.path.normpath(os.path.join(start, expand_home(path, "")))
                if not await place.has(target):
                    continue
                try:
                    is_folder = (await files.stat(target)).kind == "directory"
                    real = await files.real(target)
                except (OSError, ValueError):  # no such file, or no path at all
                    continue
                folder = real if is_folder else os.path.dirname(real)
                if folder.startswith(f"{await place.real()}{os.sep}"):
                    found[folder] = None
                    if is_folder and folder not in places and len(places) < self._limits.places:
                        places.append(folder)
                break
        return found

    def _chain(self, path: str, root: str) -> list[str]:
        """Return the folders from below `root` down to one of them, so that the nearest instructions come last."""
        parts = path[len(root) + 1 :].split(os.sep)
        first = max(len(parts) - self._limits.folders, 0) + 1
        return [os.path.join(root, *parts[:count]) for count in range(first, len(parts) + 1)]

    async def _read(self, folder: str, root: str, context: ToolContext, said: str) -> str:
        """Return the instructions of a folder with a line that names them; empty without any, if the call has them in
        what it `said`, or if a link leads out of `root`."""
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
            if text in said:
                return ""
            shorter = f"\n... [only its first {self._limits.bytes:,} bytes]" if len(data) > self._limits.bytes else ""
            shown_path = os.path.relpath(path, root)
            return f"{INSTRUCTIONS}{shown_path}{_FOR_WORK}{os.path.dirname(shown_path)}:]\n{text}{shorter}"
        return ""


def _words(command: str, *, prose: bool = False) -> Iterator[str]:
    """Yield what may be paths in a command, in order: words, what is in quotes as a whole and its words, and what is
    glued to an option of one letter. What is in quotes may be `prose`, such as the message of a commit: there no word
    is the argument of a program."""
    before, program, arguments = "", "", 0
    for found in re.finditer(_WORD, command):
        quoted, word = found[1] or found[2], found[0]
        if found[3]:
            before, program, arguments = "", "", 0
            continue
        path = (quoted or re.sub(_ESCAPE, r"\1", word)).removesuffix("...")  # `go test ./api/...`
        option = word.startswith("-")
        argument = bool(program) and not option and not prose
        arguments += argument
        if "/" in path or before in _ENTER or (argument and arguments > bool(re.fullmatch(_SEARCH, program))):
            yield path
        if quoted:
            yield from _words(quoted, prose=True)
        elif option and len(path) > 2 and (word.startswith("-C") or "/" in path):
            yield path[2:]
        program = program or (word if re.fullmatch(_TAKES_FOLDERS, word) else "")
        before = word
