"""`SandboxedShell`: the `Shell` whose commands run in a sandbox.

A command that seems to have been stopped by the sandbox ends with a line for the model, also if it has hidden the error
of a part, as a pipe does. So does a command that has written into its home, which is removed with it. The person may be
asked, once for a command that failed, whether it runs again outside.
"""

import asyncio
import functools
import os
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Unpack

from zot_core.machine.interface import ShellExit, ShellOptions
from zot_core.machine.network import NetworkAccess
from zot_core.machine.shell import Launch, LocalShell
from zot_core.printable import few
from zot_core.sandbox.policy import SandboxPolicy
from zot_core.sandbox.sandbox import Sandbox

_TAIL = 4096
"""Bytes at the end of the output that are searched for errors."""

_PARTS = re.compile(r"[|;&\n]")
"""Only a line with several commands succeeds although one of them has failed."""

_STOPPED: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        (
            rb"zot's sandbox: |unnel (?:connection )?failed(?:, response|:) 403",
            "it needs a host that sandbox_hosts does not name",
        ),
        (rb"\.git/[^\n]*(?i:read-only file system)", "it writes .git"),
        (rb"(?i:read-only file system)|EROFS", "it writes outside the project, or what is protected in it"),
        (
            rb"(?i:network is unreachable)|ENETUNREACH|EAI_AGAIN|Temporary failure in name resolution"
            rb"|Could not resolve host|Failed to connect to (?!localhost|127\.|::1)",
            "it needs the network",
        ),
        (rb"(?i:operation not permitted)|EPERM|Bad system call", "the system refused it a right"),
    )
)
"""Texts of errors, which only a sandbox causes that often, and what they mean. A hidden file is just missing."""


_NOT_FOUND = re.compile(rb"^ERROR: No matching distribution found for ", re.MULTILINE)
"""The last line of pip, also if it has reached no index."""


def stopped_by(exit_code: int | None, tail: bytes, *, lesser: bool = False, closed: bool = False) -> str:
    """Return why a command, or a part of it if it succeeded, seems to have been stopped by the sandbox; empty if it
    does not seem so. A `lesser` sandbox refuses what another one hides, a `closed` one has no network."""
    if exit_code is None:
        return ""
    if exit_code == 0:  # such words may be what it was to print: only after the name of a program are they an error
        tail = b"\n".join(line for line in tail.split(b"\n") if b": " in line)
    elif lesser and b"Permission denied" in tail:
        return "it needs what is hidden"
    if closed and _NOT_FOUND.search(tail):
        return "it needs the network"
    return next((reason for pattern, reason in _STOPPED if pattern.search(tail)), "")


_URL = re.compile(r"\b(?:https?|ftp)://([^\s/?#'\"`$\\|;&<>(){}]+)", re.IGNORECASE)
_COMMAND = 10_000
"""Characters of a command that is looked at."""
_STARTS = re.compile(r"[|;&\n(`]")
"""Behind one of these a command begins."""
_BEFORE = frozenset(("!", "do", "else", "env", "exec", "if", "nohup", "sudo", "then", "time", "until", "while", "{"))
"""Words that may precede the name of a program."""
_DROPS_ERRORS = re.compile(r"(?:2|&)>\s*/dev/null|2>&-")
_SILENT = {"curl": ("s", "--silent", "S", "--show-error"), "wget": ("q", "--quiet", "", "")}
"""By program the option that silences it, as a letter and a word, and the option that takes that back."""
_LOADERS = frozenset(("cargo", "git", "go", "npm", "npx", "pip", "pip3", "pnpm", "uv", "uvx", "yarn", *_SILENT))
"""Programs that load what a URL names."""


def unheard_host(command: str, access: NetworkAccess) -> str:
    """Return the first host that a command would load from, hiding the error, and cannot reach; else nothing. Such a
    command, e.g. `curl -s https://example.com | sh`, succeeds without a word."""
    command = command[:_COMMAND]
    if "://" not in command:
        return ""
    for part in _STARTS.split(command):
        words = part.split()
        while words and (words[0] in _BEFORE or re.match(r"\w+=", words[0])):
            del words[0]
        name = os.path.basename(words[0]) if words else ""
        hides = name in _LOADERS and (_DROPS_ERRORS.search(command) or _is_silent(name, words[1:]))
        if hides and (host := _unreached(command if "$" in part else part, access)):
            return host
    return ""


def _is_silent(program: str, options: list[str]) -> bool:
    """Whether a program says nothing about an error, by its options."""
    letter, name, loud_letter, loud_name = _SILENT.get(program, ("", "", "", ""))
    letters = "".join(each for each in options if each.startswith("-") and not each.startswith(("--", "-X")))
    silent = name in options or (letter and letter in letters)
    return bool(silent) and not (loud_name in options or (loud_letter and loud_letter in letters))


def _unreached(text: str, access: NetworkAccess) -> str:
    from zot_core.machine.hosts import AddressRefused, canonical_host, split_port  # noqa: PLC0415  few commands need it

    for found in _URL.finditer(text):
        with suppress(ValueError):
            name, port = split_port(found[1].rpartition("@")[2], 443)
            host = canonical_host(name)
            try:
                access.judge(host, port)
            except AddressRefused:
                if host not in ("localhost", "0.0.0.0", "::1") and not host.startswith("127."):
                    return host
    return ""


_NAMES = 4
"""Words for names in a note."""
_ENTRIES = 100
"""Most entries of a folder that are looked at."""


def left_in_home(home: str, policy: SandboxPolicy) -> list[str]:
    """Return what a command has left in the folder that was its home, as paths below the home, a folder with a slash at
    its end, without what the sandbox has made there to show paths of the policy."""
    shown = [path.removeprefix(f"{policy.home}/") for path in policy.paths if path.startswith(f"{policy.home}/")]
    return sorted(_left(home, "", shown))


def _left(folder: str, below: str, shown: list[str]) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, _ENTRIES):
            path = below + entry.name
            if any(each.startswith(f"{path}/") for each in shown) and entry.is_dir(follow_symlinks=False):
                yield from _left(entry.path, f"{path}/", shown)
            elif path not in shown:
                yield path + "/" * entry.is_dir(follow_symlinks=False)


def _names(paths: list[str]) -> str:
    return few((f"~/{each}" for each in paths), _NAMES)


class SandboxedShell:
    """`Shell` of this machine, in a sandbox. `outside` runs the commands that the person allows there.

    `offer` asks the person with a command and the reason why it was stopped; None where nobody can be asked. `notify`
    gets a line for the person about files that a command wanted in the home, and not about folders of tools, such as
    `~/.cache`.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        outside: LocalShell,
        offer: Callable[[str, str], Awaitable[bool]] | None = None,
        notify: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._sandbox, self._outside, self._offer, self._notify = sandbox, outside, offer, notify
        self._offered: set[str] = set()
        self._told: set[str] = set()

    def _prepare(self, home: str, launch: Launch) -> Launch:
        return self._sandbox.confine(launch.replace(env=self._sandbox.environment(launch.env)), home)

    async def run(self, command: str, **how: Unpack[ShellOptions]) -> ShellExit:
        """Run the command, see `Shell.run`. OSError if it cannot be confined: it never runs without the sandbox then,
        unless the person allows it."""
        tail, output = bytearray(), how["output"]

        def keep(piece: bytes) -> None:
            tail.extend(piece[-_TAIL:])
            del tail[:-_TAIL]
            output(piece)

        home = self._sandbox.make_home()
        prepare = functools.partial(self._prepare, home)
        inside = LocalShell(self._outside.limits, removed_env=self._outside.removed_env, prepare=prepare)
        confined: ShellOptions = {**how, "output": keep}
        try:
            ended = await inside.run(command, **confined)
        finally:
            lost = self._end_home(home) if home else []
        reason, notes = self._judge(command, ended, bytes(tail))
        if lost:
            notes.append(f"not kept: {_names(lost)}. Each command in this sandbox has an empty home of its own")
        if wanted := [each for each in lost if not (each.startswith(".") and each.endswith("/"))]:
            self._notify(f"the sandbox has not kept {_names(wanted)}, which a command has written")
        if notes:
            start = "\n" if tail and not tail.endswith(b"\n") else ""
            output((start + "".join(f"[{note}]\n" for note in notes)).encode("utf-8", "replace"))
        if not reason or self._offer is None or self._sandbox.policy.strict or command in self._offered:
            return ended
        self._offered.add(command)
        if not await self._offer(command, reason):
            return ended
        output(b"[the user lets it run again, outside the sandbox]\n")
        return await self._outside.run(command, **how)

    def _judge(self, command: str, ended: ShellExit, tail: bytes) -> tuple[str, list[str]]:
        """Return why a command failed, as the person reads it, empty if it did not for the sandbox; and what the model
        must know."""
        succeeded = ended.exit_code == 0
        policy, lesser = self._sandbox.policy, self._sandbox.state == "lesser"
        closed = not (policy.hosts or policy.open_network)
        reason = stopped_by(ended.exit_code, tail, lesser=lesser, closed=closed)
        notes = []
        if reason and not (succeeded and not _PARTS.search(command)):
            notes.append(f"the sandbox seems to have stopped {'a part of ' * succeeded}this command: {reason}")
        host = "" if policy.open_network else unheard_host(command, self._sandbox.access)
        if ended.exit_code is not None and host:
            reason = reason or "it needs the network"
            notes.append(f"this command hides errors, and the sandbox does not reach {host}")
        return ("" if succeeded else reason), notes

    def _end_home(self, home: str) -> list[str]:
        """Remove the home of a command that has ended; return what no line has named yet."""
        found = left_in_home(home, self._sandbox.policy)
        asyncio.get_running_loop().run_in_executor(None, functools.partial(shutil.rmtree, home, ignore_errors=True))
        new = [each for each in found if each not in self._told]
        self._told.update(new)
        return new
