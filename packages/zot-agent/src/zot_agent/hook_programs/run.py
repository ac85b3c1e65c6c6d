"""Runs a hook program: JSON on its standard input, the answer on its standard output.

It runs in the shell, as a command of the model does: with the same variables, in the same sandbox, in a process group
that ends at its time limit or when nobody waits any more.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.settings import INSIDE
from zot_agent.hook_programs.program import DEFAULT_LIMITS, HookProgram, HookProgramLimits
from zot_core.hooks import ToolRequest
from zot_core.machine.shell import Launch, LocalShell
from zot_core.permission_mode import PermissionMode
from zot_core.sandbox.sandbox import Sandbox
from zot_provider.record import Record, field

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule


class HookFailed(Exception):
    """A program could not be started, took too long, or ended with an error. `str(error)` is the end of a sentence that
    begins with the program."""


async def _nobody(call: ToolRequest, reason: str) -> bool:
    return False


async def _nothing() -> None:
    pass


async def _any(rules: "Sequence[Rule]", call: ToolRequest) -> bool:
    return True


class HookPlace(Record):
    """Where hook programs run: the directory, variables besides the ones of this process, variables that they do not
    get, and the sandbox, if it is on. `begun`: the session has answers. `ask` asks the person whether a call may run,
    for a reason; `stop` stops the run; `about` says whether one of some rules that ask may be about a call."""

    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)
    removed_env: Collection[str] = ()
    sandbox: Sandbox | None = None
    mode: PermissionMode = "yolo"
    begun: bool = False
    ask: Callable[[ToolRequest, str], Awaitable[bool]] = _nobody
    stop: Callable[[], Awaitable[None]] = _nothing
    about: "Callable[[Sequence[Rule], ToolRequest], Awaitable[bool]]" = _any


class HookExit(Record):
    """How a program ended: its exit code, its standard output, and its standard error without blanks around it."""

    code: int
    output: bytes
    reason: str

    def check(self) -> None:
        """Raise `HookFailed` for an exit code that means nothing."""
        if self.code not in (0, REFUSED):
            said = self.reason.partition("\n")[0]
            raise HookFailed(f"ended with exit code {self.code}" + (f": {said}" if said else ""))


REFUSED = 2
"""The exit code of a program that refuses; its standard error is the reason."""


async def run_program(
    program: HookProgram, given: bytes, place: HookPlace, limits: HookProgramLimits = DEFAULT_LIMITS
) -> HookExit:
    """Run `program` with `given` as its standard input. Raises `HookFailed`. Cancelling ends it."""
    output, errors = Bounded(limits.frame_bytes + 1), Bounded(limits.reason_bytes)
    shell = LocalShell(removed_env=place.removed_env, prepare=_confine(program, place))
    try:
        ended = await shell.run(
            program.command,
            cwd=place.cwd,
            env={**place.env, INSIDE: program.event, **({"CLAUDE_PROJECT_DIR": place.cwd} if program.claude else {})},
            timeout=program.seconds,
            output=output.add,
            errors=errors.add,
            stdin=given,
        )
    except OSError as error:
        raise HookFailed(f"could not be started: {error.strerror or error}") from error
    if ended.exit_code is None:
        raise HookFailed(f"did not end within {program.seconds:g} s")
    if len(output.data) > limits.frame_bytes:
        raise HookFailed(f"wrote more than {limits.frame_bytes} bytes")
    return HookExit(ended.exit_code, bytes(output.data), errors.data.decode("utf-8", "replace").strip())


def _confine(program: HookProgram, place: HookPlace) -> Callable[[Launch], Launch] | None:
    sandbox = place.sandbox
    if sandbox is None or not (program.sandboxed or sandbox.policy.strict):
        return None
    return lambda launch: sandbox.confine(launch.replace(env=sandbox.environment(launch.env)))


class Bounded:
    """The beginning of some output, `most` bytes of it."""

    def __init__(self, most: int) -> None:
        self.data, self._most = bytearray(), most

    def add(self, piece: bytes) -> None:
        """Keep what there is room for."""
        self.data += piece[: self._most - len(self.data)]
