import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.aio import GivenUp
from zot_core.sessions.rows import Meta, message_row, meta_row, to_bytes
from zot_core.sessions.search.conversation import FoundPart, Phrase, search_messages
from zot_core.sessions.stored import EAGER_BYTES, StoredMessage, load
from zot_core.tools import BUILTIN_TOOLS
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock

WORDS = st.text(st.sampled_from('abAB _é"\\\n*'), max_size=12)


def found(messages: list[Message], text: str) -> list[tuple[int, str, str, int]]:
    return [(each.number, each.kind, each.call, each.count) for each in search_messages(messages, Phrase(text), {})]


def said(role: str, text: str) -> Message:
    return Message("user" if role == "user" else "assistant", [TextBlock(text)])


def a_call(name: str, arguments: dict[str, str], result: str, id: str = "c1") -> list[Message]:
    return [
        Message("assistant", [TextBlock("I look."), ToolCallBlock(id, name, json.dumps(arguments))]),
        Message("tool", [ToolResultBlock(id, [TextBlock(result)])]),
    ]


def test_parts_are_found_from_the_last_to_the_first() -> None:
    messages = [said("user", "a needle"), said("assistant", "no"), said("user", "needle and Needle")]
    assert found(messages, "needle") == [(2, "prompt", "", 2), (0, "prompt", "", 1)]


def test_the_case_counts_once_a_letter_is_upper_case() -> None:
    messages = [said("user", "needle Needle NEEDLE")]
    assert found(messages, "needle")[0][3] == 3
    assert found(messages, "Needle")[0][3] == 1


def test_names_objects_and_results_of_calls_are_searched_and_json_is_not() -> None:
    messages = a_call("read", {"path": "src/cart.py"}, "def total(cart):")
    assert found(messages, "read src/cart.py") == [(0, "call", "c1", 1)]
    assert found(messages, "total(cart)") == [(1, "result", "c1", 1)]
    assert found(messages, "tool_call") == found(messages, '"path"') == []


def test_what_a_change_shows_is_found_with_its_result() -> None:
    messages = a_call("write", {"path": "a.py", "content": "two needles"}, "written")
    shown = search_messages(messages, Phrase("needles"), {each.name: each for each in BUILTIN_TOOLS})
    assert [(each.kind, each.call) for each in shown] == [("result", "c1")]


def test_marks_of_markdown_do_not_come_between_words() -> None:
    messages = [said("assistant", "the **total** of `cart.py`, in snake_case")]
    assert found(messages, "total of cart.py,") != []
    assert found(messages, "snake_case") != []
    assert found(messages, "**total**") != []


def test_a_line_break_is_white_space_like_any_other() -> None:
    assert found([said("user", "one\n   two")], "one two") == [(0, "prompt", "", 1)]


def test_thoughts_summaries_and_reasons_of_hidden_messages_are_searched() -> None:
    messages = [
        Message("user", [TextBlock("about needles")], summarized_tokens=3),
        Message("user", [TextBlock("secret needle")], hidden="sent by a pin"),
        Message("assistant", [ReasoningBlock("a needle, then")]),
    ]
    assert [kind for _, kind, _, _ in found(messages, "needle")] == ["thought", "summary"]
    assert [kind for _, kind, _, _ in found(messages, "pin")] == ["prompt"]


def test_an_excerpt_is_a_line_around_the_match() -> None:
    text = "x " * 300 + "before\nthe needle\tand after" + " y" * 300
    (part,) = search_messages([said("user", text)], Phrase("NEEDLE".lower()), {})
    assert "before the needle and after" in Phrase("needle").excerpt(part.text)
    assert len(Phrase("needle").excerpt(part.text)) < 200


def test_nothing_is_found_without_a_word() -> None:
    assert found([said("user", "a b")], "  ") == []


@pytest.fixture
def long_session(tmp_path: Path) -> Path:
    """A session whose messages are loaded on first access."""
    filler = [said("user", f"number {each} " + "x" * 20_000) for each in range(EAGER_BYTES // 20_000 + 1)]
    first = [said("user", "the first needle"), *a_call("bash", {"command": "ls"}, 'a "quoted" needle\nends')]
    path = tmp_path / "long.jsonl"
    path.write_bytes(
        to_bytes(meta_row(Meta("long", "/p", "m", "openai", "now")))
        + file_of([*first, *filler, said("user", "the last needle")])
    )
    return path


def file_of(messages: list[Message]) -> bytes:
    return b"".join(to_bytes(message_row(each.replace(id=f"{at:016x}"))) for at, each in enumerate(messages))


def test_the_messages_of_a_long_file_are_searched_without_being_kept(long_session: Path) -> None:
    messages = load(str(long_session)).messages
    hits = found(messages, "needle")
    assert [(kind, count) for _, kind, _, count in hits] == [("prompt", 1), ("result", 1), ("prompt", 1)]
    assert found(messages, '"quoted" needle ends') == [(2, "result", "c1", 1)]
    assert all(isinstance(each, StoredMessage) and not each.read for each in messages)


def test_a_loaded_message_among_the_others_is_searched_too(long_session: Path) -> None:
    messages = load(str(long_session)).messages
    before = found(messages, "needle")
    assert messages[5].text
    assert messages[2].content
    assert found(messages, "needle") == before


def test_a_search_is_given_up_between_two_messages(long_session: Path) -> None:
    messages, seen = load(str(long_session)).messages, list[FoundPart]()

    def check() -> None:
        if seen:
            raise GivenUp

    with pytest.raises(GivenUp):
        seen.extend(search_messages(messages, Phrase("number"), {}, check))
    assert len(seen) == 1


@given(st.lists(WORDS, max_size=6), st.text(st.sampled_from("abAB _é"), min_size=1, max_size=4))
def test_no_match_is_missed_among_the_bytes_of_a_file(texts: list[str], wanted: str) -> None:
    phrase, messages = Phrase(wanted), [said("user", text) for text in texts]
    data = file_of(messages)
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    candidates = {starts.index(start) for start, _ in phrase.rare.lines(data.lower())} if phrase else set()
    assert {number for number, *_ in found(messages, wanted)} <= candidates
