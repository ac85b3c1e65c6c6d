import errno
import os

import pytest

from zot_core.errors import ToolError
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_core.tools.text.paths import (
    as_tool_error,
    display_path,
    reads_any_file,
    reads_path,
    replace_undecodable,
    resolve,
    writes_path,
)

CONTEXT = ToolContext("/proj", MemoryFiles({"/proj/@types/index.d.ts": ""}), FakeShell())


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a/b.txt", "/proj/a/b.txt"),
        ("/etc/hosts", "/etc/hosts"),
        ("@a/b.txt", "/proj/a/b.txt"),
        ("@/etc/hosts", "/etc/hosts"),
        ("@types/new.d.ts", "/proj/@types/new.d.ts"),
        ("@", "/proj/@"),
        (".", "/proj"),
        ("~/x", os.path.expanduser("~/x")),
        ("@~/x", os.path.expanduser("~/x")),
    ],
)
async def test_paths_are_below_the_working_directory_home_or_the_root(written: str, meant: str) -> None:
    assert await resolve(written, CONTEXT) == meant


@pytest.mark.parametrize("written", ["", "  ", "a\0b"])
async def test_paths_that_cannot_be_are_refused(written: str) -> None:
    with pytest.raises(ToolError, match="the path"):
        await resolve(written, CONTEXT)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOENT, "no such file: x; check the path, relative ones start at the working directory"),
        (errno.EISDIR, "x is a directory; name a file"),
        (errno.ENOTDIR, "x: a part of the path is a file, not a directory"),
        (errno.EACCES, "permission denied: x"),
        (errno.ENOSPC, f"x: {os.strerror(errno.ENOSPC)}"),
    ],
)
def test_refusals_of_the_system_are_plain_words(number: int, words: str) -> None:
    assert str(as_tool_error(OSError(number, os.strerror(number), "/secret/x"), "x")) == words


def test_an_error_without_a_number_keeps_its_words() -> None:
    assert str(as_tool_error(OSError("odd"), "x")) == "x: odd"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/proj", ""),
        ("/proj/a", "a"),
        ("/proj/./a//b/", "a/b"),
        ("/proj/../etc", "/proj/../etc"),
        ("/projects/a", "/projects/a"),
        ("/etc/", "/etc"),
    ],
)
def test_paths_below_the_working_directory_are_told_relative_to_it(target: str, words: str) -> None:
    assert display_path(target, CONTEXT) == words
    assert display_path("/a", CONTEXT.replace(cwd="/")) == "a"


def test_names_that_are_no_utf8_are_printable() -> None:
    assert replace_undecodable("caf\udce9é") == "caf\ufffdé"


async def test_calls_tell_what_they_touch() -> None:
    values = {"path": "@a/../b"}
    assert await reads_path(values, CONTEXT) == FileAccess("/proj/b")
    assert await writes_path(values, CONTEXT) == FileAccess("/proj/b", writes=True)
    assert await reads_any_file(values, CONTEXT) == FileAccess(None)
