"""What zot answers to calls that are not quite right: the rows of `wrong_calls.toml`, which are a table in the docs."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from zot_core import Runtime, ToolResultEvent
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

ROWS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("wrong_calls.toml").read_text("utf-8"))["row"]


def content(text: str) -> bytes:
    return text.removeprefix("utf-16:").encode("utf-16") if text.startswith("utf-16:") else text.encode()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
async def test_a_wrong_call_is_answered_as_the_docs_say(row: dict[str, Any], tmp_path: Path) -> None:
    for name, text in row.get("files", {}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content(text))
    turns = [Turn(calls=[Call(name, arguments)]) for name, arguments in row["calls"]]
    results: list[ToolResultEvent] = []
    async with Runtime("any", client=ScriptedClient([*turns, "done"]), cwd=tmp_path) as runtime:
        async for event in runtime.prompt("go"):
            if isinstance(event, ToolResultEvent):
                results.append(event)

    text = "\n".join(block.text for block in results[-1].content if isinstance(block, TextBlock))
    assert all(words in text for words in row["says"]), text
    assert results[-1].is_error == row.get("error", False), text
    for name, expected in row.get("after", {}).items():
        assert (tmp_path / name).read_bytes() == content(expected)


def test_there_are_at_least_sixty_rows_and_the_docs_have_each() -> None:
    page = (Path(__file__).parents[4] / "docs/tools.md").read_text("utf-8")
    assert len(ROWS) >= 60
    assert [row["kind"] for row in ROWS if f"| {row['kind']} | {row['answer']} |" not in page] == []
