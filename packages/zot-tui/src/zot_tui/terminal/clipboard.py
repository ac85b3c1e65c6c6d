"""The clipboard. Text is written through the terminal (OSC 52), which also works over ssh, and by local programs;
reading uses local programs only, since few terminals return text and none returns images."""

import asyncio
import contextlib
import os
import signal
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from zot_tui.terminal.tmux import through_tmux

# In base64, with the sequence around it, this is 100,000 bytes; hterm and similar terminals drop longer ones.
LIMIT = 74994


def osc52(text: str, *, tmux: bool = False) -> str | None:
    """Return the sequence that puts `text` on the clipboard, or None if it is too long for terminals.

    With `tmux`, it is also wrapped for the terminal around tmux (`allow-passthrough`), and tmux takes it too.
    """
    data = text.encode(errors="replace")
    if len(data) > LIMIT:
        return None
    sequence = f"\x1b]52;c;{b64encode(data).decode()}\a"
    return sequence + through_tmux(sequence) if tmux else sequence


def programs(environment: Mapping[str, str]) -> list[Sequence[str]]:
    """Return the installed commands that put their input on the clipboard of this machine, the best first.

    Empty over ssh, where this machine is not the user's.
    """
    if _remote(environment):
        return []
    commands: list[Sequence[str]] = [("pbcopy",), ("termux-clipboard-set",)]
    if environment.get("WAYLAND_DISPLAY"):
        commands.append(("wl-copy",))
    if environment.get("DISPLAY"):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    if environment.get("WSL_DISTRO_NAME"):
        commands.append(("clip.exe",))
    found = [(_where(command[0], environment), command) for command in commands]
    return [(where, *command[1:]) for where, command in found if where]


async def copy(
    text: str, send: Callable[[str], object], environment: Mapping[str, str], *, limit: float = 2.0
) -> tuple[str, ...]:
    """Copy by every available way: `send` gets the terminal's sequence, and one program gets the text, within `limit`
    seconds.

    Returns the ways that worked: `"terminal"`, which is unconfirmed, and the name of the program.
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
        # xclip keeps running to serve the text: it must inherit none of our files, and survive us.
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
    assert process.stdin is not None
    try:
        async with asyncio.timeout(limit):
            await process.communicate(text.encode(errors="replace"))
            await process.stdin.wait_closed()
    except (TimeoutError, OSError):
        return False
    finally:
        await _end(process)
        with contextlib.suppress(TimeoutError, OSError):  # Python < 3.11.7 logs unretrieved exceptions
            async with asyncio.timeout(limit):
                await process.stdin.wait_closed()
    return process.returncode == 0


class ClipboardContent(NamedTuple):
    """The content of the clipboard: the bytes of an image, else text, else a one-line reason why there is neither.

    Content larger than the requested limit has one byte more than that, or all of it.
    """

    data: bytes = b""
    text: str = ""
    problem: str = ""


class ClipboardReader(NamedTuple):
    """Commands that read the clipboard. `kinds` prints MIME types; `image`, with a type appended if there are `kinds`,
    prints the image, in the encoding `code` (`base64`, `hex`, or empty for none); `text` prints the text."""

    image: Sequence[str]
    text: Sequence[str]
    kinds: Sequence[str] = ()
    code: str = ""


IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")

_XCLIP = ("xclip", "-selection", "clipboard", "-o")
_WAYLAND = ClipboardReader(("wl-paste", "--type"), ("wl-paste", "--no-newline"), ("wl-paste", "--list-types"))
_X11 = ClipboardReader((*_XCLIP, "-t"), _XCLIP, (*_XCLIP, "-t", "TARGETS"))
_PNGPASTE = ClipboardReader(("pngpaste", "-"), ("pbpaste",))
_OSASCRIPT = ClipboardReader(("osascript", "-e", "get the clipboard as «class PNGf»"), ("pbpaste",), code="hex")
_POWERSHELL = ("powershell.exe", "-NoProfile", "-NonInteractive", "-Sta", "-Command")
_WINDOWS = ClipboardReader(
    (
        *_POWERSHELL,
        "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; "
        "$i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $s = New-Object IO.MemoryStream; "
        "$i.Save($s, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($s.ToArray()) }",
    ),
    (*_POWERSHELL, "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"),
    code="base64",
)


def readers(environment: Mapping[str, str]) -> list[ClipboardReader]:
    """Return the installed readers of the clipboard of this machine, the best first; empty over ssh."""
    if _remote(environment):
        return []
    found = [_PNGPASTE, _OSASCRIPT]
    if environment.get("WSL_DISTRO_NAME"):
        found.append(_WINDOWS)
    if environment.get("WAYLAND_DISPLAY"):
        found.append(_WAYLAND)
    if environment.get("DISPLAY"):
        found.append(_X11)
    return [reader for reader in found if _where(reader.image[0], environment)]


async def read(environment: Mapping[str, str], *, largest: int, limit: float = 2.0) -> ClipboardContent:
    """Read the clipboard within `limit` seconds, preferring an image of a type of `IMAGES` over text.

    Reads at most `largest` bytes, and one more as a sign that there are more.
    """
    found = readers(environment)
    if not found:
        return ClipboardContent(problem=_missing(environment))
    try:
        async with asyncio.timeout(limit):
            for reader in found:
                data = await _image(reader, environment, largest)
                if data:
                    return ClipboardContent(data)
                text = await _output(reader.text, environment, largest)
                if text:
                    return ClipboardContent(text=text.decode(errors="replace"))
    except TimeoutError:
        return ClipboardContent(problem=f"the clipboard could not be read within {limit:g} s")
    return ClipboardContent(problem="there is neither an image nor text on the clipboard")


async def _image(reader: ClipboardReader, environment: Mapping[str, str], largest: int) -> bytes:
    """Return the image on the clipboard, or empty bytes."""
    command = reader.image
    if reader.kinds:
        kinds = (await _output(reader.kinds, environment, largest)).decode(errors="replace").split()
        kind = next((kind for kind in IMAGES if kind in kinds), "")
        if not kind:
            return b""
        command = (*command, kind)
    data = await _output(command, environment, largest * 2 + 100 if reader.code else largest)
    try:
        if reader.code == "hex":  # «data PNGf89504E47...»
            return bytes.fromhex(data.decode(errors="replace").strip().removeprefix("«data PNGf").rstrip("»"))
        return b64decode(data[: len(data) // 4 * 4]) if reader.code else data  # cut data lacks its padding
    except ValueError:
        return b""


async def _output(command: Sequence[str], environment: Mapping[str, str], largest: int) -> bytes:
    """Return the output of a program, cut to one byte more than `largest`; empty if it fails."""
    where = _where(command[0], environment)
    if not where:
        return b""
    try:
        process = await asyncio.create_subprocess_exec(
            where,
            *command[1:],
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError:
        return b""
    assert process.stdout is not None
    data = bytearray()
    try:
        while len(data) <= largest:
            piece = await process.stdout.read(largest + 1 - len(data))
            if not piece:
                return bytes(data) if await process.wait() == 0 else b""
            data += piece
        return bytes(data)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def _remote(environment: Mapping[str, str]) -> bool:
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def _missing(environment: Mapping[str, str]) -> str:
    if _remote(environment):
        return "the clipboard cannot be read over ssh: paste the path of an image on this machine"
    if environment.get("WAYLAND_DISPLAY"):
        return "to paste images, install wl-clipboard, which provides wl-paste"
    if environment.get("DISPLAY"):
        return "to paste images, install xclip"
    return "no clipboard can be read here: paste the path of an image"


def _where(program: str, environment: Mapping[str, str]) -> str | None:
    from shutil import which  # noqa: PLC0415  loads all compression modules, and copying is rare

    return which(program, path=environment.get("PATH", os.defpath))
