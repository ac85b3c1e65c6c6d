import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from zot_core.sessions.file import load
from zot_core.sessions.prune import PrunePlan, plan_prune, prune, time_before
from zot_core.sessions.store import SessionStore, resume
from zot_provider.errors import ConfigError

Saved = Callable[..., str]


def planned(plan: PrunePlan) -> list[tuple[str, int]]:
    return [(group.cwd, len(group.sessions)) for group in plan.groups]


def test_without_an_age_only_sessions_of_missing_directories_are_deleted(
    store: SessionStore, saved: Saved, tmp_path: Path
) -> None:
    gone = [saved(cwd=str(tmp_path / "gone")), saved(cwd=str(tmp_path / "gone"))]
    kept = saved(cwd=str(tmp_path))
    plan = plan_prune(store)
    assert planned(plan) == [(str(tmp_path / "gone"), 2)]
    assert plan.groups[0].size == sum(map(os.path.getsize, gone))
    assert plan.kept == []
    assert prune(store, plan).sessions == 2
    assert not os.path.exists(os.path.dirname(gone[0]))
    assert os.path.exists(kept)


def test_with_an_age_sessions_are_deleted_that_were_last_used_before(store: SessionStore, saved: Saved) -> None:
    old, elsewhere = saved(changed=1000), saved(cwd="/q", changed=1000)
    new = saved(changed=3000)
    assert planned(plan_prune(store, 2000)) == [("/p", 1), ("/q", 1)]
    plan = plan_prune(store, 2000, "/p")
    assert planned(plan) == [("/p", 1)]
    assert prune(store, plan).kept == []
    assert [os.path.exists(path) for path in (old, elsewhere, new)] == [False, True, True]


def test_a_directory_that_is_not_certainly_gone_keeps_its_sessions(
    store: SessionStore, saved: Saved, tmp_path: Path
) -> None:
    saved(cwd="relative/place")
    saved(cwd="")
    saved(cwd=f"/{'x' * 300}")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    saved(cwd=str(loop / "below"))
    plan = plan_prune(store)
    assert plan.groups == []
    assert sorted(line.rpartition(": ")[2] for line in plan.kept) == [
        "File name too long", "Too many levels of symbolic links", "it is not an absolute path",
        "it is not an absolute path",
    ]  # fmt: skip


def test_a_file_that_is_no_session_is_kept(store: SessionStore, saved: Saved) -> None:
    folder = Path(saved(changed=1000)).parent
    note = folder / "note.jsonl"
    note.write_text("mine\n")
    (folder / "notes.txt").write_text("mine\n")
    os.utime(note, (1000, 1000))
    plan = plan_prune(store, 2000)
    assert planned(plan) == [("/p", 1)]
    assert plan.kept == [f"{note} is kept: it is not a session, or cannot be read"]
    assert prune(store, plan).sessions == 1
    assert sorted(path.name for path in folder.iterdir()) == ["note.jsonl", "notes.txt"]


def test_each_session_is_looked_at_again_before_it_is_deleted(
    store: SessionStore, saved: Saved, tmp_path: Path
) -> None:
    used, gone = saved(cwd=str(tmp_path), changed=1000), tmp_path / "back"
    plan = plan_prune(store, 2000)
    path = saved(cwd=str(gone))
    missing = plan_prune(store)
    os.utime(used)
    gone.mkdir()
    (line,) = prune(store, plan).kept
    assert line.endswith("it was used a moment ago")
    assert [line.rpartition(": ")[2] for line in prune(store, missing).kept if path in line] == [f"{gone} exists again"]
    assert os.path.exists(used)
    assert os.path.exists(path)


def test_a_session_that_a_process_has_open_is_kept(store: SessionStore, saved: Saved) -> None:
    path = saved(changed=1000)
    session, _ = resume(path)
    plan = plan_prune(store, 2000)
    assert prune(store, plan).kept == [f"{path} is kept: a zot has it open"]
    session.close()
    assert prune(store, plan).sessions == 1


def test_what_a_link_leads_to_is_kept(store: SessionStore, saved: Saved, tmp_path: Path) -> None:
    path = saved(changed=1000)
    outside = tmp_path / "outside.jsonl"
    os.rename(path, outside)
    os.symlink(outside, path)
    (line,) = prune(store, plan_prune(store, 2000)).kept
    assert "is not a session below" in line
    assert outside.exists()


def test_all_branches_of_a_session_count_and_go_together(store: SessionStore, saved: Saved) -> None:
    first = saved(changed=1000)
    id = os.path.basename(first).rpartition("-")[2]
    copy = Path(first).with_name(f"20990101-000000-{id}")
    meta = load(first).meta
    copy.write_bytes(
        Path(first).read_bytes().replace(b'"version":', b'"family":"%s","version":' % meta.id.encode())
    )  # fmt: skip
    assert plan_prune(store, 2000).groups == []
    os.utime(copy, (1000, 1000))
    plan = plan_prune(store, 2000)
    assert planned(plan) == [("/p", 1)]
    assert prune(store, plan).sessions == 1
    assert not os.path.exists(first)
    assert not copy.exists()


@pytest.mark.parametrize(
    ("age", "before"),
    [
        ("90m", "2026-03-31T10:30:00"), ("12h", "2026-03-31T00:00:00"), ("1d", "2026-03-30T12:00:00"),
        ("2w", "2026-03-17T12:00:00"), ("1mo", "2026-02-28T12:00:00"), ("13mo", "2025-02-28T12:00:00"),
        ("2y", "2024-03-31T12:00:00"),
    ],
)  # fmt: skip
def test_an_age_has_a_unit_and_months_have_their_own_length(age: str, before: str) -> None:
    now = datetime(2026, 3, 31, 12, tzinfo=UTC)
    assert datetime.fromtimestamp(time_before(age, now), UTC).isoformat()[:19] == before


@pytest.mark.parametrize(
    "age", ["", "30", "d", "0d", "-1d", "1.5h", "30 days", "١d", "9" * 30 + "d", "999999999y", "1M"]
)
def test_anything_else_is_no_age(age: str) -> None:
    with pytest.raises(ConfigError, match=r"is not an age|is too long ago"):
        time_before(age, datetime.fromtimestamp(time.time(), UTC))
