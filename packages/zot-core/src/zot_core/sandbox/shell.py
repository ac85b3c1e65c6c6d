"""`SandboxedShell`: the `Shell` whose commands run in a sandbox.

A command that seems to have been stopped by the sandbox ends with a line that says so to the model, and so does one
that has hidden the error of a part, as a pipe does. The person may be asked, once for a command that failed, whether it
runs again outside.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Unpack

from zot_core.machine.interface import ShellExit, ShellOptions
from zot_core.machine.shell import Launch, LocalShell
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
        (rb"\.git/[^\n]*Read-only file system", "it writes .git"),
        (rb"Read-only file system|EROFS", "it writes outside the project, or what is protected in it"),
        (
            rb"Network is unreachable|ENETUNREACH|EAI_AGAIN|Temporary failure in name resolution|Could not resolve host"
            rb"|Failed to connect to (?!localhost|127\.|::1)",
            "it needs the network",
        ),
        (rb"Operation not permitted|EPERM|Bad system call", "the system refused it a right"),
    )
)
"""Texts of errors, which only a sandbox causes that often, and what they mean. A hidden file is just missing."""


def stopped_by(exit_code: int | None, tail: bytes, *, lesser: bool = False) -> str:
    """Return why a command, or a part of it if it succeeded, seems to have been stopped by the sandbox; empty if it
    does not seem so. A `lesser` sandbox refuses what another one hides."""
    if exit_code is None:
        return ""
    if exit_code == 0:  # such words may be what it was to print: only after the name of a program are they an error
        tail = b"\n".join(line for line in tail.split(b"\n") if b": " in line)
    elif lesser and b"Permission denied" in tail:
        return "it needs what is hidden"
    return next((reason for pattern, reason in _STOPPED if pattern.search(tail)), "")


class SandboxedShell:
    """`Shell` of this machine, in a sandbox. `outside` runs the commands that the person allows there.

    `offer` asks the person with a command and the reason why it was stopped; None where nobody can be asked.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        outside: LocalShell,
        offer: Callable[[str, str], Awaitable[bool]] | None = None,
    ) -> None:
        self._sandbox, self._outside, self._offer = sandbox, outside, offer
        self._inside = LocalShell(outside.limits, removed_env=outside.removed_env, prepare=self._prepare)
        self._offered: set[str] = set()

    def _prepare(self, launch: Launch) -> Launch:
        return self._sandbox.confine(launch.replace(env=self._sandbox.environment(launch.env)))

    async def run(self, command: str, **how: Unpack[ShellOptions]) -> ShellExit:
        """Run the command, see `Shell.run`. OSError if it cannot be confined: it never runs without the sandbox then,
        unless the person allows it."""
        tail, output = bytearray(), how["output"]

        def keep(piece: bytes) -> None:
            tail.extend(piece[-_TAIL:])
            del tail[:-_TAIL]
            output(piece)

        confined: ShellOptions = {**how, "output": keep}
        ended = await self._inside.run(command, **confined)
        reason = stopped_by(ended.exit_code, bytes(tail), lesser=self._sandbox.state == "lesser")
        if not reason or (ended.exit_code == 0 and not _PARTS.search(command)):
            return ended
        line_break = b"" if tail.endswith(b"\n") else b"\n"
        what = "a part of this command" if ended.exit_code == 0 else "this command"
        output(line_break + f"[the sandbox seems to have stopped {what}: {reason}]\n".encode())
        if ended.exit_code == 0 or self._offer is None or self._sandbox.policy.strict or command in self._offered:
            return ended
        self._offered.add(command)
        if not await self._offer(command, reason):
            return ended
        output(b"[the user lets it run again, outside the sandbox]\n")
        return await self._outside.run(command, **how)
