"""The tables and rows that every released version has made in Postgres are read by this one, and worked on."""

from pathlib import Path

import psycopg
import pytest
from fleet_servers import Postgres

from zot_agent.fleet.store.postgres import PostgresStore
from zot_core.runtime.run_rows import run_of_rows
from zot_core.sessions.file import SessionFile, load
from zot_provider.messages import Message, TextBlock

STORED = sorted((Path(__file__).parents[1] / "compat").glob("*/fleet.sql"))


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.parent.name)
def test_a_run_of_an_earlier_version_is_read_and_continued(stored: Path, database: Postgres, tmp_path: Path) -> None:
    name = f"zot_{stored.parent.name.replace('.', '_')}"
    database.execute(f"CREATE DATABASE {name}")
    address = f"{database.address.rpartition('/')[0]}/{name}"
    with psycopg.connect(address) as connection:
        connection.execute(stored.read_bytes())
    store = PostgresStore(address)
    try:
        assert store.names() == ["second"]
        rows = store.read("second")
        run = run_of_rows(rows)
        assert run is not None
        assert (run.task, run.state) == ("make the second line Italian", "done")
        path, log = store.open("second", 2, str(tmp_path))
        stored_session = load(path)
        session = SessionFile(path, stored_session.meta, resume=stored_session, log=log)
        session.append(Message("user", [TextBlock("and now?")]))
        session.close()
        assert store.read("second").startswith(rows)
        assert b"and now?" in store.read("second")
    finally:
        store.close()
