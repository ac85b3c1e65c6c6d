import gzip
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from zot_core.errors import SessionError, SessionNotFound
from zot_core.sessions.exchange.output_file import output_file
from zot_core.sessions.exchange.portable import ImportLimits, import_session, write_portable
from zot_core.sessions.file import load
from zot_core.sessions.listing import list_sessions, read_entry, rename
from zot_core.sessions.store import SessionStore, resume
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

Saved = Callable[..., str]

GO = """\
{"type":"meta","meta":{"id":"af86bd37-4037-4b75-831b-5a146217f592","cwd":"","model":"m","provider":"anthropic","started":"2026-11-21T20:29:25.586Z","version":"0.1.0"}}
{"type":"message","message":{"role":"user","content":[{"text":"a \\u003c b"}],"time":"2026-11-21T20:29:25.623Z"}}
{"type":"message","message":{"role":"assistant","content":[{"text":"hm"},{"id":"c1","name":"bash","arguments":{"command":"true"}}],"time":"2026-11-21T20:29:26Z"}}
{"type":"message","message":{"role":"tool","content":[{"call_id":"c1","content":[{"text":"$ true"}],"is_error":false}],"time":"2026-11-21T20:29:26Z"}}
{"type":"usage","usage":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.5},"cumulative":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.5}}
{"type":"rename","title":"A test"}
"""  # noqa: E501  rows are one line


def export(path: str, target: Path) -> Path:
    entry = read_entry(path)
    assert entry is not None
    with output_file(str(target)) as file:
        write_portable(entry, file)
    return target


def test_a_file_of_the_go_zot_becomes_a_session_of_this_directory(store: SessionStore, tmp_path: Path) -> None:
    given = tmp_path / "x.zotsession"
    given.write_text(GO)
    stored = load(import_session(store, str(given), "/here", "9"))
    assert (stored.meta.cwd, stored.meta.version, stored.meta.title) == ("/here", "9", "A test")
    assert (stored.meta.model, stored.meta.provider) == ("m", "anthropic")
    assert not stored.meta.id.startswith("af86bd37")
    assert stored.meta.started > "2026-11-22"
    assert stored.messages == load(str(given)).messages
    assert stored.usage == Usage(1, 2, 0, 0, 0.5)
    (listed,) = list_sessions(store, "/here")
    assert (listed.name, listed.id) == ("A test", stored.meta.id)


def test_an_exported_session_has_its_rows_unchanged_and_no_directory(store: SessionStore, tmp_path: Path) -> None:
    session = store.create("/home/ada/secret", "m", "p", "0")
    call = ToolCallBlock("c", "ls", '{"path": 1e5}')
    for message in (
        Message("user", [TextBlock("one")]), Message("assistant", [TextBlock("two"), call]),
        Message("tool", [ToolResultBlock("c", [TextBlock("three")])]),
    ):  # fmt: skip
        session.append(message)
    session.compact(Message("user", [TextBlock("so far")], summarized_tokens=9), 1)
    session.change(model="newer")
    session.append(Message("assistant", [TextBlock("four")]))
    session.close()
    rename(store, session.path, "Counting")
    before = load(session.path)
    target = export(session.path, tmp_path / "x.zotsession")
    assert b"secret" not in target.read_bytes()
    head = json.loads(target.read_bytes().partition(b"\n")[0])["meta"]
    assert (head["cwd"], head["id"], head["title"], head["model"]) == ("", before.meta.id, "Counting", "newer")
    lines = [line for line in Path(session.path).read_bytes().split(b"\n") if b'"message"' in line]
    assert [line for line in target.read_bytes().split(b"\n") if b'"type":"message"' in line] == [
        line for line in lines if b"compaction" not in line
    ]
    again = import_session(store, str(target), "/q", "0")
    after = load(again)
    assert (after.messages, after.meta.title, after.meta.model) == (before.messages, "Counting", "newer")
    row = next(json.loads(line) for line in Path(again).read_bytes().splitlines() if b'"compaction","message"' in line)
    assert b"three" in Path(again).read_bytes()[row["offset"] :].partition(b"\n")[0]
    assert (
        export(again, tmp_path / "y.zotsession").read_bytes().partition(b"\n")[2]
        == target.read_bytes().partition(b"\n")[2]
    )
    continued, _ = resume(again)
    continued.append(Message("user", [TextBlock("five")]))
    continued.close()


def test_an_imported_session_belongs_to_no_other_one_and_is_listed(store: SessionStore, tmp_path: Path) -> None:
    given = tmp_path / "x.zotsession"
    links = '"family":"af86bd37","family_file":"../../x","parent":"p","hide_from_sessions":true,'
    given.write_text(GO.replace('"id":"af86', links + '"id":"af86', 1))
    import_session(store, str(given), "/here", "9")
    (listed,) = list_sessions(store, "/here")
    assert load(listed.path).meta.other == {}


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x.zotsession", b"0" * 1_000_000)


@pytest.mark.parametrize(
    ("write", "problem"),
    [
        (zip_bomb, "a ZIP archive"),
        (lambda path: path.write_bytes(gzip.compress(GO.encode())), "a gzip archive"),
        (lambda path: path.write_text("\n <!doctype html><html>"), "an HTML page"),
        (lambda path: path.write_bytes(b""), "an empty file"),
        (lambda path: path.write_bytes(b"\x00\xff" * 1000), "another kind of file"),
        (lambda path: path.write_text('{"type":"session","version":3}\n'), "another kind of file"),
        (lambda path: path.write_text('{"type":"meta","meta":[]}\n'), "another kind of file"),
        (lambda path: path.write_text("[" * 10_000), "another kind of file"),
        (lambda path: path.write_text(GO.partition("\n")[0] + "\n"), "has no messages"),
        (lambda path: path.write_text(GO + '{"type":"message",' + " " * 3000), "a line of more than 2,000 bytes"),
        (lambda path: path.write_text(GO * 40), "is larger than 20,000 bytes"),
    ],
)
def test_another_file_is_refused_and_leaves_nothing_behind(
    store: SessionStore, tmp_path: Path, write: Callable[[Path], object], problem: str
) -> None:
    given = tmp_path / "x.zotsession"
    write(given)
    with pytest.raises(SessionError, match=problem):
        import_session(store, str(given), "/here", "9", ImportLimits(20_000, 2_000))
    assert list_sessions(store) == []
    assert not os.path.exists(store.root)


def test_what_is_no_file_is_refused(store: SessionStore, tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound, match="no file at"):
        import_session(store, str(tmp_path / "none"), "/here", "9")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SessionError, match="not a regular file"):
        import_session(store, str(tmp_path / "pipe"), "/here", "9")


def test_a_file_that_exists_is_not_overwritten_and_a_failed_one_does_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("mine")
    with pytest.raises(SessionError, match="exists already"), output_file(str(path)):
        pass
    assert path.read_text() == "mine"
    for error, raised in ((ZeroDivisionError(), ZeroDivisionError), (OSError(28, "No space left"), SessionError)):
        with pytest.raises(raised), output_file(str(tmp_path / "y")):
            raise error
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x"]
