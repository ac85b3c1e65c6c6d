"""`zot ext new NAME`: creates an extension that runs, has a test, and passes `zot ext check`."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.paths import current_directory
from zot_provider.errors import ConfigError

TEMPLATES = Path(__file__).parent / "templates"
Language: TypeAlias = Literal["python", "node", "ts", "go", "shell"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The folders of `TEMPLATES`. Their files end in `.in`, and contain `@NAME@`, `@MODULE@` and `@TOOL@` in file names and
text."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
"""Names that are valid for a folder, a command and, with a suffix, a tool."""


def create(name: str, *, lang: Language = "python", dir: str = ".") -> int:
    """Create an extension from a template: a folder with a program, a test and a README.

    NAME: letters, digits, - and _; also the name of its first command
    --lang LANGUAGE: one of %(choices)s (default: %(default)s)
    --dir PARENT: where to create the folder (default: here)
    """
    current_directory()  # raises `ConfigError` if it was deleted
    folder = scaffold(name, lang, dir)
    print_line(f"created {folder}: read its README.md, then run zot ext check {folder} and zot --ext {folder}")
    return 0


def scaffold(name: str, language: str, parent: str) -> str:
    """Create the folder `name` in `parent`, completely or not at all, and return its path. Raises `ConfigError`."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is not a valid name; use up to 48 letters, digits, - and _")
    folder = os.path.join(parent, name)
    if os.path.lexists(folder):
        raise ConfigError(f"{folder} already exists; nothing was changed")
    with ConfigError.of_system(f"cannot write in {parent}"):
        made = tempfile.mkdtemp(prefix=f".{name}-", dir=parent)
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
    """Yield the name and the content of each file of a new extension."""
    word = name.replace("-", "_")
    for source in sorted((TEMPLATES / language).glob("*.in")):
        yield tuple(  # type: ignore[misc]
            part.replace("@NAME@", name).replace("@MODULE@", word).replace("@TOOL@", word)
            for part in (source.name.removesuffix(".in"), source.read_text("utf-8"))
        )
