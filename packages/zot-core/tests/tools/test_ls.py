import asyncio
from pathlib import Path

import pytest

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.ls import ls
from zot_provider.messages import TextBlock


def listing(context: ToolContext, **arguments: object) -> ToolResult:
    return asyncio.run(ls.run(arguments, context))


def test_names_are_sorted_with_hidden_ones_and_slashes(tmp_path: Path, context: ToolContext) -> None:
    for name in ("b.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    names = [".hidden", "a/", "b.txt", "link/"]
    assert listing(context) == ToolResult(
        [TextBlock("\n".join(names))],
        details={"path": str(tmp_path), "entries": 4, "truncated": False},
        display=[FilesDisplay(names)],
    )


def test_a_limit_is_told(tmp_path: Path, context: ToolContext) -> None:
    for number in range(501):
        (tmp_path / f"{number:03}").touch()
    result = listing(context)
    assert len(result.display[0].paths) == 500  # type: ignore[union-attr]
    assert result.text.endswith("\n499\n... [500 of 501 entries; see more with a higher limit]")
    assert listing(context, limit=1).text == "000\n... [1 of 501 entries; see more with a higher limit]"


def test_an_empty_directory_says_so(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "folder").mkdir()
    assert listing(context, path="folder").text == "(empty directory)"


def test_names_that_are_no_utf8_are_shown_as_well_as_can_be() -> None:
    context = ToolContext("/", MemoryFiles({"/caf\udce9": ""}), FakeShell())
    assert listing(context).text == "caf\ufffd"


def test_what_is_no_directory_is_refused(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolError, match="file is not a directory; read it as a file"):
        listing(context, path="file")
    with pytest.raises(ToolError, match="no such file: gone"):
        listing(context, path="gone")
