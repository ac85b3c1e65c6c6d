import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zot_core.errors import ToolError
from zot_core.machine.files import LocalFiles
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess, FileOrder
from zot_core.tools.definition.tool import Tool
from zot_core.tools.edit import edit
from zot_core.tools.grep import grep
from zot_core.tools.ls import ls
from zot_core.tools.read import read
from zot_core.tools.write import write

Step = tuple[Tool, dict[str, Any]]


class SlowFiles(MemoryFiles):
    """Takes a moment for each step and notes when steps begin and end."""

    def __init__(self, contents: dict[str, bytes | str] | None = None) -> None:
        super().__init__(contents)
        self.steps: list[str] = []

    async def _slowly(self, step: str) -> None:
        self.steps.append(f"{step.replace('./', '')} begins")
        await asyncio.sleep(0.01)
        self.steps.append(f"{step.replace('./', '')} ends")

    async def read(self, path: str, limit: int | None = None) -> bytes:
        content = await super().read(path, limit)
        await self._slowly(f"read {path}")
        return content

    async def write(self, path: str, data: bytes) -> None:
        await self._slowly(f"write {path}")
        await super().write(path, data)


def side_by_side(context: ToolContext, *steps: Step) -> list[ToolResult | BaseException]:
    async def work() -> list[ToolResult | BaseException]:
        tasks = [
            asyncio.ensure_future(tool.run(arguments, context.replace(call_id=str(number))))
            for number, (tool, arguments) in enumerate(steps)
        ]
        return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(work())


def replacing(path: str, old: str, new: str) -> Step:
    return edit, {"path": path, "edits": [{"oldText": old, "newText": new}]}


def test_edits_of_one_file_are_done_one_after_the_other_in_call_order() -> None:
    files = SlowFiles({"/x": "0"})
    context = ToolContext("/", files, FakeShell())
    steps = [replacing("x" if number % 2 else "./x", f"{number}", f"{number + 1}") for number in range(5)]
    results = side_by_side(context, *steps)
    assert [result.text for result in results if isinstance(result, ToolResult)] == [
        f"changed {'x' if number % 2 else './x'}\n@@ -1,+1 @@" for number in range(5)
    ]
    assert files.contents["/x"] == b"5"
    assert files.steps == ["read /x begins", "read /x ends", "write /x begins", "write /x ends"] * 5


def test_edits_of_different_files_run_side_by_side() -> None:
    files = SlowFiles({f"/{name}": "old" for name in "abc"})
    side_by_side(ToolContext("/", files, FakeShell()), *(replacing(name, "old", "new") for name in "abc"))
    assert files.steps[:3] == ["read /a begins", "read /b begins", "read /c begins"]
    assert set(files.contents.values()) == {b"new"}


def test_readers_see_what_earlier_calls_wrote_and_not_what_later_ones_write() -> None:
    files = SlowFiles({"/x": "0\n"})
    results = side_by_side(
        ToolContext("/", files, FakeShell()),
        (read, {"path": "x"}),
        (write, {"path": "x", "content": "1\n"}),
        (read, {"path": "/x"}),
        (grep, {"pattern": "[0-9]"}),
        (write, {"path": "y", "content": "2\n"}),
        (ls, {}),
        (grep, {"pattern": "[0-9]"}),
    )
    assert [result.text for result in results if isinstance(result, ToolResult)] == [
        *("0\n", "wrote 1 line (2 bytes) to x", "1\n", "x:1: 1"),
        *("wrote 1 line (2 bytes) to y", "x\ny", "x:1: 1\ny:1: 2"),
    ]


def test_links_to_one_file_are_one_file(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "real").write_text("0")
    (tmp_path / "link").symlink_to("real")
    steps = [replacing("link" if number % 2 else "real", f"{number}", f"{number + 1}") for number in range(6)]
    assert all(isinstance(result, ToolResult) for result in side_by_side(context, *steps))
    assert (tmp_path / "real").read_text() == "6"


def test_real_files_are_never_mixed_up(tmp_path: Path, context: ToolContext) -> None:
    contents = {name: [f"{name}{turn}\n" * 50_000 for turn in range(4)] for name in ("a", "b")}
    steps: list[Step] = [
        (write, {"path": name, "content": contents[name][turn]}) for turn in range(4) for name in ("a", "b")
    ]
    results = side_by_side(context, *steps, (read, {"path": "a", "limit": 1}), (read, {"path": "b", "limit": 1}))
    assert [result.text for result in results[-2:] if isinstance(result, ToolResult)] == [
        f"{name}3\n[line 1 of 50000]\n" for name in ("a", "b")
    ]
    assert [(tmp_path / name).read_text() for name in ("a", "b")] == [contents["a"][3], contents["b"][3]]


def test_a_call_that_fails_lets_the_next_one_pass() -> None:
    files = SlowFiles({"/x": "0"})
    results = side_by_side(
        ToolContext("/", files, FakeShell()),
        (edit, {"path": ""}),
        replacing("", "0", "1"),
        replacing("x", "none", "1"),
        replacing("x", "0", "1"),
    )
    assert [type(result) for result in results] == [ToolError, ToolError, ToolError, ToolResult]


async def test_a_cancelled_call_lets_the_next_one_pass() -> None:
    context = ToolContext("/", SlowFiles({"/x": "0"}), FakeShell())
    first, second, third = (asyncio.ensure_future(write.run({"path": "x", "content": text}, context)) for text in "abc")
    await asyncio.sleep(0.001)
    first.cancel()
    second.cancel()
    await third
    assert (await context.files.read("/x")).decode() == "c"


@pytest.mark.parametrize(
    ("first", "second", "wait"),
    [
        (FileAccess("/a"), FileAccess("/a"), False),
        (FileAccess("/a", writes=True), FileAccess("/a"), True),
        (FileAccess("/a"), FileAccess("/a", writes=True), True),
        (FileAccess("/a", writes=True), FileAccess("/b", writes=True), False),
        (FileAccess(None), FileAccess("/a", writes=True), True),
        (FileAccess(None), FileAccess(None), False),
    ],
)
async def test_calls_wait_only_where_one_disturbs_the_other(first: FileAccess, second: FileAccess, wait: bool) -> None:
    file_order = FileOrder()
    waited = False
    with file_order.ticket() as one, file_order.ticket() as two:
        await one.wait_for(first)
        try:
            await asyncio.wait_for(two.wait_for(second), 0.01)
        except TimeoutError:
            waited = True
    assert waited == wait == first.conflicts_with(second)


async def test_a_later_call_waits_until_it_is_known_what_an_earlier_one_touches() -> None:
    file_order = FileOrder()
    order = []
    with file_order.ticket() as first, file_order.ticket() as second:
        waiting = asyncio.ensure_future(second.wait_for(FileAccess("/b", writes=True)))
        waiting.add_done_callback(lambda done: order.append("second"))
        await asyncio.sleep(0.001)
        order.append("first")
        await first.wait_for(FileAccess("/a", writes=True))
        await waiting
    assert order == ["first", "second"]


def test_one_line_serves_several_event_loops(tmp_path: Path) -> None:
    context = ToolContext(str(tmp_path), LocalFiles(), FakeShell())
    make: Callable[[str], Step] = lambda text: (write, {"path": "x", "content": text})  # noqa: E731
    for _ in range(3):
        side_by_side(context, make("1"), make("2"))
        assert (tmp_path / "x").read_text() == "2"
