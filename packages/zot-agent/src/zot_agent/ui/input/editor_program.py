"""The prompt in the person's own editor: which program that is, and the file they write in."""

import asyncio
import os
import shlex
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence

from zot_core.aio import finish, spawn
from zot_provider.errors import ConfigError
from zot_provider.json_text import without_surrogates
from zot_provider.record import Record, record

FALLBACKS = ("nano", "vim", "vi")
LONGEST = 4 * 1024 * 1024
"""Bytes of a text that are taken back."""


@record
class Edited(Record):
    """The text after editing; `problem` says in one line why it is the old one, empty if all went well."""

    text: str
    problem: str = ""


def command(environ: Mapping[str, str]) -> list[str]:
    """The program and its arguments: `$VISUAL`, `$EDITOR`, else what is found on the PATH of nano, vim and vi.

    The variables are read as a shell would (`code --wait`). Raises `ConfigError` if there is no editor, or if the
    variable cannot be read.
    """
    for name in ("VISUAL", "EDITOR"):
        value = environ.get(name, "").strip()
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise ConfigError(f"${name} cannot be read as a command ({error}): {value}") from error
        if words:
            return words
    for program in FALLBACKS:
        if shutil.which(program, path=environ.get("PATH")):
            return [program]
    raise ConfigError("no editor found; set $EDITOR to one")


async def edit(text: str, argv: Sequence[str], run: Callable[[list[str]], Awaitable[int]]) -> Edited:
    """Let the person edit `text` in a file that they alone can read; it is gone afterwards, with all beside it.

    `run` is given the command with the file's path at its end and awaits its exit code: the screen has to leave the
    terminal to it. Where that is not 0, or anything else fails, the old text stands. Bytes that are no UTF-8 become
    U+FFFD; a line break that the editor added at the end is taken off.
    """
    try:
        folder = tempfile.mkdtemp(prefix="zot-")
    except OSError as error:
        return Edited(text, f"no file to edit the text in could be made: {error.strerror}")
    try:
        return await _edit(text, argv, run, os.path.join(folder, "prompt.md"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _edit(text: str, argv: Sequence[str], run: Callable[[list[str]], Awaitable[int]], path: str) -> Edited:
    name = os.path.basename(argv[0])
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(without_surrogates(text).encode())
    except OSError as error:
        return Edited(text, f"the text could not be written to a file: {error.strerror}")
    try:
        code = await run([*argv, path])
    except OSError as error:
        return Edited(text, f"{name} cannot be started: {error.strerror}; set $EDITOR to another editor")
    if code:
        return Edited(text, f"{name} ended with exit code {code}; the text is as it was")
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST + 1)
    except OSError as error:
        return Edited(text, f"what {name} wrote cannot be read: {error.strerror}; the text is as it was")
    if len(data) > LONGEST:
        return Edited(text, f"what {name} wrote is longer than {LONGEST} bytes; the text is as it was")
    return Edited(_read(data, text))


def _read(data: bytes, old: str) -> str:
    new = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return new[:-1] if new.endswith("\n") and not old.endswith("\n") else new


async def run_program(argv: Sequence[str]) -> int:
    """Run a program on the terminal that zot has, until it ends; its exit code, 128 + n for signal n.

    It stays in zot's process group, since it must be in the foreground. Raises OSError if it cannot be started.
    Cancelling ends it.
    """
    process = await asyncio.create_subprocess_exec(*argv)
    waiting = spawn(process.wait(), "editor")

    def end() -> None:
        if process.returncode is None:
            process.kill()

    if await finish(waiting, end):
        raise asyncio.CancelledError
    code = waiting.result()
    return code if code >= 0 else 128 - code
