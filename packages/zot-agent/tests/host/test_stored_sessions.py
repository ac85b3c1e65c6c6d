"""Stored sessions are read one at a time, and not without end."""

import asyncio
import threading
from pathlib import Path

import pytest
from waiting import until

from zot_agent.config.paths import sessions_root
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.stored_sessions import StoredLimits, StoredSessions
from zot_core.clock import timestamp
from zot_core.errors import SessionNotFound
from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import Meta
from zot_core.sessions.tree import SessionTree
from zot_provider.messages import Message, TextBlock


@pytest.fixture
def session(tmp_path: Path) -> str:
    """The path of a stored session with one message."""
    folder = Path(sessions_root()) / "a"
    folder.mkdir(parents=True)
    file = SessionFile(str(folder / "one.jsonl"), Meta("5b0e6f8c", str(tmp_path), "scripted", "openai", timestamp()))
    file.append(Message("user", [TextBlock("first")]))
    file.close()
    return file.path


async def test_one_session_is_read_at_a_time(session: str, tmp_path: Path) -> None:
    stored, going, go_on = StoredSessions(), threading.Event(), threading.Event()

    def read(tree: SessionTree) -> int:
        going.set()
        go_on.wait()
        return len(tree.ids)

    reading = asyncio.ensure_future(stored.read(session, str(tmp_path), read))
    await until(going.is_set)
    listing = asyncio.ensure_future(stored.list(None, 5))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not listing.done()
    go_on.set()
    assert await reading == 1
    assert [each["path"] for each in (await listing)["sessions"]] == [session]


async def test_reading_a_session_has_a_limit(session: str, tmp_path: Path) -> None:
    stored, go_on = StoredSessions(limits=StoredLimits(seconds=0.01)), threading.Event()
    try:
        with pytest.raises(OperationFailed, match="took more than"):
            await stored.read(session, str(tmp_path), lambda _: go_on.wait())
    finally:
        go_on.set()


async def test_without_outside_no_file_elsewhere_is_a_session(session: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "copy.jsonl"
    elsewhere.write_bytes(Path(session).read_bytes())
    link = Path(session).with_name("link.jsonl")
    link.symlink_to(elsewhere)
    assert await StoredSessions().read(str(elsewhere), str(tmp_path), lambda tree: len(tree.ids)) == 1
    for path in (elsewhere, link):
        with pytest.raises(SessionNotFound, match="no session"):
            await StoredSessions(outside=False).read(str(path), str(tmp_path), lambda tree: len(tree.ids))
