"""`PostgresStore`: the rows of runs in Postgres, appended in order by the newest attempt alone.

```text
zot_run   id, attempt, rows, size, submissions, changed     one line for each run: who may write, and what is there
zot_row   run, number, attempt, data | blob                 the rows, numbered from 0; a long one by its hash
zot_blob  run, hash, data                                   contents of a run by their SHA-256
```

An append is one statement: it counts the row in `zot_run` if the attempt and the number of rows are what the writer
believes, and inserts it then. So a worker that was declared dead cannot append, and a statement whose answer was lost
can be sent again.
"""

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import psycopg

from zot_agent.fleet.store.copy import COPY, write_copy
from zot_agent.fleet.store.interface import StoreAway, StoreLimits
from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.sessions.row_log.interface import RowLog
from zot_core.sessions.row_log.row_file import RowFile

T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS zot_run (
  id text PRIMARY KEY, attempt bigint NOT NULL DEFAULT 0, rows bigint NOT NULL DEFAULT 0,
  size bigint NOT NULL DEFAULT 0, submissions bigint NOT NULL DEFAULT 0, changed timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS zot_row (
  run text NOT NULL REFERENCES zot_run ON DELETE CASCADE, number bigint NOT NULL, attempt bigint NOT NULL,
  data bytea, blob bytea, PRIMARY KEY (run, number));
CREATE TABLE IF NOT EXISTS zot_blob (
  run text NOT NULL REFERENCES zot_run ON DELETE CASCADE, hash bytea NOT NULL, data bytea NOT NULL,
  PRIMARY KEY (run, hash));
"""
"""The tables. Tables of an earlier version stay as they are."""
_SCHEMA_LOCK = 0x7A6F74

_APPEND = """
WITH owner AS (
  UPDATE zot_run SET rows = rows + 1, size = size + %(size)s, changed = now()
  WHERE id = %(run)s AND attempt = %(attempt)s AND rows = %(number)s RETURNING id)
INSERT INTO zot_row (run, number, attempt, data, blob)
SELECT id, %(number)s, %(attempt)s, %(data)s, %(blob)s FROM owner
"""
_ALL = """
SELECT row.number, coalesce(row.data, blob.data) FROM zot_row AS row
LEFT JOIN zot_blob AS blob ON blob.run = row.run AND blob.hash = row.blob
WHERE row.run = %s AND row.number < %s ORDER BY row.number
"""


class PostgresStore:
    """A `FleetStore` in a Postgres database, at an address such as `postgresql://user@host/database`."""

    def __init__(self, address: str, limits: StoreLimits | None = None) -> None:
        self.limits = limits or StoreLimits()
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None
        self._checked = False

    def create(self, id: str, rows: list[bytes]) -> bool:
        def work(connection: "psycopg.Connection[Any]") -> bool:
            with connection.transaction():
                made = connection.execute("INSERT INTO zot_run (id) VALUES (%s) ON CONFLICT DO NOTHING", [id]).rowcount
                for number, row in enumerate(rows if made else ()):
                    connection.execute(_APPEND, self._values(connection, id, 0, number, row))
            return bool(made)

        return self._do(work)

    def submit(self, id: str) -> int:
        change = "UPDATE zot_run SET submissions = submissions + 1, changed = now() WHERE id = %s RETURNING submissions"
        found = self._do(lambda connection: connection.execute(change, [id]).fetchone())
        if found is None:
            raise SessionNotFound(f"no run {id} in the store")
        return int(found[0])

    def read(self, id: str, first: int = 0) -> bytes:
        return self._do(lambda connection: self._read(connection, id, first))[1]

    def _read(self, connection: "psycopg.Connection[Any]", id: str, first: int = 0) -> tuple[int, bytes]:
        found = connection.execute("SELECT rows FROM zot_run WHERE id = %s", [id]).fetchone()
        if found is None:
            raise SessionNotFound(f"no run {id} in the store")
        count = min(first, found[0]) if first else found[0]
        rows = connection.execute(_ALL, [id, count]).fetchall()
        if [number for number, _ in rows] != list(range(count)) or any(data is None for _, data in rows):
            raise SessionError(f"rows of the run {id} are missing in the store")
        return len(rows), b"".join(data for _, data in rows)

    def open(self, id: str, attempt: int, folder: str) -> tuple[str, RowLog]:
        take = "UPDATE zot_run SET attempt = %(attempt)s WHERE id = %(id)s AND attempt < %(attempt)s"

        def work(connection: "psycopg.Connection[Any]") -> tuple[int, bytes]:
            with connection.transaction():
                if not connection.execute(take, {"id": id, "attempt": attempt}).rowcount:
                    self._read(connection, id)
                    raise SessionLocked(f"another worker has taken up run {id}")
                return self._read(connection, id)

        number, rows = self._do(work)
        path = os.path.join(folder, COPY)
        write_copy(path, rows)
        return path, _StoredRows(self, id, attempt, number, path)

    def append(self, id: str, attempt: int, number: int, row: bytes) -> None:
        """Append the row with this number. Raises `SessionLocked` if another attempt has the run by now."""

        def work(connection: "psycopg.Connection[Any]") -> None:
            if connection.execute(_APPEND, self._values(connection, id, attempt, number, row)).rowcount:
                return
            there = connection.execute(
                "SELECT attempt FROM zot_row WHERE run = %s AND number = %s", [id, number]
            ).fetchone()
            if there is None or there[0] != attempt:  # else its answer was lost
                raise SessionLocked(f"another worker has taken up run {id}")

        self._do(work)

    def _values(
        self, connection: "psycopg.Connection[Any]", run: str, attempt: int, number: int, row: bytes
    ) -> dict[str, Any]:
        values = {"run": run, "attempt": attempt, "number": number, "size": len(row), "data": row, "blob": None}
        if len(row) > self.limits.row_bytes:
            values |= {"data": None, "blob": _put(connection, run, row)}
        return values

    def names(self) -> list[str]:
        found = self._do(
            lambda connection: connection.execute("SELECT id FROM zot_run ORDER BY changed DESC").fetchall()
        )
        return [str(each[0]) for each in found]

    def submissions(self, id: str) -> int:
        select = "SELECT submissions FROM zot_run WHERE id = %s"
        found = self._do(lambda connection: connection.execute(select, [id]).fetchone())
        if found is None:
            raise SessionNotFound(f"no run {id} in the store")
        return int(found[0])

    def unchanged(self, seconds: float) -> list[str]:
        select = "SELECT id FROM zot_run WHERE changed < now() - make_interval(secs => %s)"
        found = self._do(lambda connection: connection.execute(select, [seconds]).fetchall())
        return [str(each[0]) for each in found]

    def remove(self, id: str, submission: int) -> bool:
        delete = "DELETE FROM zot_run WHERE id = %s AND submissions <= %s"
        return self._do(lambda connection: connection.execute(delete, [id, submission]).rowcount) > 0

    def put(self, id: str, data: bytes) -> str:
        return self._do(lambda connection: _put(connection, id, data)).hex()

    def get(self, id: str, hash: str) -> bytes:
        with suppress(ValueError):
            select, key = "SELECT data FROM zot_blob WHERE run = %s AND hash = %s", bytes.fromhex(hash)
            found = self._do(lambda connection: connection.execute(select, [id, key]).fetchone())
            if found is not None:
                return bytes(found[0])
        raise SessionNotFound(f"no content {hash[:64]} of the run {id} in the store")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _do(self, work: "Callable[[psycopg.Connection[Any]], T]") -> T:
        """Do `work`, which may be done twice, on a connection; connect again while there is time."""
        begin = time.monotonic()
        while True:
            try:
                return work(self._connected())
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                self.close()
                wait = self.limits.away_seconds if self._checked else self.limits.first_seconds
                if time.monotonic() > begin + wait:
                    raise StoreAway(self._away(error)) from error
                time.sleep(self.limits.pause)
            except psycopg.Error as error:
                raise SessionError(f"the store of the fleet refuses: {str(error).strip().splitlines()[0]}") from error

    def _away(self, error: psycopg.Error) -> str:
        reason = (str(error).strip().splitlines() or ["no reason"])[0].removeprefix("connection failed: ")
        if self._checked:
            return f"the store of the fleet is away: {reason}"
        return f"the store of the fleet does not answer: {reason}; --store or ZOT_FLEET_STORE names another"

    def _connected(self) -> "psycopg.Connection[Any]":
        if self._connection is None:
            limits = self.limits
            self._connection = psycopg.connect(
                self._address,
                autocommit=True,
                connect_timeout=max(2, round(limits.connect_seconds)),
                tcp_user_timeout=round(limits.answer_seconds * 1000),
                options=f"-c statement_timeout={round(limits.answer_seconds * 1000)}",
                application_name="zot",
            )
        if not self._checked:
            self._make_tables(self._connection)
            self._checked = True
        return self._connection

    def _make_tables(self, connection: "psycopg.Connection[Any]") -> None:
        found = connection.execute("SELECT to_regclass('zot_blob')").fetchone()
        if found is None or found[0] is None:
            with connection.transaction():  # of two workers that start, one makes them
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_SCHEMA_LOCK])
                connection.execute(SCHEMA)


def _put(connection: "psycopg.Connection[Any]", run: str, data: bytes) -> bytes:
    hash = hashlib.sha256(data).digest()
    insert = "INSERT INTO zot_blob (run, hash, data) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
    there = "SELECT 1 FROM zot_blob WHERE run = %s AND hash = %s"
    if connection.execute(there, [run, hash]).fetchone() is None:
        try:
            connection.execute(insert, [run, hash, data])
        except psycopg.errors.ForeignKeyViolation:
            raise SessionNotFound(f"no run {run} in the store") from None
    return hash


class _StoredRows:
    """The rows of a run that this process has taken up: in the store first, then in the copy at `path`."""

    def __init__(self, store: PostgresStore, id: str, attempt: int, number: int, path: str) -> None:
        self._store, self._id, self._attempt, self._number = store, id, attempt, number
        self._copy = RowFile(path)
        self._failure: SessionError | None = None

    @property
    def end(self) -> int:
        return self._copy.end

    def create(self) -> None:
        """See `RowLog`. A run of the store always has rows."""
        raise SessionError(f"run {self._id} is there already")

    def resume(self, size: int, *, torn: bool) -> None:
        self._copy.resume(size, torn=torn)

    def append(self, row: bytes) -> int:
        """See `RowLog`. After a failure all further appends fail: no row may be missing before another one."""
        if self._failure is not None:
            raise self._failure
        try:
            self._store.append(self._id, self._attempt, self._number, row)
            self._number += 1
            return self._copy.append(row)
        except SessionError as error:
            self._failure = error
            raise

    def discard(self) -> None:
        self.close()

    def close(self) -> None:
        self._copy.close()
