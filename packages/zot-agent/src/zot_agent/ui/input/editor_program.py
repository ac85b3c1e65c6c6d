"""Editing the prompt in the user's own editor: which program that is, and running it on a temporary file."""

import asyncio
import os
import shlex
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence

from zot_core.aio import finish, spawn
from zot_core.machine.process_groups import kill_child
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_text import without_surrogates
from zot_provider.record import Record

FALLBACKS = ("nano", "vim", "vi")
MAX_BYTES = 4 * 1024 * 1024
"""Bytes of an edited text that are accepted."""


class EditorResult(Record):
    """The text after editing. If it is unchanged because of a `problem`, that says in one line what went wrong."""

    text: str
    problem: str = ""


def command(environ: Mapping[str, str]) -> list[str]:
    """Return the editor's program and arguments: `$VISUAL`, `$EDITOR`, or the first of nano, vim and vi on the PATH.

    The variables are split as a shell does (`code --wait`). Raises `ConfigError` if there is no editor or a variable
    cannot be parsed.
    """
    for name in ("VISUAL", "EDITOR"):
        value = environ.get(name, "").strip()
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise ConfigError(f"${name} is not a valid command ({error}): {value}") from error
        if words:
            return words
    for program in FALLBACKS:
        if shutil.which(program, path=environ.get("PATH")):
            return [program]
    raise ConfigError("no editor found; set $EDITOR")


async def edit(text: str, argv: Sequence[str], run: Callable[[list[str]], Awaitable[int]]) -> EditorResult:
    """Let the user edit `text` in a temporary file that only they can read.

    `run` gets the command with the file's path at its end and returns its exit code; the screen has to release the
    terminal meanwhile. If the code is not 0, or anything else fails, the text stays as it was. Invalid UTF-8 becomes
    U+FFFD; a line break that the editor added at the end is removed. The file's folder is removed afterwards.
    """
    try:
        folder = tempfile.mkdtemp(prefix="zot-")
    except OSError as error:
        return EditorResult(text, f"cannot create a file to edit the text in: {error.strerror}")
    try:
        return await _edit(text, argv, run, os.path.join(folder, "prompt.md"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _edit(text: str, argv: Sequence[str], run: Callable[[list[str]], Awaitable[int]], path: str) -> EditorResult:
    name = os.path.basename(argv[0])
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(without_surrogates(text).encode())
    except OSError as error:
        return EditorResult(text, f"cannot write the text to a file: {error.strerror}")
    try:
        code = await run([*argv, path])
    except OSError as error:
        return EditorResult(text, f"cannot start {name}: {error.strerror}; set $EDITOR to another editor")
    if code:
        return EditorResult(text, f"{name} ended with exit code {code}; the text is unchanged")
    try:
        data = read_start(path, MAX_BYTES + 1)  # an editor may leave anything there
    except OSError as error:
        return EditorResult(text, f"cannot read the edited text: {error.strerror}; the text is unchanged")
    if len(data) > MAX_BYTES:
        return EditorResult(text, f"the edited text is longer than {MAX_BYTES} bytes; the text is unchanged")
    return EditorResult(_read(data, text))


def _read(data: bytes, old: str) -> str:
    new = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return new[:-1] if new.endswith("\n") and not old.endswith("\n") else new


async def run_program(argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> int:
    """Run a program on zot's terminal until it ends, and return its exit code, 128 + n for signal n. The folder and the
    environment are zot's own by default.

    It stays in zot's process group, since it must be in the foreground. Raises OSError if it cannot be started.
    Cancelling kills it.
    """
    process = await asyncio.create_subprocess_exec(*argv, cwd=cwd, env=env)
    waiting = spawn(process.wait(), "editor")

    def end() -> None:
        if process.returncode is None:
            kill_child(process)

    if await finish(waiting, end):
        raise asyncio.CancelledError
    code = waiting.result()
    return code if code >= 0 else 128 - code
