import hashlib
import os
import re
import time
from pathlib import Path

import pytest

from zot_core.errors import SessionError, SessionNotFound
from zot_core.sessions.file import SessionFile
from zot_core.sessions.store import SessionStore, resume
from zot_provider.messages import Message, TextBlock


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(str(tmp_path / "sessions"))


def saved(store: SessionStore, cwd: str = "/p", age: float = 0) -> SessionFile:
    session = store.create(cwd, "m", "v", "0.1.0")
    session.append(Message("user", [TextBlock("hi")]))
    session.close()
    os.utime(session.path, (time.time() - age, time.time() - age))
    return session


def test_a_session_lies_in_a_folder_of_its_working_directory(store: SessionStore) -> None:
    session = store.create("/home/me/é", "m", "v", "0.1.0")

    folder, name = os.path.split(session.path)
    assert folder == os.path.join(store.root, hashlib.sha256("/home/me/é".encode()).digest()[:8].hex())
    assert re.fullmatch(rf"\d{{8}}-\d{{6}}-{session.meta.id[:8]}\.jsonl", name)
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", session.meta.id)
    assert not os.path.exists(store.root)


def test_the_session_used_last_comes_first(store: SessionStore) -> None:
    old, new, middle = saved(store, age=100), saved(store), saved(store, age=50)
    saved(store, "/elsewhere")

    assert store.paths("/p") == [new.path, middle.path, old.path]
    assert store.latest("/p") == new.path


def test_without_sessions_there_is_nothing_to_continue(store: SessionStore, tmp_path: Path) -> None:
    assert store.paths("/p") == []
    with pytest.raises(SessionNotFound, match=r"^no session to continue in /p$"):
        store.latest("/p")
    (tmp_path / "sessions").write_text("a file")
    assert store.paths("/p") == []


def test_deleted_and_other_files_are_skipped(store: SessionStore) -> None:
    session = saved(store)
    folder = Path(session.path).parent
    (folder / "notes.txt").write_text("")
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")

    assert store.paths("/p") == [session.path]


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SessionError, match=r"^cannot read the sessions in .*: Too many levels of symbolic links$"):
        SessionStore(str(tmp_path / "loop")).paths("/p")


def test_a_session_is_found_by_path_by_file_name_and_by_id(store: SessionStore) -> None:
    session = saved(store, "/elsewhere")
    name = os.path.basename(session.path)

    for given in (session.path, name, name[:17], session.meta.id, session.meta.id[:8], session.meta.id[:12]):
        assert store.find(given, "/p") == session.path


def test_a_file_in_the_current_folder_is_found_by_its_name(
    store: SessionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)

    assert store.find("mine.jsonl", "/p") == str(tmp_path / "mine.jsonl")


@pytest.mark.parametrize("name", ["", "zzzz", "00000000-1111", "no/such/file.jsonl"])
def test_a_name_that_matches_nothing_is_an_error(store: SessionStore, name: str) -> None:
    saved(store)
    with pytest.raises(SessionNotFound, match=r"^no session"):
        store.find(name, "/p")


def test_a_beginning_of_an_id_with_another_end_does_not_fit(store: SessionStore) -> None:
    session = saved(store)
    with pytest.raises(SessionNotFound):
        store.find(f"{session.meta.id[:8]}x", "/p")


def test_a_name_that_matches_several_is_an_error_that_lists_them(store: SessionStore) -> None:
    first, second = saved(store), saved(store)
    with pytest.raises(SessionNotFound, match=r"^2 sessions begin with '20': ") as caught:
        store.find("20", "/p")
    assert os.path.basename(first.path) in str(caught.value)
    assert os.path.basename(second.path) in str(caught.value)


def test_a_session_is_resumed_with_a_changed_model(store: SessionStore) -> None:
    path = saved(store).path

    session, stored = resume(path, model="other")
    session.close()

    assert (stored.meta.model, session.meta.model) == ("m", "other")
    session, stored = resume(path)
    session.close()
    assert stored.meta.model == "other"
