"""`zot ext new NAME`: a new extension to begin with, which runs, is tested, and passes `zot ext check`."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from zot_agent.cli.ext.terminal import say
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import current_directory
from zot_provider.errors import ConfigError

TEMPLATES = Path(__file__).parent / "templates"
LANGUAGES = ("python", "node", "shell")
"""The folders of `TEMPLATES`. Their files end in `.in`; `@NAME@`, `@MODULE@` and `@TOOL@` stand in names and text."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
"""What can be the name of a folder, of a command and, with a suffix, of a tool."""


def run(arguments: Sequence[str]) -> int:
    """Write the folder: 0. Raises `ConfigError` for a name that will not do and for a folder that is there."""
    parser = Parser(prog="zot ext new", description="Begin an extension: a folder with a program, a test and a README.")
    parser.add_argument("name", metavar="NAME", help="letters, digits, - and _; also that of its first command")
    parser.add_argument("--lang", choices=LANGUAGES, default="python", help="the language (default: python)")
    parser.add_argument("--dir", metavar="PARENT", default=".", help="where to make the folder (default: here)")
    asked = parser.parse_args(list(arguments))
    current_directory()  # a relative path needs one
    folder = scaffold(asked.name, asked.lang, asked.dir)
    say(f"made {folder}: look at its README.md, then run zot ext check {folder} and zot --ext {folder}")
    return 0


def scaffold(name: str, language: str, parent: str) -> str:
    """Make the folder `name` in `parent`, whole or not at all; its path. Raises `ConfigError`."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} cannot be the name of an extension: up to 48 letters, digits, - and _")
    folder = os.path.join(parent, name)
    if os.path.lexists(folder):
        raise ConfigError(f"{folder} is there already; nothing was changed")
    try:
        made = tempfile.mkdtemp(prefix=f".{name}-", dir=parent)
    except OSError as error:
        raise ConfigError(f"cannot write in {parent}: {error.strerror}") from error
    try:
        for path, text in files(name, language):
            target = Path(made, path)
            target.write_text(text, "utf-8")
            target.chmod(0o755 if text.startswith("#!") else 0o644)
        os.chmod(made, 0o755)
        os.rename(made, folder)
    except OSError as error:
        shutil.rmtree(made, ignore_errors=True)
        raise ConfigError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def files(name: str, language: str) -> Iterator[tuple[str, str]]:
    """Name and content of each file of a new extension."""
    word = name.replace("-", "_")
    for source in sorted((TEMPLATES / language).glob("*.in")):
        yield tuple(  # type: ignore[misc]
            part.replace("@NAME@", name).replace("@MODULE@", word).replace("@TOOL@", word)
            for part in (source.name.removesuffix(".in"), source.read_text("utf-8"))
        )
