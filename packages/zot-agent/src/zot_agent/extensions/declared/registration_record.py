"""`RememberedRegistrations`: what an extension registered in its last run, for the next one."""

import json
import os
from binascii import crc32
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import USUAL, InterceptOptions, read_options
from zot_agent.extensions.discover import DiscoveredExtension, ResourcePaths, own_files
from zot_agent.extensions.registry import RegistrationError, ToolOffer, tool_offer
from zot_agent.version import __version__
from zot_core.conversation.commands import Command
from zot_ext.limits import ExtensionLimits
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.files.sha256 import sha256_hex
from zot_provider.record import Record
from zot_provider.request import Sampling

if TYPE_CHECKING:
    from zot_agent.extensions.requests import RequestFrame

MOST_FILES = 200
"""How many extensions, with other arguments each, are remembered."""
LARGEST = 8 << 20
"""The most bytes of a file; more is not remembered."""
_HASHED = 1 << 20
"""Bytes of a file of the program above which its size and times stand for its content."""


class NamesAndEvents(Record):
    """Names of commands in lower case, of tools, of events that are observed and intercepted, and of those intercepted
    with options."""

    commands: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    observes: frozenset[str] = frozenset()
    intercepts: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()

    def without(self, other: "NamesAndEvents") -> "NamesAndEvents":
        """Return what `other` does not have."""
        fields = ("commands", "tools", "observes", "intercepts", "options")
        return NamesAndEvents(**{name: getattr(self, name) - getattr(other, name) for name in fields})


class LastRun(Record):
    """The registrations of an extension's last run: the groups that it asked for, its tools as they were accepted, its
    commands and subscriptions as it named them, and what it brought."""

    capabilities: list[str]
    tools: list[ToolOffer]
    commands: list[Command]
    events: list[str]
    intercept: list[str]
    intercept_options: dict[str, Any]
    brought: ResourcePaths

    @property
    def names(self) -> NamesAndEvents:
        """The names in it."""
        return NamesAndEvents(
            frozenset(each.name.removeprefix("/").lower() for each in self.commands),
            frozenset(each.name for each in self.tools),
            frozenset(self.events),
            frozenset(self.intercept),
            frozenset(self.intercept_options),
        )


class RememberedRegistrations:
    """A file below `home` for the extension `found`, its folder and its arguments, with what it registers.

    The tools, which may be hundreds, are kept as they were accepted: a first request does not wait until each is
    decoded and checked again. So the first line has a checksum of the second. Another program, another manifest,
    another version of zot or of the file, a sign-in, or a start that was not complete, makes it count as missing; so
    does damage, which `log` gets a line about. Only what has been refused without the extension still is: see `guards`.
    """

    def __init__(
        self, found: DiscoveredExtension, home: str, limits: ExtensionLimits, log: Callable[[str], None]
    ) -> None:
        self.path = os.path.join(home, "remembered", f"{_identity(found)}.jsonl")
        self.before = NamesAndEvents()
        """The result of `load`."""
        self.guards: dict[str, InterceptOptions] = {}
        """The events that it intercepted, after `load`. After a change of it, those alone which it blocks."""
        self._about = {"format": 4, "name": found.name, "zot": __version__, "program": _program(found)}
        self._extension, self._limits, self._log = found.name, limits, log
        self._stored = b""
        self._commands: dict[str, frames.RegisterCommand] = {}  # by names in lower case
        self._tools: dict[str, frames.RegisterTool] = {}
        self._events: dict[str, None] = {}  # in order
        self._intercept: dict[str, None] = {}
        self._options: dict[str, Any] = {}
        self.brings = ResourcePaths()
        """The skills, prompt templates and themes that it brings in the present run."""

    def load(self) -> LastRun | None:
        """Return what was registered in the last run; None if that is not known."""
        try:
            data = read_regular(self.path, LARGEST)
            first, _, rest = data.partition(b"\n")
            about = json.loads(first)
            written = about.pop("crc32", "")
            known = about == self._about
            if not known and [about.get(name) for name in ("format", "name")] != [
                self._about["format"],
                self._extension,
            ]:
                return None
            if written != crc32(rest):
                raise ValueError("it has been changed")
            last = self._read(json.loads(rest))
            options = read_options(last.intercept_options, self._log)
            guards = {event: options.get(event, USUAL) for event in last.intercept}
            self.guards = {event: each for event, each in guards.items() if known or each.blocks}
            if not known:
                return None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            self._log(f"what it registered in its last run cannot be read: {self.path}: {error}")
            return None
        self._stored, self.before = data, last.names
        return last

    def _read(self, fields: dict[str, Any]) -> LastRun:
        """Return what `save` has written."""
        fields["tools"] = [self._read_offer(each) for each in fields["tools"]]
        fields["commands"] = [
            Command(self._extension, name, description, hidden=hidden)
            for name, description, hidden in fields["commands"]
        ]
        fields["brought"] = ResourcePaths(*map(tuple, fields["brought"]))
        return LastRun(**fields)

    def note(self, frame: "frames.FromExtension") -> None:
        """Take note of a frame of the present run."""
        match frame:
            case frames.RegisterCommand(name):
                self._commands[name.removeprefix("/").lower()] = frame
            case frames.RegisterTool(name):
                self._tools[name] = frame
            case frames.UnregisterTool(name):
                self._tools.pop(name, None)
            case frames.Subscribe(events, intercept, options):
                self._events |= dict.fromkeys(events)
                self._intercept |= dict.fromkeys(intercept)
                self._options |= {} if options is None else options.value
            case _:
                pass

    def has(self, frame: "RequestFrame") -> bool:
        """Whether the tool or the command that a request is about was noted."""
        match frame:
            case frames.ToolCall(name=name):
                return name in self._tools
            case frames.CommandInvoked(name=name):
                return name.lower() in self._commands
        return True

    def stale(self) -> NamesAndEvents:
        """Return what was remembered and is not registered any more."""
        names = (self._commands, self._tools, self._events, self._intercept, self._options)
        return self.before.without(NamesAndEvents(*(frozenset(each) for each in names)))

    def save(self, capabilities: Sequence[str]) -> None:
        """Store what was noted, and the groups that the extension has asked for, if that differs from what is stored. A
        failure is logged; it costs only time."""
        now = {
            "capabilities": [name for name in capabilities if name in frames.CAPABILITIES],
            "tools": list(filter(None, map(self._offer, self._tools.values()))),
            "commands": [[each.name, each.description, each.hidden] for each in self._commands.values()],
            "events": list(self._events),
            "intercept": list(self._intercept),
            "intercept_options": self._options,
            "brought": [self.brings.skills, self.brings.prompts, self.brings.themes],
        }
        try:
            rest = json.dumps(now).encode()
            data = json.dumps(self._about | {"crc32": crc32(rest)}).encode() + b"\n" + rest
            if data == self._stored or len(data) > LARGEST:
                return
            make_private(os.path.dirname(self.path))
            if not self._stored:
                _prune(os.path.dirname(self.path))
            replace_file(self.path, data, mode=0o600)
        except (OSError, RecursionError) as error:  # values can be nested too deeply to be written
            self._log(f"what it registers cannot be kept for the next run: {error}")
        else:
            self._stored = data

    def _offer(self, frame: "frames.RegisterTool") -> dict[str, Any] | None:
        """Return the fields of an accepted tool without defaults; None for a refused tool."""
        try:
            offer = tool_offer(self._extension, frame, self._limits)
        except RegistrationError:
            return None
        usual = ToolOffer(self._extension, offer.name, offer.description, offer.schema)
        names: tuple[str, ...] = ToolOffer.__match_args__
        given = {"name", "description", "schema"}
        changed = {
            name: value for name in names if (value := getattr(offer, name)) != getattr(usual, name) or name in given
        }
        if offer.sampling is not None:
            changed["sampling"] = [offer.sampling.kind, offer.sampling.grammar]
        return changed

    def _read_offer(self, fields: dict[str, Any]) -> ToolOffer:
        """Return the tool that `_offer` wrote."""
        if "sampling" in fields:
            fields["sampling"] = Sampling(*fields["sampling"])
        return ToolOffer(self._extension, **fields)

    def outdate(self) -> None:
        """The next run uses only the guards that are stored."""
        self._stored = b""
        self._outdate(self.path)

    def outdate_all(self) -> None:
        """Outdate every extension of this name, in any folder."""
        self._stored = b""
        with suppress(OSError):
            for path in [each.path for each in os.scandir(os.path.dirname(self.path)) if each.name.endswith(".jsonl")]:
                self._outdate(path)

    def _outdate(self, path: str) -> None:
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            first, _, rest = read_regular(path, LARGEST).partition(b"\n")
            about = json.loads(first)
            if about.get("name") == self._extension and about.get("program"):
                replace_file(path, json.dumps(about | {"program": ""}).encode() + b"\n" + rest, mode=0o600)


def _identity(found: DiscoveredExtension) -> str:
    """Return a hash of the folder and the command. A file that zot gives to the program counts with its content: an
    editor's servers are in another file every time."""
    given = {*found.reads}
    words = [_content(word) if given and os.path.realpath(word) in given else word for word in found.manifest.args]
    text = "\0".join([os.path.realpath(found.directory), found.manifest.exec, *words])
    return sha256_hex(text.encode("utf-8", "replace"))[:32]


def _program(found: DiscoveredExtension) -> str:
    """Return a hash of the files that decide what an extension registers."""
    text = "\0".join(f"{path} {_content(path)}" for path in own_files(found))
    return sha256_hex(text.encode("utf-8", "replace"))


def _content(path: str) -> str:
    """Return what distinguishes the content of a file from any other."""
    try:
        status = os.stat(path)
        if status.st_size > _HASHED:
            return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        return sha256_hex(read_regular(path, _HASHED))
    except OSError:
        return "-"


def _prune(folder: str) -> None:
    """Make room for one more file: remove the oldest ones."""
    paths = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".jsonl")]
    for path in sorted(paths, key=os.path.getmtime)[: max(len(paths) - MOST_FILES + 1, 0)]:
        os.unlink(path)
