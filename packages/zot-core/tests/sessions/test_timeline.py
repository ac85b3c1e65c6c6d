"""The prompts of a conversation, and what each answer took."""

from pathlib import Path

from zot_core import Runtime
from zot_core.sessions.timeline import read_timeline, timeline
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn


async def test_each_prompt_has_its_tools_and_tokens_also_after_a_compaction(tmp_path: Path) -> None:
    path = str(tmp_path / "talk.jsonl")
    calls = Turn(calls=[Call("ls", {"path": "."}), Call("ls", {"path": "."})])
    client = ScriptedClient([calls, "one", "two", "three", "## Goal", "four"])
    async with Runtime("any-name", client=client, session=path, builtin_tools=["ls"]) as rt:
        for text in ("a\nb", "c", "d"):
            await rt.ask(text)
        await rt.compact()
        await rt.ask("e")
        found = read_timeline(path)
        usage = rt.usage
    assert [(entry.text, entry.tools) for entry in found] == [("a", {"ls": 2}), ("c", {}), ("d", {}), ("e", {})]
    assert all(entry.usage is not None for entry in found)
    assert sum(entry.usage.output for entry in found if entry.usage) == usage.output
    assert [entry.usage.output for entry in found if entry.usage] == [10, 5, 10, 5]


def test_in_memory_there_are_times_and_no_tokens() -> None:
    messages = [
        Message("user", [TextBlock("a")], "2026-03-01T12:00:00.000Z", id="1"),
        Message("user", [TextBlock("[Mode ask]")], "2026-03-01T12:00:00.500Z", hidden="no prompt", id="5"),
        Message("assistant", [TextBlock("b")], "2026-03-01T12:00:02.500Z", id="2"),
        Message("user", [TextBlock("c")], "yesterday", id="3"),
        Message("assistant", [TextBlock("d")], "2026-03-01T12:00:02.500Z", id="4"),
    ]
    assert [(entry.id, entry.seconds, entry.usage) for entry in timeline(messages)] == [
        ("1", 2.5, None),
        ("3", 0, None),
    ]


def test_a_session_without_a_file_yet_has_no_prompts(tmp_path: Path) -> None:
    assert read_timeline(str(tmp_path / "none.jsonl")) == []
