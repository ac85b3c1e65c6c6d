import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.aio import GivenUp
from zot_core.sessions.listing import rename
from zot_core.sessions.search import EXCERPT_LENGTH, query_words, search_sessions
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

Saved = Callable[..., str]


def answer(text: str, *calls: ToolCallBlock) -> Message:
    return Message("assistant", [TextBlock(text), *calls])


def found(store: SessionStore, *words: str, **options: str) -> list[str]:
    return [hit.entry.path for hit in search_sessions(store, words, **options)]  # type: ignore[arg-type]


def test_the_sessions_with_all_words_the_newest_first(store: SessionStore, saved: Saved) -> None:
    old = saved("Fix the parser", answer("It was the Lexer."), changed=1000)
    new = saved("Lexer and parser, again", cwd="/q", changed=2000)
    saved("only a parser", changed=3000)
    assert found(store, "parser", "LEXER") == [new, old]
    assert found(store, "parser", "lexer", cwd="/p") == [old]
    assert found(store, "nothing") == found(store) == found(store, " ") == []
    assert len(search_sessions(store, ["parser"], limit=2)) == 2


def test_a_hit_says_who_wrote_the_text_around_the_words(store: SessionStore, saved: Saved) -> None:
    saved("why does it fail?", answer("word " * 100 + "\n\nThe cache is stale.\n" + "more " * 100))
    (hit,) = search_sessions(store, ["cache", "stale"])
    assert hit.role == "assistant"
    assert "The cache is stale. more" in hit.excerpt
    assert hit.excerpt.startswith("…")
    assert hit.excerpt.endswith("…")
    assert len(hit.excerpt) <= EXCERPT_LENGTH
    assert hit.entry.name == "why does it fail?"


def test_the_message_with_the_most_words_is_shown(store: SessionStore, saved: Saved) -> None:
    saved("a cache", answer("a stale one"), "the cache is stale and cold")
    (hit,) = search_sessions(store, ["stale", "cache", "cold"])
    assert hit.excerpt == "the cache is stale and cold"


def test_titles_count_and_earlier_titles_do_not(store: SessionStore, saved: Saved) -> None:
    path = saved("hello there")
    rename(store, path, "Weather service")
    assert found(store, "weather") == found(store, "WEATHER", "hello") == [path]
    assert search_sessions(store, ["weather"])[0].excerpt == ""
    rename(store, path, "Other")
    assert found(store, "weather") == []


def test_what_tools_were_called_with_and_have_given_does_not_count(store: SessionStore, saved: Saved) -> None:
    call = ToolCallBlock("c", "read", '{"path": "secret.py"}')
    result = Message("tool", [ToolResultBlock("c", [TextBlock("treasure")])])
    path = saved("look", answer("I look.", call), result, answer("Found it."))
    assert found(store, "secret.py") == found(store, "treasure") == []
    assert found(store, "found") == [path]


def test_hidden_messages_and_hidden_sessions_do_not_count(store: SessionStore, saved: Saved) -> None:
    saved(Message("user", [TextBlock("needle")], hidden="by an extension"))
    saved("needle", other={"hide_from_sessions": True})
    shown = saved(Message("user", [TextBlock("needle")], display_text="thread"))
    saved(Message("user", [TextBlock("needle")], display_text=""))
    assert found(store, "needle") == []
    assert found(store, "thread") == [shown]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('say "hi" now', '"hi"'),
        ("C:\\temp\\x", "\\temp"),
        ("a < b && c > d", "b && c"),
        ("two\nlines\there", "two lines here"),
        ("Grüße aus Köln", "KÖLN"),
        ("ПРИВЕТ мир", "привет"),
        ("中文字", "文"),
        ("x", "X"),
        ('"', '"'),
    ],
)  # fmt: skip
def test_words_are_found_however_json_writes_them(store: SessionStore, saved: Saved, text: str, word: str) -> None:
    path = saved(text)
    assert found(store, word) == [path]
    rows = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
    lines = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows]  # as the Go zot escapes them
    Path(path).write_text("\n".join(lines).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
    assert found(store, word) == [path]


@given(text=st.text(min_size=1, max_size=30), data=st.data())
def test_every_part_of_a_text_without_letters_of_two_cases_is_found(
    tmp_path_factory: pytest.TempPathFactory, text: str, data: st.DataObject
) -> None:
    text = "".join(char for char in text if char.lower() == char.upper() or char.isascii())
    start = data.draw(st.integers(0, len(text)))
    word = " ".join(text[start:].lower().split())
    store = SessionStore(str(tmp_path_factory.mktemp("s")))
    file = store.create("/p", "m", "p", "0")
    file.append(Message("user", [TextBlock(text)]))
    file.close()
    assert found(store, word) == ([file.path] if word else [])


def test_damaged_files_and_lines_of_any_length_are_passed_over(store: SessionStore, saved: Saved) -> None:
    path = saved("x" * (9 << 20), "the needle", answer("y" * (5 << 20) + " end"))
    folder = Path(path).parent
    (folder / "broken.jsonl").write_bytes(b'{"type":"message","message":{"role":"user","content":"needle"\n\xff needle')
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "folder.jsonl").mkdir()
    assert found(store, "needle") == found(store, "needle", "end") == [path]


def test_a_search_that_nobody_waits_for_ends(store: SessionStore, saved: Saved) -> None:
    saved("needle")

    def check() -> None:
        raise GivenUp

    with pytest.raises(GivenUp):
        search_sessions(store, ["needle"], check=check)


def test_text_in_quotes_is_one_word() -> None:
    assert query_words('fix "the parser" now') == ["fix", "the parser", "now"]
    assert query_words(' "" " ') == []
