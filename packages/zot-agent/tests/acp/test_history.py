"""Lists of stored sessions, and deleting one."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from zot_agent.acp import history
from zot_agent.config.paths import sessions_root
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError
from zot_provider.messages import Message, TextBlock


def store(cwd: Path, text: str = "hi", used: int = 10_000) -> tuple[str, Path]:
    """Store a session that was last used at the second `used`; its id and its file."""
    session = SessionStore(sessions_root()).create(str(cwd), "m", "v", "0")
    session.append(Message("user", [TextBlock(text)]))
    session.close()
    os.utime(session.path, (used, used))
    return session.meta.id, Path(session.path)


def test_a_full_page_has_a_cursor_only_if_more_sessions_follow(alone: Path) -> None:
    for number in range(history.PAGE):
        store(alone, used=10_000 + number)
    assert history.page(None, "")[1] is None
    oldest, _ = store(alone, used=1)
    shown, cursor = history.page(None, "")
    assert (len(shown), bool(cursor)) == (history.PAGE, True)
    rest, end = history.page(None, cursor or "")
    assert ([each["sessionId"] for each in rest], end) == ([oldest], None)


def test_a_session_is_described_by_its_first_prompt_and_its_last_use_in_utc(alone: Path) -> None:
    named, _ = store(alone, "what is this?\nand why?", used=1_700_000_000)
    nameless, _ = store(alone, " ", used=1_600_000_000)
    assert history.page(None, "")[0] == [
        {"sessionId": named, "cwd": str(alone), "title": "what is this?", "updatedAt": "2023-11-14T22:13:20+00:00"},
        {
            "sessionId": nameless,
            "cwd": str(alone),
            "title": None,
            "updatedAt": datetime.fromtimestamp(1_600_000_000, UTC).isoformat(),
        },
    ]


def test_the_sessions_of_one_directory_are_listed_alone(alone: Path, tmp_path: Path) -> None:
    here, _ = store(alone)
    store(tmp_path / "elsewhere")
    assert [each["sessionId"] for each in history.page(str(alone), "")[0]] == [here]
    assert len(history.page(None, "")[0]) == 2


def test_a_cursor_of_another_program_is_refused() -> None:
    with pytest.raises(ConfigError, match="'tomorrow' is not a place"):
        history.page(None, "tomorrow")


def test_only_the_whole_id_deletes_a_session(alone: Path) -> None:
    id, path = store(alone)
    for name in (id[:8], path.stem, str(path), "nobody", ""):
        history.delete(name)
        assert path.exists(), name
    history.delete(id)
    assert not path.exists()
    history.delete(id)


def test_the_full_id_of_a_session_is_found_by_its_beginning_or_its_path(alone: Path) -> None:
    id, path = store(alone)
    assert [history.full_id(name) for name in (id, id[:8], str(path))] == [id] * 3


def test_a_name_that_fits_no_session_or_several_has_no_id(alone: Path) -> None:
    store(alone)
    store(alone)
    century = datetime.now(UTC).strftime("%Y")[:2]  # how the file names of both begin
    assert [history.full_id(name) for name in ("nobody", century)] == ["", ""]
