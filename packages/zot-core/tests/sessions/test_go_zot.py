"""Session files that the Go zot reads: a small model of its reader, at every place where a run may be cut off."""

import json
from pathlib import Path
from typing import Any

import pytest
from go_zot import check_accepted, go_reads
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_core.sessions.copying import plan_copy, write_copy
from zot_core.sessions.exchange.passages import read_passages
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import CustomEntry, Label, Meta, meta_row
from zot_core.sessions.tree import read_tree
from zot_provider.messages import ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock, new_entry_id
from zot_provider.usage import Usage

META = Meta("5b0e6f8c", "/p", "m", "p", "2026-03-01T12:00:00.000Z")


def results_in(messages: list[Message]) -> set[str]:
    return {block.call_id for message in messages for block in message.content if isinstance(block, ToolResultBlock)}


STEPS = st.lists(
    st.tuples(st.sampled_from(["run", "compact", "summary", "label", "custom", "kill"]), st.integers(0, 4)),
    min_size=1,
    max_size=8,
)


class Writer:
    """Writes runs to a session file as the recorder does."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = SessionFile(str(path), META)
        self.number = 0

    def do(self, step: str, count: int) -> None:
        """Do a step; a killed process leaves `count` results of a batch of four calls."""
        if step == "run":
            self.ask(count, results=count)
        elif step == "kill":
            self.ask(4, results=count % 4)
            self.reopen()
        elif step == "compact":
            self.session.compact(Message("user", [TextBlock("notes")], "t", summarized_tokens=1), 0)
        elif step == "summary":
            self.session.add_summary(Message("user", [TextBlock("a branch")], "t", summarized_tokens=1))
        elif step == "label":
            self.session.label(Label("x", "here", new_entry_id()))
        else:
            self.session.custom(CustomEntry("todo", "list", [count], new_entry_id()))

    def ask(self, calls: int, *, results: int) -> None:
        """Write a prompt and its answer: a batch of calls, some results, and a last message if all are there."""
        self.number += 1
        ids = [f"c{self.number}-{each}" for each in range(calls)]
        self.session.append(Message("user", [TextBlock(f"é {self.number}")], "t"))
        self.session.append(Message("assistant", [ToolCallBlock(id, "ls", '{"path": "."}') for id in ids], "t"))
        for id in ids[:results]:
            self.session.append(Message("tool", [ToolResultBlock(id, [TextBlock(f"of {id}")])], "t"))
        if results == calls:
            self.session.append(Message("assistant", [TextBlock("done")], "t"))
            self.session.usage(Usage(1), Usage(self.number))

    def reopen(self) -> None:
        """Continue the file as it is now, without what closing it would add."""
        data = self.path.read_bytes()
        self.session.close()
        self.path.write_bytes(data)
        stored = load(str(self.path))
        self.session = SessionFile(str(self.path), stored.meta, resume=stored)


def check_cut(path: Path, data: bytes, end: int) -> None:
    """Check the first `end` bytes of a file: what the Go zot makes of them, and what a resumed session does."""
    path.write_bytes(data[:end])
    check_accepted(data[:end])
    stored = load(str(path))
    whole = [row for line in data[:end].split(b"\n") if (row := parsed(line))]
    recorded = {
        block["call_id"] for row in whole if row["type"] in ("tool_result", "message")
        for block in row["message"]["content"] if "call_id" in block
    }  # fmt: skip
    if not any(row["type"] == "compaction" for row in whole):
        assert results_in(stored.messages) == recorded
    session = SessionFile(str(path), stored.meta, resume=stored)
    session.append(Message("user", [TextBlock("and now?")], "t"))
    session.close()
    again = load(str(path)).messages
    assert again == [*stored.messages, Message("user", [TextBlock("and now?")], "t")]
    assert path.read_bytes().startswith(data[:end])
    check_accepted(path.read_bytes())


def parsed(line: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return found


@settings(max_examples=40, deadline=None)
@given(STEPS, st.data())
def test_any_run_that_is_cut_off_anywhere_is_accepted_from_the_go_zot_and_continued_here(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("go") / "s.jsonl"
    writer = Writer(path)
    writer.ask(0, results=0)
    for step, count in steps:
        writer.do(step, count)
    writer.session.close()
    whole = path.read_bytes()
    check_cut(path, whole, len(whole))
    first = whole.index(b"\n") + 1
    for end in data.draw(st.lists(st.integers(first, len(whole)), max_size=6)):
        check_cut(path, whole, end)


def test_a_batch_of_calls_that_is_cut_off_is_accepted_from_the_go_zot(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = Writer(path)
    writer.ask(3, results=3)
    writer.session.close()
    whole = path.read_bytes()
    ends = {at + near for at, byte in enumerate(whole) if byte == ord("\n") for near in (-1, 0, 1, 2)}
    for end in sorted({*ends, *range(0, len(whole), 11)} - {*range(whole.index(b"\n") + 1), len(whole) + 1}):
        check_cut(path, whole, end)


def test_two_rows_of_results_would_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = Writer(path)
    writer.ask(2, results=2)
    writer.session.close()
    lines = path.read_bytes().splitlines(keepends=True)
    apart = [line.replace(b'"type":"tool_result","message"', b'"type":"message","message"') for line in lines]
    with pytest.raises(AssertionError):
        check_accepted(b"".join(apart))


def test_the_go_zot_goes_on_with_a_conversation_that_was_compacted_or_cleared_here(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = Writer(path)
    writer.ask(0, results=0)
    writer.session.compact(Message("user", [TextBlock("notes")], "t", summarized_tokens=1), 1)
    writer.ask(0, results=0)
    assert [each["content"][0]["text"] for each in go_reads(path.read_bytes())] == ["é 1", "done", "é 2", "done"]
    writer.session.clear()
    writer.ask(0, results=0)
    writer.session.close()
    assert [each["content"][0]["text"] for each in go_reads(path.read_bytes())] == ["é 3", "done"]


def test_a_compaction_of_the_go_zot_counts_here_and_in_copies(tmp_path: Path) -> None:
    path, copied = tmp_path / "s.jsonl", tmp_path / "copy.jsonl"
    writer = Writer(path)
    for _ in range(2):
        writer.ask(0, results=0)
    writer.session.close()
    kept = go_reads(path.read_bytes())[-1:]
    meta = {"compaction": "true", "tokens_before": "7"}
    summary = {"role": "user", "content": [{"text": "notes"}], "time": "t", "meta": meta}
    with path.open("a") as file:
        file.write(json.dumps({"type": "compaction", "messages": [summary, *kept]}) + "\n")
    stored = load(str(path))
    assert [(each.text, each.summarized_tokens) for each in stored.messages] == [("notes", 7), ("done", None)]
    assert stored.messages[1].id
    tree = read_tree([str(path)], str(path))
    assert tree.first_lines([tree.current]) == {tree.current: "notes"}
    assert [passage.message.text for passage in read_passages(str(path))][-1] == "notes"
    with path.open("rb") as source, copied.open("wb") as target:
        write_copy(target, META, source, plan_copy(path.read_bytes().splitlines(keepends=True)))
    assert load(str(copied)).messages == stored.messages
    assert read_tree([str(copied)], str(copied)).current == tree.current


def test_pictures_that_the_go_zot_repeats_for_the_model_are_no_prompt_of_the_person(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    texts = ["look", "Tool output included the following image content:", "I said: Tool output included pictures"]
    picture = {"mime_type": "image/png", "data": "eA=="}
    messages = [{"role": "user", "content": [{"text": each}, picture], "time": "t"} for each in texts]
    rows = [meta_row(META), *(json.dumps({"type": "message", "message": each}) for each in messages)]
    path.write_text("".join(f"{row}\n" for row in rows))
    found = load(str(path)).messages
    assert [each.hidden for each in found] == ["", "the pictures of these results, once more", ""]
    assert [each.content[1] for each in found] == [ImageBlock("image/png", "eA==")] * 3
