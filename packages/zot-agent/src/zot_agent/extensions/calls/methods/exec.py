"""A program that zot runs for an extension, with no more rights than the extension has, if it may run it."""

import asyncio
import os
import shlex
from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.requests import FOREGROUND_IDS
from zot_agent.operations.fields import FailureCode, OperationFailed
from zot_core.machine.shell import Launch, LocalShell
from zot_core.permissions.lines import LineRules
from zot_core.permissions.rule import COMMANDS, parse_rule
from zot_core.sandbox.sandbox import Sandbox
from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from zot_ext.protocol.answers import ProgramEnd


async def run(call: ExtensionCall) -> "ProgramEnd":
    connection, argv, limits = call.connection, call.params["argv"], call.services.limits
    if any("\0" in word for word in argv):
        raise OperationFailed("invalid", "argv has a text with a zero byte")
    command, sandbox = shlex.join(argv), connection.terms.sandbox
    cwd = _folder(call, sandbox)
    if why := _refusal(connection.terms.permissions.exec, command, cwd):
        raise OperationFailed("denied", f"{command[:200]}: {why}")
    if call.flag("foreground"):
        return await _in_foreground(call, Launch(argv, cwd, connection.terms.launch.env))
    inside = None if sandbox is None else Sandbox(sandbox.policy.replace(processes=True), sandbox.limits)

    def prepare(launch: Launch) -> Launch:
        launch = launch.replace(env=connection.terms.launch.env)
        return launch if inside is None else inside.confine(launch)

    output, length = bytearray(), 0

    def keep(piece: bytes) -> None:
        nonlocal length
        length += len(piece)
        output.extend(piece[: limits.exec_bytes - len(output)])

    asked = call.params.get("timeout_ms")
    seconds = limits.exec_seconds if asked is None else min(int(asked) / 1000, limits.exec_seconds)
    try:
        ended = await LocalShell(prepare=prepare).run(command, cwd=cwd, env={}, timeout=seconds, output=keep)
    except OSError as error:
        code: FailureCode = "not_found" if isinstance(error, FileNotFoundError) else "unavailable"
        raise OperationFailed(code, f"cannot run a program in {cwd}: {error.strerror or error}") from error
    finally:
        if inside is not None:
            inside.close()
    return {
        "output": output.decode("utf-8", "replace"),
        "code": ended.exit_code,
        "timed_out": ended.timed_out,
        "truncated": length > len(output),
    }


async def _in_foreground(call: ExtensionCall, launch: Launch) -> "ProgramEnd":
    """Give the terminal to a program."""
    pending, run_program = call.connection.pending, call.conversation.actions.run_program
    if not call.parent.startswith(FOREGROUND_IDS):
        raise OperationFailed("denied", "foreground needs the parent_id of a slash command, a shortcut or user_bash")
    if run_program is None:
        raise OperationFailed("unavailable", f"a program gets no terminal in {call.mode}")
    if call.connection.terms.sandbox is not None:  # what has a terminal can type into it
        raise OperationFailed("denied", "an extension that is confined cannot give the terminal to a program")
    asked, longest = call.params.get("timeout_ms"), call.services.limits.dialog_seconds
    code: int | None = None
    pending.pause(call.parent)
    try:
        async with asyncio.timeout(longest if asked is None else min(int(asked) / 1000, longest)):
            code = await run_program(launch)
    except TimeoutError:
        pass
    except OSError as error:
        raise OperationFailed("unavailable", f"cannot start {launch.argv[0]}: {error.strerror or error}") from error
    finally:
        pending.resume(call.parent)
    return {"output": "", "code": code, "timed_out": code is None, "truncated": False}


def _folder(call: ExtensionCall, sandbox: Sandbox | None) -> str:
    """Return the folder to run in: what is asked for, else the project, else the extension's own."""
    cwd = os.path.realpath(os.path.join(call.conversation.runtime.cwd, call.text("cwd")))
    if sandbox is None or sandbox.policy.may_read(cwd):
        return cwd
    if call.text("cwd"):
        raise OperationFailed("denied", f"the permissions do not include {cwd}")
    return sandbox.policy.root


def _refusal(may_run: bool | tuple[str, ...], command: str, cwd: str) -> str:  # noqa: FBT001  the field of a manifest
    """Return why a command may not run, empty if it may."""
    if isinstance(may_run, bool):
        return "" if may_run else "the permissions do not have exec"
    try:
        rules = [parse_rule("allow", f"{COMMANDS}({pattern})") for pattern in may_run]
    except ConfigError as error:
        return str(error)
    return LineRules(rules, cwd, set()).judge(command).uncovered
