import asyncio
import os
from pathlib import Path

import pytest

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.glob import DEPTH, glob
from zot_provider.messages import TextBlock

TREE = {
    "main.go": "",
    "README.md": "",
    "pkg/util.go": "",
    "pkg/sub/deep.go": "",
    ".gitignore": "ignored/\n*.log\n",
    "ignored/secret.go": "",
    "error.log": "",
    ".hidden.go": "",
    ".github/ci.yml": "",
    ".git/hook.go": "",
}


def globbing(pattern: str, tree: dict[str, str] | None = None, cwd: str = "/proj", **arguments: object) -> ToolResult:
    files = MemoryFiles({f"/proj/{path}": content for path, content in (tree or TREE).items()})
    return asyncio.run(glob.run({"pattern": pattern, **arguments}, ToolContext(cwd, files, FakeShell())))


def lines(pattern: str, **arguments: object) -> list[str]:
    return globbing(pattern, **arguments).text.split("\n")  # type: ignore[arg-type]


def test_files_are_sorted_and_come_from_any_depth() -> None:
    paths = ["main.go", "pkg/sub/deep.go", "pkg/util.go"]
    assert globbing("*.go") == ToolResult(
        [TextBlock("\n".join(paths))],
        details={"pattern": "*.go", "matches": 3, "truncated": False},
        display=[FilesDisplay(paths)],
    )


def test_a_pattern_with_a_slash_is_of_the_whole_path() -> None:
    assert lines("pkg/*.go") == ["pkg/util.go"]
    assert lines("pkg/**/*.go") == ["pkg/sub/deep.go", "pkg/util.go"]
    assert lines("/proj/pkg/*.go") == ["pkg/util.go"]


def test_paths_are_told_so_that_they_can_be_read() -> None:
    assert lines("*.go", path="pkg/sub/") == ["pkg/sub/deep.go"]
    assert lines("*.go", path="./pkg/sub") == ["pkg/sub/deep.go"]
    assert lines("*.go", path="/proj/pkg/sub", cwd="/") == ["proj/pkg/sub/deep.go"]
    assert lines("*.go", path="/proj/pkg/sub", cwd="/elsewhere") == ["/proj/pkg/sub/deep.go"]
    assert lines("util.*", cwd="/proj/pkg", path="/proj") == ["/proj/pkg/util.go"]


def test_what_is_hidden_is_left_out_unless_it_is_asked_for_and_git_always() -> None:
    assert lines("*.go", hidden=True) == [".hidden.go", "main.go", "pkg/sub/deep.go", "pkg/util.go"]
    assert lines(".github/*.yml") == [".github/ci.yml"]
    assert lines("**/hook.go", hidden=True) == ["No files matched the pattern."]


def test_what_git_ignores_is_left_out_and_found_by_name() -> None:
    assert lines("**/*.log") == ["No files matched the pattern."]
    assert lines("*", path="ignored") == ["ignored/secret.go"]


def test_nothing_found_says_so() -> None:
    result = globbing("*.rs")
    assert result.text == "No files matched the pattern."
    assert (result.details["matches"], result.display) == (0, [FilesDisplay([])])


@pytest.mark.parametrize(("count", "truncated"), [(500, False), (501, True)])
def test_at_most_500_are_shown(count: int, truncated: bool) -> None:
    result = globbing("*", {f"{number:03}": "" for number in range(count)})
    rows = result.text.split("\n")
    assert rows[:500] == [f"{number:03}" for number in range(500)]
    assert rows[500:] == (["", "(Truncated: showing first 500 matches)"] if truncated else [])
    assert result.details == {"pattern": "*", "matches": 500, "truncated": truncated}


def test_at_most_24_parts_deep() -> None:
    tree = {"d/" * (DEPTH - 1) + "in": "", "d/" * DEPTH + "out": ""}
    assert globbing("**/*", tree).text == "d/" * 23 + "in"


async def test_real_files_links_and_odd_names(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "b.md").symlink_to("a.md")
    (tmp_path / "circle").symlink_to(".")
    try:
        os.close(os.open(os.fsencode(tmp_path) + b"/c\xe9.md", os.O_CREAT))
    except OSError:  # a file system that takes only UTF-8
        (tmp_path / "c\ufffd.md").touch()
    assert (await glob.run({"pattern": "*.md"}, context)).text == "a.md\nb.md\nc\ufffd.md"


async def test_what_cannot_be_looked_into_is_told(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "file").touch()
    for pattern, path, words in (
        ("*", "gone", "no such file: gone"),
        ("*", "file", "file is not a directory; name one to look in"),
        ("", ".", "the pattern is empty"),
        ("[z-a]", ".", "is not a glob"),
    ):
        with pytest.raises(ToolError, match=words):
            await glob.run({"pattern": pattern, "path": path}, context)
