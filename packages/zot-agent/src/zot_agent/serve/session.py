"""`ServedSession`: one agent that several clients use."""

import asyncio
import secrets
from typing import Any

from zot_agent.host.host import Host
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.rpc.service import RpcService
from zot_agent.serve.feed import FeedFollower, SessionFeed
from zot_agent.serve.http_error import HttpError
from zot_agent.serve.limits import ServeLimits
from zot_core.clock import timestamp

_TITLE = 80
"""Characters of the first message that are the title of a session in a list."""


class _PendingResponse:
    """The sender of one command, and the response to it."""

    def __init__(self) -> None:
        self.line: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def over(self) -> bool:
        return self.line.done()

    def respond(self, line: str) -> None:
        if not self.line.done():
            self.line.set_result(line)


class ServedSession:
    """One agent with its commands and events. `id` identifies it in this process."""

    def __init__(self, host: Host, limits: ServeLimits, stored: StoredSessions) -> None:
        self.id = secrets.token_hex(8)
        self.host, self.limits = host, limits
        self.feed = SessionFeed(limits.rpc, limits.kept_bytes)
        self._service = RpcService(
            host, self.feed, limits.rpc, token="", no_token=lambda: None, stored=stored, front_end="serve"
        )
        self.created = timestamp()
        self._pending = 0
        self._closing = False
        self._used_at = asyncio.get_running_loop().time()
        host.conversation.events.add(lambda _: self._touch())

    def _touch(self) -> None:
        self._used_at = asyncio.get_running_loop().time()

    @property
    def idle(self) -> float:
        """Seconds since its last use; 0 while it has followers or work."""
        if self.feed.followers or self._pending or self.host.conversation.busy:
            return 0.0
        return asyncio.get_running_loop().time() - self._used_at

    @property
    def path(self) -> str:
        """The path of its session file, or an empty string."""
        stored = self.host.runtime.session
        return stored.path if stored is not None else ""

    def describe(self) -> dict[str, Any]:
        """Describe it for a list of sessions, as JSON."""
        state, conversation = self.host.runtime.state, self.host.conversation
        first = next((message.shown_text for message in self.host.runtime.messages if message.is_prompt), "")
        return {
            "id": self.id,
            "cwd": state.cwd,
            "provider": state.provider,
            "model": state.model,
            "reasoning": state.reasoning,
            "session_id": state.session_id,
            "title": " ".join(first.split())[:_TITLE],
            "message_count": state.message_count,
            "busy": conversation.busy,
            "queued": len(conversation.waiting),
            "clients": len(self.feed.followers),
            "created": self.created,
        }

    def follow(self, after: int | None = None) -> FeedFollower:
        """Add a follower: see `SessionFeed.follow`. Raises `HttpError` if there are too many."""
        if len(self.feed.followers) >= self.limits.clients:
            raise HttpError(429, f"{self.limits.clients} clients follow this session already")
        self._touch()
        return self.feed.follow(after)

    def leave(self, follower: FeedFollower) -> None:
        follower.end()
        self._touch()

    def receive(self, command: bytes, follower: FeedFollower) -> None:
        """Carry out a command of a follower, whose lines the response joins."""
        self._touch()
        self._service.receive(command, follower)

    async def answer(self, command: bytes) -> str:
        """Carry out a command and return the response. Raises `HttpError` if it takes too long."""
        pending = _PendingResponse()
        self._pending += 1
        try:
            self._service.receive(command, pending)
            async with asyncio.timeout(self.limits.answer_seconds):
                return await pending.line
        except TimeoutError:
            raise HttpError(504, f"the command was not answered within {self.limits.answer_seconds:g} s") from None
        finally:
            self._pending -= 1
            self._touch()

    async def close(self) -> None:
        """Stop all work and its child processes, end the followers, release everything. Closing twice is harmless."""
        if self._closing:
            return
        self._closing = True
        self._service.stop()
        try:
            await self._service.answered()
        finally:
            self.feed.close()
            await self.host.close()
