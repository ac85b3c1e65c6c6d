import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionLocked
from zot_core.printable import first_line
from zot_core.sessions.file import load
from zot_core.sessions.listing import (
    FULL_SCAN_BYTES,
    MADE_NAME_LENGTH,
    delete,
    list_sessions,
    name_from,
    read_entry,
    rename,
)  # fmt: skip
from zot_core.sessions.store import SessionStore, resume
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, Message, TextBlock


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(str(tmp_path / "sessions"))


def say(text: str, role: str = "user", **shown: str) -> Message:
    return Message("user" if role == "user" else "assistant", [TextBlock(text)], timestamp(), **shown)  # type: ignore[arg-type]


def session(store: SessionStore, cwd: str, *messages: Message, changed: float = 0, **meta: str) -> str:
    """A closed session with these messages, last changed at this time."""
    file = store.create(cwd, "model", "provider", "0")
    file.meta = file.meta.replace(**meta)
    for message in messages or (say("hello"),):
        file.append(message)
    file.close()
    if changed:
        os.utime(file.path, (changed, changed))
    return file.path


def test_the_sessions_of_a_directory_the_newest_first(store: SessionStore) -> None:
    session(store, "/p", say("older"), changed=1000)
    path = session(store, "/p", say("\n newer\nmore"), say("yes", "assistant"), changed=2000)
    session(store, "/q", say("elsewhere"), changed=3000)
    entries = list_sessions(store, "/p")
    assert [entry.name for entry in entries] == ["newer", "older"]
    newest = entries[0]
    assert (newest.path, newest.cwd, newest.model, newest.messages) == (path, "/p", "model", 2)
    assert (newest.changed, newest.size, newest.titled) == (2000, os.path.getsize(path), False)
    assert newest.id.startswith(os.path.basename(path).rpartition("-")[2].removesuffix(".jsonl"))
    assert newest.started.endswith("Z")


def test_the_sessions_of_all_directories(store: SessionStore) -> None:
    for number, cwd in enumerate(("/p", "/q", "/r"), 1):
        session(store, cwd, changed=number * 1000)
    assert [entry.cwd for entry in list_sessions(store)] == ["/r", "/q", "/p"]
    assert [entry.cwd for entry in list_sessions(store, limit=2)] == ["/r", "/q"]


def test_a_list_continues_where_another_one_ended(store: SessionStore) -> None:
    paths = [session(store, f"/{number % 2}", changed=1000 + number // 3) for number in range(10)]
    whole = [entry.path for entry in list_sessions(store)]
    assert sorted(whole) == sorted(paths)
    shown: list[str] = []
    place = ""
    while page := list_sessions(store, limit=3, after=place):
        shown += [entry.path for entry in page]
        place = page[-1].place
    assert shown == whole
    first = list_sessions(store, "/1", limit=2)
    assert [*first, *list_sessions(store, "/1", after=first[-1].place)] == list_sessions(store, "/1")


def test_a_list_continues_though_the_session_it_ended_with_was_used_or_deleted(store: SessionStore) -> None:
    paths = [session(store, "/p", changed=1000 + number) for number in range(6)]
    place = list_sessions(store, limit=2)[-1].place
    os.utime(paths[4], (5000, 5000))
    assert [entry.path for entry in list_sessions(store, after=place)] == paths[3::-1]
    os.unlink(paths[4])
    os.unlink(paths[3])
    assert [entry.path for entry in list_sessions(store, after=place)] == paths[2::-1]


@pytest.mark.parametrize("place", ["x", "12", "x:y", "-1:y", "1" * 5000 + ":y", "²:y"])
def test_an_invalid_place_in_a_list_is_refused(store: SessionStore, place: str) -> None:
    with pytest.raises(ConfigError, match="is not a place in a list of sessions"):
        list_sessions(store, after=place)


def test_without_any_session_the_list_is_empty(store: SessionStore) -> None:
    assert list_sessions(store) == list_sessions(store, "/p") == []


def test_a_title_replaces_the_first_line(store: SessionStore) -> None:
    path = session(store, "/p", title="a title")
    entry = read_entry(path)
    assert entry is not None
    assert (entry.name, entry.titled) == ("a title", True)


def test_the_name_is_the_display_text_and_never_a_hidden_message(store: SessionStore) -> None:
    path = session(store, "/p", say("secret", hidden="true"), say("long prompt", display_text="/study"))
    entry = read_entry(path)
    assert entry is not None
    assert entry.name == "/study"


def test_hidden_sessions_and_other_files_are_left_out(store: SessionStore) -> None:
    path = session(store, "/p")
    folder = Path(path).parent
    (folder / "note.txt").write_text("x")
    (folder / "broken.jsonl").write_text("{\n\xff")
    (folder / "empty.jsonl").touch()
    (folder / "folder.jsonl").mkdir()
    (folder / "hidden.jsonl").write_text(
        '{"type":"meta","meta":{"id":"1","cwd":"/p","started":"","hide_from_sessions":true}}\n'
    )
    assert [entry.path for entry in list_sessions(store, "/p")] == [path]


def large(store: SessionStore, size: int, *last: str) -> str:
    path = session(store, "/p", say("the beginning"))
    row = '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"' + "x" * 200_000
    with open(path, "a") as file:
        while file.tell() < size:
            file.write(row + '"}],"time":""}}\n')
        file.writelines(line + "\n" for line in last)
    return path


def test_of_a_large_session_head_and_tail_are_read(store: SessionStore) -> None:
    path = large(store, 100_000_000, '{"type":"rename","title":"a large one"}')
    with open(path, "r+b") as file:  # whoever reads the middle stumbles
        file.seek(50_000_000)
        file.write(b'\n{"type":"rename","title":"never read"}\n')
    entry = read_entry(path)
    assert entry is not None
    assert (entry.name, entry.titled, entry.messages) == ("a large one", True, None)
    assert entry.size > 100_000_000


def test_an_image_in_the_first_prompt_does_not_hide_its_text(store: SessionStore) -> None:
    image = ImageBlock("image/png", "A" * 3 * FULL_SCAN_BYTES)
    path = session(store, "/p", Message("user", [image, TextBlock("what is this?")]), say("a cat", "assistant"))
    rename_row = '{"type":"rename","title":"cat"}\n'
    entry = read_entry(path)
    assert entry is not None
    assert (entry.name, entry.titled) == ("what is this?", False)
    with open(path, "a") as file:
        file.write(rename_row)
    entry = read_entry(path)
    assert entry is not None
    assert (entry.name, entry.titled) == ("cat", True)


def test_the_model_is_the_one_at_the_end(store: SessionStore) -> None:
    meta = '{"type":"meta","meta":{"id":"1","cwd":"/p","model":"other","provider":"v","started":""}}'
    entry = read_entry(large(store, 2 * FULL_SCAN_BYTES, meta))
    assert entry is not None
    assert (entry.model, entry.name) == ("other", "the beginning")


def test_a_new_title_is_in_the_list_and_in_the_opened_session(store: SessionStore) -> None:
    path = session(store, "/p")
    before = Path(path).read_bytes()
    assert rename(store, path, " a better\x1b[2J name\nand more") == "a better name"
    assert Path(path).read_bytes() == before + b'{"type":"rename","title":"a better name"}\n'
    assert load(path).meta.title == "a better name"
    assert [entry.name for entry in list_sessions(store, "/p")] == ["a better name"]
    rename(store, path, "")
    assert [(entry.name, entry.titled) for entry in list_sessions(store, "/p")] == [("hello", False)]


def test_a_session_that_is_renamed_is_no_newer_than_it_was(store: SessionStore) -> None:
    old, new = session(store, "/p", say("old"), changed=1000), session(store, "/p", say("new"), changed=2000)
    rename(store, old, "very old")
    assert [entry.name for entry in list_sessions(store, "/p")] == ["new", "very old"]
    assert store.latest("/p") == new


def test_a_session_can_be_continued_after_it_was_renamed(store: SessionStore) -> None:
    path = session(store, "/p")
    rename(store, path, "name")
    file, stored = resume(path)
    file.append(say("more"))
    file.close()
    assert stored.meta.title == "name"
    assert [message.text for message in load(path).messages] == ["hello", "more"]


def test_a_torn_last_line_does_not_swallow_the_new_name(store: SessionStore) -> None:
    path = session(store, "/p")
    with open(path, "a") as file:
        file.write('{"type":"mess')
    rename(store, path, "name")
    assert load(path).meta.title == "name"


def test_an_open_session_is_neither_renamed_nor_removed(store: SessionStore) -> None:
    file = store.create("/p", "m", "v", "0")
    file.append(say("hello"))
    before = Path(file.path).read_bytes()
    for change in (lambda: rename(store, file.path, "x"), lambda: delete(store, file.path)):
        with pytest.raises(SessionLocked):
            change()
    assert Path(file.path).read_bytes() == before
    file.close()
    delete(store, file.path)
    assert not os.path.exists(file.path)


def test_removing_takes_one_session_and_nothing_else(store: SessionStore) -> None:
    one, other = session(store, "/p", say("one")), session(store, "/p", say("other"))
    delete(store, one)
    assert [entry.path for entry in list_sessions(store)] == [other]
    with pytest.raises(SessionError, match="No such file"):
        delete(store, one)


def test_files_outside_of_the_store_are_not_touched(store: SessionStore, tmp_path: Path) -> None:
    path = session(store, "/p")
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(Path(path).read_bytes())
    link = Path(path).parent / "link.jsonl"
    link.symlink_to(outside)
    other = Path(path).parent / "other.jsonl"
    other.write_text("{}\n")
    for place in (outside, link, Path(path).parent / ".." / ".." / ".." / "outside.jsonl"):
        for change in (lambda at: delete(store, at), lambda at: rename(store, at, "x")):
            with pytest.raises(SessionError, match="is not a session below"):
                change(str(place))
    with pytest.raises(SessionError, match="has no meta row"):
        delete(store, str(other))
    assert outside.read_bytes() == Path(path).read_bytes()


@given(st.text())
def test_a_name_is_one_line_of_printable_characters(text: str) -> None:
    line = first_line(text)
    assert line.replace("\u200c", "").replace("\u200d", "").isprintable()
    assert len(line) <= 200
    assert first_line(line) == line


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("Fix the parser. It fails on empty input.", "Fix the parser"),
        ("# Task\nmore", "Task"),
        ("> - 1. **fix** it", "fix it"),
        ("```\nTraceback\n```", "Traceback"),
        ("Why? Because it fails", "Why? Because it fails"),
        ("Why does this test fail? Look at it", "Why does this test fail?"),
        ("Use e.g. the Parser class of v1.2 here", "Use e.g. the Parser class of v1.2 here"),
        ("修复解析器中的错误，它在空输入时会失败。然后运行测试", "修复解析器中的错误，它在空输入时会失败"),
        ("word " * 30, "word " * 15 + "word…"),
        ("x" * 300, "x" * 79 + "…"),
    ],
)  # fmt: skip
def test_the_first_sentence_of_the_first_prompt_names_a_session(store: SessionStore, prompt: str, name: str) -> None:
    entry = read_entry(session(store, "/p", say(prompt)))
    assert entry is not None
    assert entry.name == name
    assert not entry.titled


@given(st.text())
def test_a_made_name_is_one_short_printable_line(text: str) -> None:
    name = name_from(say(text))
    assert len(name) <= MADE_NAME_LENGTH
    assert first_line(name) == name
