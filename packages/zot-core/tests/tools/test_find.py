import asyncio

import pytest

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.find import RESULTS, find
from zot_provider.messages import TextBlock

TREE = {
    "src/app.ts": "",
    "src/app.spec.ts": "",
    "lib/src/app.ts": "",
    "lib/app/x": "",
    ".env": "",
    ".gitignore": "dist\n",
    "dist/app.ts": "",
}


def finding(pattern: str, tree: dict[str, str] | None = None, **arguments: object) -> ToolResult:
    files = MemoryFiles({f"/proj/{path}": content for path, content in (tree or TREE).items()})
    return asyncio.run(find.run({"pattern": pattern, **arguments}, ToolContext("/proj", files, FakeShell())))


def test_files_and_directories_are_found_by_name() -> None:
    paths = ["lib/app/", "lib/src/app.ts", "src/app.spec.ts", "src/app.ts"]
    assert finding("app*") == ToolResult(
        [TextBlock("\n".join(paths))],
        details={"pattern": "app*", "results": 4, "truncated": False},
        display=[FilesDisplay(paths)],
    )


def test_a_pattern_with_a_slash_is_of_the_end_of_the_path() -> None:
    assert finding("src/*.ts").text == "lib/src/app.ts\nsrc/app.spec.ts\nsrc/app.ts"
    assert finding("/src/app.ts").text == "src/app.ts"


def test_what_is_hidden_is_found_and_what_is_ignored_is_not() -> None:
    assert finding(".*").text == ".env\n.gitignore"
    assert finding("dist").text == "No files found matching pattern"


def test_paths_are_told_so_that_they_can_be_read() -> None:
    assert finding("*.ts", path="lib").text == "lib/src/app.ts"


def test_at_most_1000_are_told_unless_a_limit_says_otherwise() -> None:
    tree = {f"{number:04}": "" for number in range(1001)}
    result = finding("*", tree)
    assert result.text.endswith("\n0999\n\n[1000 results limit reached. Use limit=2000 for more, or refine pattern]")
    assert result.details == {"pattern": "*", "results": RESULTS, "truncated": True}
    assert finding("*", tree, limit=1001).text.endswith("\n1000")


def test_the_text_is_bounded_too() -> None:
    result = finding("*", {f"{number:03}{'x' * 200}": "" for number in range(400)})
    assert result.text.endswith("x\n\n[50.0KB limit reached]")
    assert len(result.text) < 51300


def test_what_cannot_be_looked_into_is_told() -> None:
    for pattern, path, words in (
        ("*", "gone", "no such file: gone"),
        ("*", "src/app.ts", "src/app.ts is not a directory"),
        (" ", ".", "the pattern is empty"),
    ):
        with pytest.raises(ToolError, match=words):
            finding(pattern, path=path)
