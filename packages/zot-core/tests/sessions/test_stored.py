import os
from pathlib import Path

import pytest

from zot_core.compaction.size import estimate, rough_estimate
from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import CutText, Meta, message_row, meta_row, tool_result_row
from zot_core.sessions.store import new_session
from zot_core.sessions.stored import EAGER_BYTES, StoredMessage, load
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

META = Meta("id", "/p", "m", "v", "now")
LONG = "word " * 2000


def turn(number: int) -> list[Message]:
    """A question, two calls with their results, an answer: some 40 KB."""
    calls = [ToolCallBlock(f"{number}{name}", "read", f'{{"path": "{name}"}}') for name in "ab"]
    results = [ToolResultBlock(call.id, [TextBlock(f"{number} {LONG}")]) for call in calls]
    return [
        Message("user", [TextBlock(f"{number} {LONG}")], "t1", display_text=f"question {number}"),
        Message("assistant", list(calls), "t2"),
        Message("tool", list(results), "t3"),
        Message("assistant", [TextBlock(f"answer {number}")], "t4"),
    ]


def rows_of(message: Message, *, joined: bool) -> list[str]:
    """One row. For results, one for each, or all but the last one as `tool_result` and then a row of all."""
    if message.role != "tool":
        return [message_row(message)]
    parts = [message.replace(content=[block]) for block in message.content]
    return [*map(tool_result_row, parts[:-1]), message_row(message)] if joined else [*map(message_row, parts)]


@pytest.fixture
def conversation() -> list[Message]:
    return [message for number in range(EAGER_BYTES // 30_000 + 1) for message in turn(number)]


@pytest.fixture(params=[False, True], ids=["results apart", "results joined"])
def path(tmp_path: Path, conversation: list[Message], request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "long.jsonl"
    rows = [meta_row(META), *(row for message in conversation for row in rows_of(message, joined=request.param))]
    path.write_text("".join(f"{row}\n" for row in rows))
    assert path.stat().st_size > EAGER_BYTES
    return path


def test_a_long_session_is_the_same_conversation_though_its_messages_are_read_as_they_are_looked_at(
    path: Path, conversation: list[Message]
) -> None:
    stored = load(str(path))
    assert len(stored.messages) == len(conversation)
    assert not any(message.read for message in stored.messages)
    assert [message.role for message in stored.messages] == [message.role for message in conversation]
    assert stored.messages[2].content == conversation[2].content
    assert [message.read for message in stored.messages[:4]] == [False, False, True, False]
    assert stored.messages == conversation
    assert conversation == stored.messages
    assert stored.messages[0].display_text == "question 0"
    assert stored.messages[1].time == "t2"


def test_a_copy_of_a_stored_message_is_a_message_like_any_other(path: Path, conversation: list[Message]) -> None:
    copy = load(str(path)).messages[4].replace(time="later")
    assert type(copy) is Message
    assert copy == conversation[4].replace(time="later")


def test_an_unknown_field_of_a_stored_message_is_an_attribute_error(path: Path) -> None:
    with pytest.raises(AttributeError, match="nothing"):
        load(str(path)).messages[0].nothing  # noqa: B018


def test_a_session_that_is_deleted_while_it_is_open_is_read_to_the_end(path: Path, conversation: list[Message]) -> None:
    stored = load(str(path))
    path.unlink()
    assert stored.messages[-1].text == conversation[-1].text


def test_a_long_session_is_continued(path: Path, conversation: list[Message]) -> None:
    stored = load(str(path))
    session = SessionFile(str(path), stored.meta, resume=stored)
    session.append(Message("user", [TextBlock("and then?")], "t5"))
    session.usage(Usage(1, 2), Usage(3, 4))
    session.close()
    again = load(str(path))
    assert again.messages == [*conversation, Message("user", [TextBlock("and then?")], "t5")]
    assert again.usage.input == 3


def test_what_the_provider_has_counted_last_is_known_with_the_messages_that_it_covers(tmp_path: Path) -> None:
    session = new_session(str(tmp_path), META)
    first, second = turn(1), turn(2)
    for message in first:
        session.append(message)
    session.usage(Usage(900, 50), Usage(900, 50))
    session.append(second[0])
    assert load(session.path).counted == (950, 4)
    session.usage(Usage(), Usage(900, 50))  # of a turn whose provider has counted nothing
    assert load(session.path).counted == (950, 4)
    session.compact(Message("user", [TextBlock("in short")], "t5", summarized_tokens=9), 2)
    assert load(session.path).counted == (0, 0)
    session.usage(Usage(700, 5), Usage(1600, 55))  # of the compaction
    assert load(session.path).counted == (0, 0)
    for message in second[1:]:
        session.append(message)
    session.usage(Usage(300, 5), Usage(1900, 60))
    assert load(session.path).counted == (305, 6)
    session.cut(CutText("e", 0, "t", "", "now"))
    stored = load(session.path)
    assert (stored.counted, stored.usage) == ((0, 0), Usage(1900, 60))
    session.close()


def test_after_a_compaction_only_the_summary_and_the_kept_messages_are_loaded(
    path: Path, conversation: list[Message]
) -> None:
    stored = load(str(path))
    session = SessionFile(str(path), stored.meta, resume=stored)
    summary = Message("user", [TextBlock("all of it, in short")], "t5", summarized_tokens=9)
    session.compact(summary, 5)
    session.close()
    again = load(str(path))
    assert [getattr(message, "read", True) for message in again.messages] == [True, *[False] * 5]
    assert again.messages == [summary, *conversation[-5:]]
    size = os.path.getsize(path)
    assert all(0 < start < size for start in again.starts)
    assert again.starts[1:] == stored.starts[-5:]


def test_a_conversation_that_was_cleared_stays_so_without_its_messages_being_read(path: Path) -> None:
    stored = load(str(path))
    session = SessionFile(str(path), stored.meta, resume=stored)
    session.clear()
    session.append(Message("user", [TextBlock("anew")], "t5"))
    session.close()
    left = load(str(path)).messages
    assert not any(isinstance(message, StoredMessage) and message.read for message in left)
    assert [message.text for message in left] == ["anew"]


def test_a_row_that_is_damaged_says_so_and_takes_nothing_else_with_it(path: Path, conversation: list[Message]) -> None:
    data = path.read_bytes()
    first = data.index(b'"content":[', data.index(b'{"type":"message"'))
    path.write_bytes(data[:first] + b'"content":{' + data[first + len(b'"content":[') :])
    stored = load(str(path))
    assert stored.messages[0].text == "(a part of the session file is damaged here)"
    assert stored.messages[1:] == conversation[1:]


def test_the_size_of_a_long_session_is_estimated_without_reading_it(path: Path, conversation: list[Message]) -> None:
    stored = load(str(path))
    rough = rough_estimate(stored.messages)
    assert not any(message.read for message in stored.messages)
    assert 0.6 < rough / estimate(conversation) < 1.4
    assert rough_estimate(conversation) == estimate(conversation)


def test_a_lost_first_message_is_counted_and_the_conversation_still_begins_with_the_user(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    rows = [meta_row(META), *map(message_row, turn(1))]
    lines = [f"{row}\n".encode() for row in rows]
    path.write_bytes(lines[0] + bytes(len(lines[1]) - 1) + b"\n" + b"".join(lines[2:]))
    stored = load(str(path))
    assert stored.lost == 1
    assert [each.role for each in stored.messages] == ["user", "assistant", "tool", "assistant"]
    assert stored.messages[0].text == "(the beginning of this conversation could not be read)"
    assert len(stored.starts) == len(stored.messages)
    path.write_bytes(b"".join(lines)[:-20])
    assert load(str(path)).lost == 0  # an incomplete last line is the end of a process


def test_a_line_that_is_lost_after_the_first_message_adds_nothing_before_it(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    lines = [f"{row}\n".encode() for row in [meta_row(META), *map(message_row, turn(1)[1:])]]
    path.write_bytes(b"".join(lines) + b"\0\n")
    stored = load(str(path))
    assert stored.lost == 1
    assert [each.role for each in stored.messages] == ["assistant", "tool", "assistant"]
