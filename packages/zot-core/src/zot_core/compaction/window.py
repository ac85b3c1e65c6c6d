"""`ContextWindows`: how large the context window of the agent's model is, as far as anybody knows."""

import asyncio

from zot_core.agent import Agent
from zot_provider.errors import ZotError
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.router import RoutingClient
from zot_provider.transport.url import parse_url

HERE, ELSEWHERE = 32_768, 128_000
"""Tokens that a model is guessed to take whose window nobody knows: on a server of this machine, and on others."""

_LIST_SECONDS = 2.5
"""Seconds to wait for the server's list of models."""


class Window(Record):
    """A context window in tokens, 0 if nothing can be said of it. `guessed`: nobody has named it."""

    tokens: int
    guessed: bool = False


class ContextWindows:
    """The windows of the models of one agent: what the catalogue says, or the server's list, or a refusal; else a
    careful guess, because without a window a conversation would never be compacted."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._learned: dict[tuple[str, str], int] = {}
        self._asked: set[tuple[str, str]] = set()

    @property
    def current(self) -> Window:
        """The window of the agent's model."""
        model = self._agent.model
        known = self._learned.get(_key(model)) or model.context_window
        return Window(known) if known else Window(self._guess(model), guessed=True)

    def learn(self, tokens: int) -> None:
        """Take note of what a server has said of the agent's model, unless its window is known to be smaller."""
        known = self.current
        if tokens > 0 and (known.guessed or tokens < known.tokens):
            self._learned[_key(self._agent.model)] = tokens

    async def look_up(self) -> None:
        """Ask the server's list once for a window that is only guessed. A list that cannot be had changes nothing."""
        client, model = self._agent.client, self._agent.model
        key = _key(model)
        if not isinstance(client, RoutingClient) or key in self._asked or not self.current.guessed:
            return
        self._asked.add(key)
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                listed = await client.list_models(model.provider)
        except (ZotError, TimeoutError):
            return
        found = next((each for each in listed if isinstance(each, Model) and each.id == model.id), None)
        if found is not None and found.context_window:
            self._learned[key] = found.context_window

    def _guess(self, model: Model) -> int:
        client = self._agent.client
        if not isinstance(client, RoutingClient) or not model.provider:
            return 0
        address = client.registry.address(model.provider)
        if not address:  # it runs in this process
            return 0
        try:
            return HERE if parse_url(address).local else ELSEWHERE
        except ZotError:
            return ELSEWHERE


def _key(model: Model) -> tuple[str, str]:
    return model.provider, model.id
