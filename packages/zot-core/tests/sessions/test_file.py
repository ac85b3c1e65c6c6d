import gc
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.sessions import rows
from zot_core.sessions.file import SessionFile, StoredSession, in_use, load
from zot_core.sessions.rows import Meta
from zot_provider.messages import (
    Fate,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.usage import Usage

META = Meta("id", "/p", "m", "v", "2026-11-21T20:29:25.586Z", "0.1.0")

GO_ROWS = r"""
{"type":"meta","meta":{"id":"af86bd37-4037-4b75-831b-5a146217f592","cwd":"/p","model":"m","provider":"anthropic","started":"2026-11-21T20:29:25.586Z","version":"0.1.0"}}
{"type":"message","message":{"role":"user","content":[{"text":"hello"}],"time":"2026-11-21T20:29:25.623Z"}}
{"type":"message","message":{"role":"assistant","content":[{"text":"hm"},{"id":"c1","name":"bash","arguments":{"command":"true"}}],"time":"2026-11-21T20:29:26Z"}}
{"type":"message","message":{"role":"tool","content":[{"call_id":"c1","content":[{"text":"$ true\n\n[exit 0]  Took 0.0s"}],"is_error":false}],"time":"2026-11-21T20:29:26Z"}}
{"type":"usage","usage":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.0},"cumulative":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.0}}
{"type":"rename","title":"the title"}
""".lstrip()  # noqa: E501


def user(text: str) -> Message:
    return Message("user", [TextBlock(text)], "t")


def result(id: str) -> Message:
    return Message("tool", [ToolResultBlock(id, [TextBlock(id)])], "t")


def calling(*ids: str) -> Message:
    return Message("assistant", [ToolCallBlock(id, "ls", "{}") for id in ids], "t")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def written(path: Path, *messages: Message) -> SessionFile:
    session = SessionFile(str(path), META)
    for message in messages:
        session.append(message)
    return session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def test_a_file_of_the_go_zot_is_read(path: Path) -> None:
    path.write_text(GO_ROWS)

    stored = load(str(path))

    assert stored.meta == Meta(
        "af86bd37-4037-4b75-831b-5a146217f592",
        "/p",
        "m",
        "anthropic",
        "2026-11-21T20:29:25.586Z",
        "0.1.0",
        "the title",
    )
    assert stored.messages == [
        Message("user", [TextBlock("hello")], "2026-11-21T20:29:25.623Z"),
        Message(
            "assistant",
            [TextBlock("hm"), ToolCallBlock("c1", "bash", '{"command":"true"}')],
            "2026-11-21T20:29:26Z",
        ),
        Message("tool", [ToolResultBlock("c1", [TextBlock("$ true\n\n[exit 0]  Took 0.0s")])], "2026-11-21T20:29:26Z"),
    ]
    assert stored.usage == Usage(1, 2, cost_usd=0.0)
    assert (stored.torn, stored.size) == (False, len(GO_ROWS.encode()))


@pytest.mark.parametrize("enabled", [True, False])
def test_reading_leaves_the_garbage_collector_as_it_was(path: Path, enabled: bool) -> None:
    path.write_text(GO_ROWS)
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        load(str(path))
        assert gc.isenabled() is enabled
        with pytest.raises(SessionError):
            load(str(path.parent))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_there_is_no_file_before_the_first_message(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "s.jsonl"
    session = SessionFile(str(path), META)
    session.usage(Usage(1), Usage(1))
    session.change(model="other")

    assert os.listdir(tmp_path) == []

    session.append(user("hi"))
    session.close()
    assert [row["type"] for row in lines(path)] == ["meta", "message"]
    assert load(str(path)).meta.model == "other"


def test_the_file_and_the_folders_made_for_it_are_the_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "folder" / "s.jsonl"
    before = os.umask(0)
    try:
        written(path, user("hi")).close()
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]


def test_a_row_is_on_disk_when_the_call_returns(path: Path) -> None:
    session = SessionFile(str(path), META)
    for count in range(1, 4):
        session.append(user(str(count)))
        assert len(lines(path)) == count + 1
        assert path.read_bytes().endswith(b"\n")
    session.close()


def test_a_session_without_a_start_begins_with_its_first_message(path: Path) -> None:
    session = SessionFile(str(path), META.replace(started=""))
    session.append(user("hi"))
    session.close()

    assert session.meta.started.endswith("Z")
    assert load(str(path)).meta == session.meta


def test_nothing_is_written_after_the_end(path: Path) -> None:
    session = written(path, user("hi"))
    session.close()
    session.close()

    with pytest.raises(SessionError, match="is closed"):
        session.append(user("late"))
    session.usage(Usage(1), Usage(1))
    session.change(model="late")
    assert len(lines(path)) == 2


def kinds(path: Path) -> list[str]:
    return [row["message"]["role"] if row["type"] == "message" else row["type"] for row in lines(path)]


def test_the_result_of_one_call_is_a_message_row_at_once(path: Path) -> None:
    session = written(path, user("hi"), calling("a"), result("a"))
    assert kinds(path) == ["meta", "user", "assistant", "tool"]
    session.append(user("ok"))
    session.close()
    assert kinds(path) == ["meta", "user", "assistant", "tool", "user"]


def test_the_results_of_several_calls_are_rows_and_then_one_message_row(path: Path) -> None:
    conversation = [user("hi"), calling("a", "b", "c"), result("a"), result("b"), result("c"), user("ok")]
    written(path, *conversation).close()

    assert kinds(path) == ["meta", "user", "assistant", "tool_result", "tool_result", "tool", "user"]
    together = Message("tool", [block for each in "abc" for block in result(each).content], "t")
    assert rows.read_message(lines(path)[5]["message"]) == together
    assert load(str(path)).messages == [*conversation[:2], together, user("ok")]


@pytest.mark.parametrize("after", [1, 2])
def test_a_crash_between_the_results_of_several_calls_loses_none(path: Path, after: int) -> None:
    session = written(path, user("hi"), calling("a", "b", "c"), *map(result, "abc"[:after]))
    crashed = path.read_bytes()
    session.close()
    path.write_bytes(crashed + b'{"type":"message","message":{"role":"tool","cont')

    stored = load(str(path))
    together = Message("tool", [block for each in "abc"[:after] for block in result(each).content], "t")
    assert stored.messages == [user("hi"), calling("a", "b", "c"), together]
    session = SessionFile(str(path), META, resume=stored)
    session.append(user("go on"))
    session.close()
    assert load(str(path)).messages == [*stored.messages, user("go on")]
    written_now = [json.loads(line) for line in path.read_bytes()[len(crashed) :].splitlines()[1:]]
    assert [row["message"]["role"] for row in written_now] == ["tool", "user"]
    assert rows.read_message(written_now[0]["message"]) == together


def test_results_that_are_message_rows_of_their_own_are_one_message(path: Path) -> None:
    written(path, user("hi"), result("a"), result("b"), user("ok")).close()

    assert kinds(path) == ["meta", "user", "tool", "tool", "user"]
    assert load(str(path)).messages == [
        user("hi"),
        Message("tool", [*result("a").content, *result("b").content], "t"),
        user("ok"),
    ]


def test_the_last_meta_row_counts_and_a_renamed_session_keeps_its_title(path: Path) -> None:
    path.write_text(GO_ROWS)
    session = SessionFile(str(path), META, resume=load(str(path)))
    session.change(model="third")
    session.close()

    assert [row["type"] for row in lines(path)][-2:] == ["meta", "meta"]
    assert load(str(path)).meta == META.replace(model="third", title="the title")


def test_a_resumed_session_continues_at_its_end(path: Path) -> None:
    session = written(path, user("one"))
    session.usage(Usage(1), Usage(1))
    session.usage(Usage(2), Usage(3, reasoning=1))
    session.close()
    stored = load(str(path))
    before = path.read_bytes()

    session = SessionFile(str(path), stored.meta, resume=stored)
    assert path.read_bytes() == before
    session.append(user("two"))
    session.close()

    stored = load(str(path))
    assert stored.usage == Usage(3, reasoning=1)
    assert stored.messages == [user("one"), user("two")]


@pytest.mark.parametrize(
    "tail", [b'{"type":"message","mess', b'{"type":"message"}', b"\xff\xfe", "é".encode()[:1], b"\x00"]
)
def test_an_incomplete_last_line_is_skipped_and_the_next_row_is_a_line_of_its_own(path: Path, tail: bytes) -> None:
    written(path, user("one")).close()
    whole = path.read_bytes()
    path.write_bytes(whole + tail)

    stored = load(str(path))
    assert stored.torn
    assert stored.messages == [user("one")]
    session = SessionFile(str(path), stored.meta, resume=stored)
    assert path.read_bytes() == whole + tail
    session.append(user("two"))
    session.append(user("three"))
    session.close()

    assert load(str(path)).messages == [user("one"), user("two"), user("three")]
    assert path.read_bytes().startswith(whole + tail + b"\n{")


def test_a_whole_row_without_its_line_break_counts(path: Path) -> None:
    written(path, user("one"), user("two")).close()
    path.write_bytes(path.read_bytes()[:-1])

    stored = load(str(path))
    assert (stored.torn, len(stored.messages)) == (True, 2)
    session = SessionFile(str(path), stored.meta, resume=stored)
    session.append(user("three"))
    session.close()

    assert load(str(path)).messages == [user("one"), user("two"), user("three")]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"5",
        b"[]",
        b"null",
        b'{"type":"compaction","summary":"..."}',
        b'{"type":"meta","meta":5}',
        b'{"type":"message","message":5}',
        b'{"type":"message","message":{"role":"system","content":[]}}',
        b'{"type":"rename","title":5}',
        b'{"type":["message"]}',
        b'{"a":' * 100_000,
        b"9" * 10_000,
        b"\xff" * 10,
    ],
)
def test_a_row_that_is_not_understood_is_passed_over(path: Path, line: bytes) -> None:
    written(path, user("one"), user("two")).close()
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second + line + b"\n" + third)

    stored = load(str(path))

    assert stored.meta == META
    assert stored.messages == [user("one"), user("two")]


def test_a_broken_character_costs_no_more_than_itself(path: Path) -> None:
    written(path, user("a-b")).close()
    path.write_bytes(path.read_bytes().replace(b"a-b", b"a\xffb"))

    assert load(str(path)).messages == [user("a�b")]


def test_a_file_that_cannot_be_loaded_is_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "other.jsonl").write_bytes(b'{"type":"session","id":"1"}\n')

    with pytest.raises(SessionNotFound, match=r"^no session file at "):
        load(str(tmp_path / "none.jsonl"))
    with pytest.raises(SessionError, match=r"cannot read session .*: Is a directory"):
        load(str(tmp_path))
    for name in ("empty.jsonl", "other.jsonl"):
        with pytest.raises(SessionError, match="is not a session file: it has no meta row"):
            load(str(tmp_path / name))


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "s.jsonl", tmp_path / "file" / "deep" / "s.jsonl"):
        with pytest.raises(SessionError, match=r"^cannot .* session .*: Not a directory$"):
            written(path, user("hi"))


def test_a_new_session_does_not_write_into_a_file_that_is_there(path: Path) -> None:
    path.write_text("precious")

    with pytest.raises(SessionError, match="File exists"):
        written(path, user("hi"))
    assert path.read_text() == "precious"


HOLD = """
import sys
from zot_core.sessions.file import SessionFile, load
stored = load(sys.argv[1])
try:
    session = SessionFile(sys.argv[1], stored.meta, resume=stored)
except Exception as error:
    print(type(error).__name__, error, flush=True)
else:
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_session_is_locked_for_a_second_process_until_the_first_has_ended(path: Path) -> None:
    session = written(path, user("hi"))
    told = subprocess.run([sys.executable, "-c", HOLD, str(path)], capture_output=True, text=True, check=True)
    assert told.stdout == f"SessionLocked session {path} is in use by another zot; close that one first, or fork it\n"
    session.close()

    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        stored = load(str(path))
        with pytest.raises(SessionLocked):
            SessionFile(str(path), stored.meta, resume=stored)
        assert in_use(str(path))
        other.kill()
    assert not in_use(str(path))
    SessionFile(str(path), stored.meta, resume=stored).close()


def test_a_session_that_does_not_exist_is_not_in_use_and_a_pipe_is_no_session(path: Path) -> None:
    assert not in_use(str(path))
    os.mkfifo(path)
    with pytest.raises(SessionError, match="cannot read session"):
        in_use(str(path))


def test_a_session_that_grew_after_it_was_loaded_is_not_continued(path: Path) -> None:
    written(path, user("one")).close()
    old = load(str(path))
    session = SessionFile(str(path), old.meta, resume=load(str(path)))
    session.append(user("two"))
    session.close()

    with pytest.raises(SessionLocked, match="changed while it was being read; open it again"):
        SessionFile(str(path), old.meta, resume=old)
    SessionFile(str(path), old.meta, resume=load(str(path))).close()


FULL = """
import resource, sys
from zot_core.errors import SessionError
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message, TextBlock

path, limit = sys.argv[1], int(sys.argv[2])
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
session = SessionFile(path, Meta("id", "/p", "m", "v", "then"))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
for text in ("one", "x" * 500, "two"):
    try:
        session.append(Message("user", [TextBlock(text)]))
    except SessionError as error:
        print(str(error).replace(path, "PATH"))
    if text != "one":
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
session.close()
print(*[message.text for message in load(path).messages])
"""


def full(path: Path, limit: int) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL, str(path), str(limit)], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_full_disk_is_an_error_and_loses_only_the_row_that_did_not_fit(path: Path) -> None:
    assert full(path, 300) == ["cannot write session PATH: the disk is full; free some space", "one two"]


def test_a_disk_that_takes_nothing_leaves_no_file_in_the_way(path: Path) -> None:
    assert full(path, 20)[:2] == ["cannot write session PATH: the disk is full; free some space"] * 2
    assert [row.text for row in load(str(path)).messages] == ["two"]


def test_a_device_is_no_session() -> None:
    with pytest.raises(SessionError, match=r"^cannot write session /dev/full: not a regular file$"):
        SessionFile("/dev/full", META, resume=StoredSession(META))


texts = st.text(max_size=12)
objects = st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts, max_size=2), max_size=3)
arguments = st.one_of(
    objects.map(json.dumps),
    objects.map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
    objects.map(lambda value: json.dumps(value)),
    texts.filter(str.strip),
)
shown = st.builds(TextBlock, texts) | st.builds(ImageBlock, texts, texts)
blocks = st.one_of(
    shown,
    st.builds(ToolCallBlock, texts, texts, arguments),
    st.builds(ToolResultBlock, texts, st.lists(shown, max_size=2), st.booleans(), st.sampled_from(get_args(Fate))),
    st.builds(ReasoningBlock, texts, texts, texts, texts, texts),
)
spoken = st.builds(
    Message,
    st.sampled_from(["user", "assistant"]),
    st.lists(blocks, max_size=3),
    texts,
    st.none() | texts,
    texts,
    st.none() | st.integers(0, 10**9),
    commands=st.integers(0, 99),
    files=st.integers(0, 99),
    extension=texts,
    custom_type=texts,
    details=texts,
    changed_by=texts,
    found_tools=st.sampled_from([(), ("find",), ("a", "b")]),
    extra=st.dictionaries(texts, texts, max_size=2),
)
conversations = st.lists(spoken, min_size=1, max_size=5)


@given(conversations)
def test_any_messages_come_back_as_they_were(messages: list[Message]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        written(path, *messages).close()
        stored = load(str(path))
    assert stored.messages == messages
    assert stored.meta == META


@given(conversations, st.data())
def test_any_part_of_a_file_from_its_start_holds_the_messages_up_to_there(
    messages: list[Message], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        written(path, *messages).close()
        whole = path.read_bytes()
        end = data.draw(st.integers(whole.index(b"\n"), len(whole)))
        path.write_bytes(whole[:end])
        stored = load(str(path))
    complete = whole[:end].count(b"\n")
    assert stored.messages == messages[: len(stored.messages)]
    assert len(stored.messages) >= complete - 1
    assert stored.torn == (not whole[:end].endswith(b"\n"))


# Compactions.

SUMMARY = Message("user", [TextBlock("## Context Summary (compacted)\n\nA shed.")], "t", summarized_tokens=5)


def test_after_a_compaction_the_conversation_is_the_summary_and_the_kept_messages(path: Path) -> None:
    session = written(path, user("1"), user("2"), user("3"))
    before = path.read_bytes()
    session.compact(SUMMARY, 2)
    session.append(user("4"))
    session.close()

    assert load(str(path)).messages == [SUMMARY, user("2"), user("3"), user("4")]
    data = path.read_bytes()
    assert data.startswith(before)
    row = json.loads(data.splitlines()[4])
    assert (row["type"], row["kept"]) == ("compaction", 2)
    assert row["message"]["meta"] == {"compaction": "true", "tokens_before": "5"}
    assert data[row["offset"] :].startswith(rows.message_row(user("2")).encode()[:-1])


def test_the_results_of_a_batch_are_kept_as_the_one_message_they_are(path: Path) -> None:
    session = written(path, user("1"), calling("a"), result("a"), result("b"), user("2"))
    session.compact(SUMMARY, 3)
    session.close()

    messages = load(str(path)).messages
    assert [message.role for message in messages] == ["user", "assistant", "tool", "user"]
    assert len(messages[2].content) == 2


def test_more_than_there_is_cannot_be_kept(path: Path) -> None:
    session = written(path)
    session.compact(SUMMARY, 4)  # of messages that were handed in
    session.append(user("1"))
    session.close()

    assert load(str(path)).messages == [SUMMARY, user("1")]
    assert lines(path)[1]["kept"] == 0


@pytest.mark.parametrize(
    "change",
    [{"kept": -1}, {"kept": True}, {"kept": "2"}, {"kept": None}, {"offset": 1.5}, {"message": {}}, {"message": None}],
)
def test_a_compaction_that_says_too_little_is_passed_over(path: Path, change: dict[str, object]) -> None:
    session = written(path, user("1"), user("2"), user("3"))
    session.compact(SUMMARY, 2)
    session.close()
    *others, last = path.read_text().splitlines()
    path.write_text("\n".join([*others, json.dumps(json.loads(last) | change)]) + "\n")

    assert load(str(path)).messages == [user("1"), user("2"), user("3")]


def read_in_a_hurry(data: bytes) -> list[Message]:
    """What the row of the last compaction promises to be enough."""
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    there = [(start, json.loads(line)) for start, line in zip(starts, data.splitlines(), strict=False)]
    compactions = [row for _, row in there if row["type"] == "compaction"]
    first = compactions[-1]["offset"] if compactions else 0
    summary = [Message("user", [TextBlock(compactions[-1]["message"]["content"][0]["text"])])] if compactions else []
    kept: list[Message] = []
    for start, row in there:
        if row["type"] == "message" and start >= first:
            message = rows.read_message(row["message"])
            assert message is not None
            if kept and kept[-1].role == message.role == "tool":
                kept[-1].content.extend(message.content)
            else:
                kept.append(message)
    return summary + kept


steps = st.lists(
    st.sampled_from(["user", "calls", "more calls", "result", "usage", "compact", "reopen", "crash", "tear"]),
    max_size=25,
)


@given(steps)
def test_a_fast_reader_finds_what_a_thorough_one_does(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    path = tmp_path_factory.mktemp("hurry") / "s.jsonl"
    session = written(path, user("first"))
    torn = False
    for number, step in enumerate(steps):
        if step == "user":
            session.append(user(f"é {number}"))
        elif step == "calls":
            session.append(calling(str(number)))
        elif step == "more calls":
            session.append(calling(*(f"{number}{each}" for each in "abc")))
        elif step == "result":
            session.append(result(str(number)))
        elif step == "usage":
            session.usage(Usage(number), Usage(number))
        elif step == "compact":
            messages = load(str(path)).messages
            # As whoever compacts sees to: a batch of results is not parted.
            session.compact(
                SUMMARY.replace(content=[TextBlock(f"summary {number}")]), min(number % 5, len(messages) - 1)
            )
        else:
            there = path.read_bytes()
            session.close()
            if step == "crash":
                path.write_bytes(there)
            if step == "tear":
                with path.open("ab") as file:
                    file.write('{"type":"message","message":{"role":"user","content":[{"text":"é'.encode()[:-1])
                torn = True
            stored = load(str(path))
            session = SessionFile(str(path), META, resume=stored)
    session.append(user("last"))
    session.close()

    whole = load(str(path))
    data = path.read_bytes()
    assert [data[start : start + 9] for start in whole.starts] == [b'{"type":"'] * len(whole.messages)
    if not torn:
        texts = [[str(block) for block in message.content] for message in whole.messages]
        assert [[str(block) for block in message.content] for message in read_in_a_hurry(data)] == texts


def test_a_file_with_compactions_that_is_cut_off_anywhere_opens_and_is_continued(path: Path) -> None:
    session = written(path, user("1"), calling("a"), result("a"), user("2"))
    session.compact(SUMMARY, 2)
    session.append(user("3"))
    session.compact(SUMMARY.replace(content=[TextBlock("again")]), 2)
    session.append(user("4"))
    session.close()
    data = path.read_bytes()
    ends = [end for end in range(1, len(data) + 1) if data[end - 1 : end] == b"\n"]
    states = {}
    for end in ends:
        path.write_bytes(data[:end])
        states[end] = load(str(path)).messages
    for end in range(ends[0], len(data) + 1):
        path.write_bytes(data[:end])
        stored = load(str(path))
        # A row whose line break alone is missing is complete.
        whole = end + 1 if end + 1 in states else max(each for each in ends if each <= end)
        assert stored.messages == states[whole]

        again = SessionFile(str(path), stored.meta, resume=stored)
        again.append(user("and now?"))
        again.compact(SUMMARY, 1)
        again.close()
        assert load(str(path)).messages == [SUMMARY, user("and now?")]
        assert path.read_bytes().startswith(data[:end])


def test_the_error_for_a_file_that_cannot_be_created_contains_the_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "folder" / "s.jsonl"
    session = SessionFile(str(path), META, advice="name another folder")
    with pytest.raises(SessionError, match=rf"^cannot create .* {path}: Not a directory; name another folder$"):
        session.append(user("hi"))
