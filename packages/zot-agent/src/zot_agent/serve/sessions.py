"""`Sessions`: the open sessions of the process, by id."""

import asyncio
import json
import logging

from zot_agent.host.build import build_host
from zot_agent.host.options import HostOptions
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.serve.allowed_dirs import AllowedDirs
from zot_agent.serve.http_error import HttpError
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.session import ServedSession
from zot_agent.serve.session_request import options_for
from zot_core.aio import spawn
from zot_core.errors import SessionLocked

_log = logging.getLogger("zot_agent.serve")


class Sessions:
    """Opens, finds and closes sessions. `watch` closes idle ones."""

    def __init__(self, defaults: HostOptions, allowed: AllowedDirs, limits: ServeLimits) -> None:
        """`defaults` are the options that a client does not set."""
        self._defaults, self.allowed, self._limits = defaults, allowed, limits
        self.stored = StoredSessions(allowed.has)
        """The stored sessions of the directories that are served."""
        self._open: dict[str, ServedSession] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._ended = False

    def all(self) -> list[ServedSession]:
        """List the open sessions, oldest first."""
        return list(self._open.values())

    def find(self, id: str) -> ServedSession:
        """Return the open session with this id. Raises `HttpError`."""
        if id not in self._open:
            raise HttpError(404, f"no session {id!r} is open here")
        return self._open[id]

    async def open(self, body: bytes) -> tuple[ServedSession, list[str]]:
        """Open the session that the JSON of a client describes; also returns notes for the user. Raises `HttpError` and
        `ConfigError`."""
        if self._ended:
            raise HttpError(503, "the process is about to end")
        if len(self._open) + len(self._closing) >= self._limits.sessions:
            raise HttpError(429, f"{self._limits.sessions} sessions are open already; close one")
        try:
            request = json.loads(body) if body.strip() else {}
        except (ValueError, RecursionError) as error:
            raise HttpError(400, f"malformed json: {error}") from None
        options = options_for(request, self._defaults, self.allowed, self.stored)
        try:
            host = build_host(options, once=False)
        except SessionLocked as error:
            here = next((each.id for each in self.all() if each.path and each.path == options.session), "")
            raise HttpError(409, f"this session is open here already, as {here}" if here else str(error)) from None
        session = ServedSession(host, self._limits, self.stored)
        self._open[session.id] = session
        answers = await host.ask_about_project()
        return session, [*host.notes, *answers]

    async def close(self, id: str) -> None:
        """Close one session. Raises `HttpError`."""
        await asyncio.wait([self._start_closing(self.find(id))])

    def _start_closing(self, session: ServedSession) -> "asyncio.Task[None]":
        del self._open[session.id]
        task = spawn(self._close(session), f"close session {session.id}")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task

    async def _close(self, session: ServedSession) -> None:
        try:
            await session.close()
        except Exception as error:  # noqa: BLE001  the top of a task; the others must be closed nevertheless
            _log.error("session %s was not closed properly", session.id, exc_info=error)

    async def close_all(self) -> None:
        self._ended = True
        for session in self.all():
            self._start_closing(session)
        if self._closing:
            await asyncio.wait(self._closing)

    async def watch(self) -> None:
        """Close sessions that have been idle for too long, until cancelled."""
        limit = self._limits.idle_seconds
        while limit:
            await asyncio.sleep(min(limit / 4, 30.0))
            for session in self.all():
                if session.idle >= limit:
                    _log.info("session %s is closed: nobody has used it for %g s", session.id, limit)
                    self._start_closing(session)
