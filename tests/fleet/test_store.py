"""The stores of a fleet: what is appended is there, in order, once, and from the newest attempt alone."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_servers import CuttingProxy, Postgres
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_agent.fleet.store.folder import FolderStore
from zot_agent.fleet.store.interface import FleetStore, StoreAway, StoreLimits
from zot_agent.fleet.store.postgres import PostgresStore
from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.runtime.run_rows import first_run_row, read_run, run_of_rows, run_row
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta, meta_row, to_bytes
from zot_provider.messages import Message, TextBlock


def first_rows(id: str) -> list[bytes]:
    meta = Meta("0123", "/", "", "", "2026-01-01T00:00:00.000Z", other={"run": id})
    return [to_bytes(meta_row(meta)), to_bytes(first_run_row(id, "do it", "0"))]


def take(store: FleetStore, id: str, attempt: int, folder: Path) -> SessionFile:
    path, log = store.open(id, attempt, str(folder))
    stored = load(path)
    return SessionFile(path, stored.meta, resume=stored, log=log)


def say(text: str) -> Message:
    return Message("user", [TextBlock(text)])


@pytest.fixture(params=["folder", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FleetStore]:
    made: FleetStore
    if request.param == "folder":
        made = FolderStore(str(tmp_path / "store"))
    else:
        made = PostgresStore(request.getfixturevalue("database").address)
        for table in ("zot_run", "zot_blob") if made.names() is not None else ():
            request.getfixturevalue("database").execute(f"TRUNCATE {table} CASCADE")
    yield made
    made.close()


@pytest.fixture
def proxy(database: Postgres) -> Iterator[CuttingProxy]:
    made = CuttingProxy(database.port)
    yield made
    made.close()


def test_a_run_has_the_rows_that_were_appended_in_order(store: FleetStore, tmp_path: Path) -> None:
    assert store.create("one", first_rows("one"))
    session = take(store, "one", 1, tmp_path / "a")
    for number in range(20):
        session.append(say(f"message {number}"))
    session.close()
    rows = store.read("one")
    assert rows == Path(session.path).read_bytes()
    assert [message.text for message in load(session.path).messages] == [f"message {number}" for number in range(20)]
    found = run_of_rows(rows)
    assert found is not None
    assert (found.id, found.task) == ("one", "do it")
    assert store.names() == ["one"]


def test_of_two_that_create_a_run_one_makes_it(store: FleetStore) -> None:
    assert [store.create("one", first_rows("one")) for _ in range(2)] == [True, False]
    assert store.read("one").count(b"\n") == 2


def test_submissions_have_growing_numbers(store: FleetStore) -> None:
    store.create("one", first_rows("one"))
    assert [store.submit("one") for _ in range(3)] == [1, 2, 3]
    with pytest.raises(SessionNotFound, match="no run two"):
        store.submit("two")


def test_a_worker_that_was_declared_dead_cannot_append(database: Postgres, tmp_path: Path) -> None:
    store, other = PostgresStore(database.address), PostgresStore(database.address)
    store.create("fenced", first_rows("fenced"))
    dead = take(store, "fenced", 1, tmp_path / "a")
    dead.append(say("from the first"))
    alive = take(other, "fenced", 2, tmp_path / "b")
    for _ in range(2):
        with pytest.raises(SessionLocked, match="another worker has taken up run fenced"):
            dead.append(say("too late"))
    alive.append(say("from the second"))
    for attempt in (1, 2):
        with pytest.raises(SessionLocked):
            store.open("fenced", attempt, str(tmp_path / "c"))
    assert b"too late" not in store.read("fenced")
    assert store.read("fenced") == Path(alive.path).read_bytes()
    attempts = database.execute("SELECT attempt FROM zot_row WHERE run = 'fenced' ORDER BY number")
    assert attempts == [(0,), (0,), (1,), (2,)]
    for each in (dead, alive, store, other):
        each.close()


def test_a_folder_belongs_to_the_process_that_has_the_lock_and_then_to_the_newest_attempt(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path / "store"))
    store.create("one", first_rows("one"))
    first = take(store, "one", 5, tmp_path)
    with pytest.raises(SessionLocked):
        take(store, "one", 6, tmp_path)
    first.close()
    with pytest.raises(SessionLocked, match="another worker"):
        take(store, "one", 5, tmp_path)
    take(store, "one", 6, tmp_path).close()


def test_a_row_whose_answer_was_lost_is_there_once(database: Postgres, proxy: CuttingProxy, tmp_path: Path) -> None:
    store = PostgresStore(database.address.replace(str(database.port), str(proxy.port)), StoreLimits(pause=0.01))
    store.create("cut", first_rows("cut"))
    session = take(store, "cut", 1, tmp_path)
    for number in range(30):
        if number % 3 == 0:
            proxy.cut()
        session.append(say(f"message {number}"))
    session.close()
    assert proxy.cuts >= 10
    assert store.read("cut") == Path(session.path).read_bytes()
    assert [message.text for message in load(session.path).messages] == [f"message {number}" for number in range(30)]
    store.close()


def test_appends_wait_for_a_store_that_is_started_again(database: Postgres, tmp_path: Path) -> None:
    store = PostgresStore(database.address, StoreLimits(pause=0.01, away_seconds=60))
    store.create("restart", first_rows("restart"))
    session = take(store, "restart", 1, tmp_path)
    session.append(say("before"))
    database.kill()
    starting = threading.Timer(0.3, database.start)
    starting.start()
    session.append(say("after"))
    starting.join()
    session.close()
    assert [message.text for message in load(session.path).messages] == ["before", "after"]
    assert store.read("restart") == Path(session.path).read_bytes()
    store.close()


def test_a_store_that_has_never_answered_is_waited_for_for_seconds_alone() -> None:
    began = time.monotonic()
    store = PostgresStore("postgresql://zot@127.0.0.1:1/none")
    with pytest.raises(StoreAway, match=r"the store of the fleet does not answer: .*refused; --store or ZOT_FLEET_"):
        store.names()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = PostgresStore(
            f"postgresql://zot@127.0.0.1:{silent.getsockname()[1]}/none", StoreLimits(connect_seconds=2)
        )
        with pytest.raises(StoreAway, match=r"the store of the fleet does not answer: .*timeout"):
            store.names()
    assert time.monotonic() - began < PATIENCE


def test_no_row_follows_after_one_that_could_not_be_stored(database: Postgres, tmp_path: Path) -> None:
    limits = StoreLimits(away_seconds=0.05, pause=0.01)
    store = PostgresStore(database.address, limits)
    store.create("hole", first_rows("hole"))
    session = take(store, "hole", 1, tmp_path)
    database.kill()
    with pytest.raises(StoreAway, match="the store of the fleet is away: "):
        session.append(say("lost"))
    database.start()
    with pytest.raises(StoreAway):
        session.append(say("must not be there without the one before"))
    assert store.read("hole").count(b"\n") == 2
    store.close()


def test_long_rows_are_kept_by_their_hash(database: Postgres, tmp_path: Path) -> None:
    store = PostgresStore(database.address)
    store.create("long", first_rows("long"))
    session = take(store, "long", 1, tmp_path)
    session.append(say("x" * 300_000))
    session.append(say("short"))
    session.close()
    assert database.execute("SELECT data IS NULL FROM zot_row WHERE run = 'long' ORDER BY number")[2:] == [
        (True,),
        (False,),
    ]
    assert store.read("long") == Path(session.path).read_bytes()
    store.close()


def test_content_of_a_run_is_found_by_its_hash(store: FleetStore) -> None:
    store.create("has", first_rows("has"))
    hash = store.put("has", b"content" * 1000)
    assert (store.put("has", b"content" * 1000), store.get("has", hash)) == (hash, b"content" * 1000)
    for unknown in ("0" * 64, "../x", ""):
        with pytest.raises(SessionNotFound):
            store.get("has", unknown)
    with pytest.raises(SessionNotFound):
        store.get("other", hash)
    with pytest.raises(SessionNotFound, match="no run other"):
        store.put("other", b"content")


def test_the_first_rows_of_a_run_can_be_read_alone(store: FleetStore, tmp_path: Path) -> None:
    store.create("long", first_rows("long"))
    session = take(store, "long", 1, tmp_path)
    session.append(say("more"))
    session.close()
    assert store.read("long", 2) == b"".join(first_rows("long")[:1]) + store.read("long").splitlines(keepends=True)[1]
    assert store.read("long", 9) == store.read("long")


def test_a_run_is_removed_with_its_contents_unless_it_was_submitted_again(store: FleetStore, tmp_path: Path) -> None:
    for id in ("old", "kept"):
        store.create(id, first_rows(id))
        store.submit(id)
    hashes = {id: store.put(id, b"the same content of two runs") for id in ("old", "kept")}
    assert store.submissions("old") == 1
    assert store.unchanged(3600.0) == []
    assert sorted(store.unchanged(-3600.0)) == ["kept", "old"]
    assert not store.remove("old", 0)
    session = take(store, "old", 1, tmp_path / "copy")
    assert store.remove("old", 1)
    assert not store.remove("old", 1)
    assert store.names() == ["kept"]
    for lost in (store.read, store.submit, store.submissions):
        with pytest.raises(SessionNotFound):
            lost("old")
    with pytest.raises(SessionNotFound):
        store.get("old", hashes["old"])
    assert store.get("kept", hashes["kept"]) == b"the same content of two runs"
    session.close()


def test_a_worker_cannot_append_to_a_run_that_was_removed(database: Postgres, tmp_path: Path) -> None:
    store = PostgresStore(database.address)
    store.create("removed", first_rows("removed"))
    session = take(store, "removed", 1, tmp_path)
    assert store.remove("removed", 0)
    with pytest.raises(SessionLocked):
        session.append(say("too late"))
    session.close()
    store.create("removed", first_rows("removed"))
    session = take(store, "removed", 1, tmp_path)
    store.remove("removed", 0)
    with pytest.raises(SessionNotFound):
        session.append(say("too late, and long" * 10_000))
    session.close()
    assert database.execute("SELECT count(*) FROM zot_row WHERE run = 'removed'") == [(0,)]
    store.close()


def test_rows_that_are_missing_are_said_and_not_passed_over(database: Postgres) -> None:
    store = PostgresStore(database.address)
    store.create("gap", first_rows("gap"))
    database.execute("DELETE FROM zot_row WHERE run = 'gap' AND number = 0")
    with pytest.raises(SessionError, match="rows of the run gap are missing"):
        store.read("gap")
    store.close()


@given(st.lists(st.lists(st.text(max_size=200), max_size=4), max_size=5))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_attempts_leave_the_rows_of_a_plain_file(
    database: Postgres, tmp_path: Path, attempts: list[list[str]]
) -> None:
    store = PostgresStore(database.address, StoreLimits(row_bytes=100))
    database.execute("DELETE FROM zot_run WHERE id = 'any'") if store.names() else None
    store.create("any", first_rows("any"))
    said: list[str] = []
    for number, texts in enumerate(attempts, 1):
        session = take(store, "any", number, tmp_path)
        session.add_row(run_row({"pid": number}))
        for text in texts:
            session.append(say(text))
        said += texts
        session.close()
        assert store.read("any") == Path(session.path).read_bytes()
        assert [message.text for message in load(session.path).messages] == said
        record = read_run(session.path)
        assert record is not None
        assert record.pid == number
    store.close()
