"""Copying text: through the terminal (OSC 52), which reaches a person over ssh too, and by local programs."""

import asyncio
import contextlib
import os
import signal
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence

# Base64 of this, with the sequence around it, is 100,000 bytes: more than that hterm, and terminals after it, drop.
LIMIT = 74994
_TMUX_OPEN, _TMUX_CLOSE = "\x1bPtmux;", "\x1b\\"


def osc52(text: str, *, tmux: bool = False) -> str | None:
    """The sequence that puts `text` on the clipboard, None if it is too long for terminals.

    `tmux` wraps it for the terminal around tmux (`allow-passthrough`), and has tmux take it too.
    """
    data = text.encode(errors="replace")
    if len(data) > LIMIT:
        return None
    sequence = f"\x1b]52;c;{b64encode(data).decode()}\a"
    if not tmux:
        return sequence
    return f"{sequence}{_TMUX_OPEN}{sequence.replace(chr(27), chr(27) * 2)}{_TMUX_CLOSE}"


def programs(environment: Mapping[str, str]) -> list[Sequence[str]]:
    """Commands that take a text on their input and put it on the clipboard of this machine, the best first.

    Only those that are there; none over ssh, where this machine is not the person's.
    """
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return []
    commands: list[Sequence[str]] = [("pbcopy",), ("termux-clipboard-set",)]
    if environment.get("WAYLAND_DISPLAY"):
        commands.append(("wl-copy",))
    if environment.get("DISPLAY"):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    if environment.get("WSL_DISTRO_NAME"):
        commands.append(("clip.exe",))
    from shutil import which  # noqa: PLC0415  it loads all compression modules, and few people copy

    path = environment.get("PATH", os.defpath)
    found = [(which(command[0], path=path), command) for command in commands]
    return [(where, *command[1:]) for where, command in found if where]


async def copy(
    text: str, send: Callable[[str], object], environment: Mapping[str, str], *, limit: float = 2.0
) -> tuple[str, ...]:
    """Copy by every way there is: `send` gets the terminal's sequence, and one program the text, `limit` seconds long.

    Gives the ways that took it: `"terminal"`, which nobody confirms, and the program's name.
    """
    ways: list[str] = []
    sequence = osc52(text, tmux=bool(environment.get("TMUX")))
    if sequence is not None:
        send(sequence)
        ways.append("terminal")
    for command in programs(environment):
        if await _run(command, text, environment, limit):
            ways.append(os.path.basename(command[0]))
            break
    return tuple(ways)


async def _run(command: Sequence[str], text: str, environment: Mapping[str, str], limit: float) -> bool:
    try:
        # xclip stays behind to serve the text: it must hold none of our files, and not be killed with us.
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(limit):
            await process.communicate(text.encode(errors="replace"))
    except (TimeoutError, OSError):
        return False
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode == 0
