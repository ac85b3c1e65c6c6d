"""`ServedSession`: a host that is served to several clients."""

import asyncio
import secrets
from typing import Any

from zot_agent.host import Host
from zot_agent.rpc.service import RpcService
from zot_agent.serve.feed import SessionFeed, FeedFollower
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.http_error import HttpError
from zot_core.clock import timestamp

_TITLE = 80
"""Characters of the first message that stand for a session in a list."""


class _PendingResponse:
    """Waits for the one response to a command."""

    def __init__(self) -> None:
        self.line: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def respond(self, line: str) -> None:
        if not self.line.done():
            self.line.set_result(line)


class ServedSession:
    """One agent, what is asked of it and what it tells. `id` names it among those of the process."""

    def __init__(self, host: Host, limits: ServeLimits) -> None:
        self.id = secrets.token_hex(8)
        self.host, self.limits = host, limits
        self.feed = SessionFeed(limits.rpc, limits.ring)
        self._service = RpcService(host, self.feed, limits.rpc, token="", wrong_token=lambda: None)
        self.created = timestamp()
        self._answers = 0
        self._closing = False
        self._used_at = asyncio.get_running_loop().time()
        host.conversation.events.add(lambda _: self._touch())

    def _touch(self) -> None:
        self._used_at = asyncio.get_running_loop().time()

    @property
    def idle(self) -> float:
        """Seconds since anybody had to do with it; 0 while somebody follows it or something is to be done."""
        if self.feed.followers or self._answers or self.host.conversation.busy:
            return 0.0
        return asyncio.get_running_loop().time() - self._used_at

    @property
    def path(self) -> str:
        """Its file; empty if it has none."""
        stored = self.host.runtime.session
        return stored.path if stored is not None else ""

    def describe(self) -> dict[str, Any]:
        """What a list of sessions says of it."""
        state, conversation = self.host.runtime.state, self.host.conversation
        said = next((message.text for message in self.host.runtime.messages if message.role == "user"), "")
        return {
            "id": self.id,
            "cwd": state.cwd,
            "provider": state.provider,
            "model": state.model,
            "reasoning": state.reasoning,
            "session_id": state.session_id,
            "title": " ".join(said.split())[:_TITLE],
            "message_count": state.message_count,
            "busy": conversation.busy,
            "queued": len(conversation.waiting),
            "clients": len(self.feed.followers),
            "created": self.created,
        }

    def follow(self, after: int | None = None) -> FeedFollower:
        """A new follower: see `SessionFeed.follow`. Raises `HttpError` where there are too many."""
        if len(self.feed.followers) >= self.limits.clients:
            raise HttpError(429, f"{self.limits.clients} clients follow this session already")
        self._touch()
        return self.feed.follow(after)

    def leave(self, follower: FeedFollower) -> None:
        """`follower` is gone."""
        follower.end()
        self._touch()

    def receive(self, command: bytes, asker: FeedFollower) -> None:
        """Do what a follower's command says; the response is one of its lines."""
        self._touch()
        self._service.receive(command, asker)

    async def answer(self, command: bytes) -> str:
        """The response to a command. Raises `HttpError` where it takes too long."""
        answer = _PendingResponse()
        self._answers += 1
        try:
            self._service.receive(command, answer)
            async with asyncio.timeout(self.limits.answer):
                return await answer.line
        except TimeoutError:
            raise HttpError(504, f"the command was not answered within {self.limits.answer:g} s") from None
        finally:
            self._answers -= 1
            self._touch()

    async def close(self) -> None:
        """Stop what runs and what it started, let the clients go, release everything. Closing twice is harmless."""
        if self._closing:
            return
        self._closing = True
        self._service.stop()
        try:
            await self._service.answered()
        finally:
            self.feed.close()
            await self.host.close()
