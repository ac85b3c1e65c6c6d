import asyncio
import os
from pathlib import Path

import pytest

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.grep import grep, run_search
from zot_core.tools.search.search import SearchLimits, SearchQuery

TREE = {
    "src/a.py": "import os\n\ndef run(x):\n    return x\n",
    "src/b.ts": "function run(x) {\n}\n",
    ".config/c.py": "def run(): ...\n",
    ".gitignore": "*.log\n",
    "d.log": "def run()\n",
    ".git/e": "def run()\n",
    "f.bin": "def run()\0",
}


async def searched(pattern: str, tree: dict[str, str] | None = None, **arguments: object) -> ToolResult:
    files = MemoryFiles({f"/proj/{path}": content for path, content in (tree or TREE).items()})
    return await grep.run({"pattern": pattern, **arguments}, ToolContext("/proj", files, FakeShell()))


def searching(pattern: str, tree: dict[str, str] | None = None, **arguments: object) -> ToolResult:
    return asyncio.run(searched(pattern, tree, **arguments))


def test_matching_lines_have_path_and_number() -> None:
    result = searching(r"def \w+\(")
    assert result.text == ".config/c.py:1: def run(): ...\nsrc/a.py:3: def run(x):"
    assert result.details == {
        "pattern": r"def \w+\(",
        "matches": 2,
        "files": 2,
        "truncated": False,
        "lines_truncated": False,
    }


def test_nothing_found_says_so() -> None:
    assert searching("nowhere").text == "No matches found"


def test_files_are_chosen_by_path_and_glob() -> None:
    assert searching("run", path="src").text == "src/a.py:3: def run(x):\nsrc/b.ts:1: function run(x) {"
    assert searching("run", path="src/b.ts").text == "src/b.ts:1: function run(x) {"
    assert searching("run", glob="*.ts").text == "src/b.ts:1: function run(x) {"
    assert searching("run", glob="src/*.py").text == "src/a.py:3: def run(x):"
    assert searching("run", glob="!*.py").text == "src/b.ts:1: function run(x) {"
    assert searching("run", path="d.log").text == "d.log:1: def run()"


def test_case_plain_text_and_context_are_options() -> None:
    assert searching("RUN(X)", ignoreCase=True, literal=True, glob="*.ts").text == "src/b.ts:1: function run(x) {"
    assert searching("run", path="src", context=1).text == (
        "src/a.py-2- \nsrc/a.py:3: def run(x):\nsrc/a.py-4-     return x\n--\n"
        "src/b.ts:1: function run(x) {\nsrc/b.ts-2- }"
    )


def test_at_most_100_matches_are_told_unless_a_limit_says_otherwise() -> None:
    tree = {"x": "x\n" * 101}
    result = searching("x", tree)
    assert result.text.endswith("\nx:100: x\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]")
    assert (result.details["matches"], result.details["truncated"]) == (100, True)
    assert searching("x", tree, limit=101).text.endswith("\nx:101: x")
    assert "[1 matches limit reached. Use limit=2 for more" in searching("x", tree, limit=1).text


def test_long_lines_and_long_results_are_cut() -> None:
    result = searching("x", {"x": "x" * 501 + "\n"})
    notice = "[Some lines truncated to 500 chars. Use read tool to see full lines]"
    assert result.text == f"x:1: {'x' * 500}... [truncated]\n\n{notice}"
    assert result.details["lines_truncated"]
    wide = searching("é", {"x": ("é" * 400 + "\n") * 300}, limit=300)
    assert wide.text.endswith("é\n\n[50.0KB limit reached]")
    assert len(wide.text.encode()) < 51300


async def test_real_files_are_searched_the_same_way(tmp_path: Path, context: ToolContext) -> None:
    for path, content in TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    (tmp_path / "link.py").symlink_to("src/a.py")
    (tmp_path / "src/circle").symlink_to("..")
    for arguments in ({"pattern": "run"}, {"pattern": "r.n", "context": 1}, {"pattern": "run", "path": "src/a.py"}):
        assert (await grep.run(arguments, context)).text == (await searched(**arguments)).text  # type: ignore[arg-type]
    assert (await grep.run({"pattern": "import", "path": "link.py"}, context)).text == "link.py:1: import os"


async def test_a_search_that_takes_too_long_says_so(context: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a" * 60 + "b")
    result = await run_search(SearchQuery("(a+)+(?!b)$"), context, ".", None, SearchLimits(seconds=0.3))
    assert result.text == ("No matches found\n\n[Stopped after 0.3 s: name a smaller directory or a simpler pattern]")
    assert result.details["truncated"]


async def test_what_is_not_a_regular_file_is_not_searched(context: ToolContext, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(ToolError, match=f"^{name} is not a regular file; it cannot be searched$"):
            await grep.run({"pattern": "x", "path": name}, context)
    assert (await grep.run({"pattern": "x"}, context)).text == "No matches found"


def test_what_cannot_be_searched_is_told() -> None:
    for arguments, words in (
        ({"pattern": ""}, "the pattern is empty"),
        ({"pattern": "a\nb"}, "the pattern contains a line break"),
        ({"pattern": "run("}, r"the pattern 'run\(' is invalid: missing \), unterminated subpattern at position 3"),
        ({"pattern": "[" * 20_000}, "is invalid: it has 20000 characters, more than 10000; correct it"),
        ({"pattern": "x", "path": "gone"}, "no such file: gone"),
        ({"pattern": "x", "glob": "[z-a]"}, "glob: the pattern .* is not a glob"),
        ({"pattern": "x", "limit": 0}, "limit: input should be greater than or equal to 1"),
    ):
        with pytest.raises(ToolError, match=words):
            searching(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [{}, {"pattern": ""}])
async def test_without_a_pattern_the_names_that_a_glob_matches_come_back(pattern: dict[str, str]) -> None:
    async def named(**arguments: object) -> str:
        files = MemoryFiles({f"/proj/{path}": content for path, content in TREE.items()})
        return (await grep.run({**pattern, **arguments}, ToolContext("/proj", files, FakeShell()))).text

    assert await named(glob="*.py") == ".config/c.py\nsrc/a.py"
    assert await named(glob="src") == "src/"
    assert await named(glob="*.py", path="src") == "src/a.py"
    assert await named(glob="SRC/*.Py", ignoreCase=True) == "src/a.py"
    assert await named(glob="C*/*.py") == "No files found matching pattern"
    assert await named(glob="!*.py", path="src") == "src/b.ts"
    assert (await named(glob="**/*.py", limit=1)).startswith(
        ".config/c.py\n\n[1 results limit reached. Use limit=2 for more"
    )
    with pytest.raises(ToolError, match=r"src/a\.py is not a directory"):
        await named(glob="*.py", path="src/a.py")
    with pytest.raises(ToolError, match=r"the pattern .* is not a glob"):
        await named(glob="[z-a]")
