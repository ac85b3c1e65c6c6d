"""Agents for tests: `make_agent`, `run_to_end`, `record`, and `EventClient`, a client with scripted stream events."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence

from zot_core.agent import Agent, user_message
from zot_core.events import AgentEvent
from zot_core.hooks import Hooks
from zot_core.machine.interface import Files, Shell
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_provider.client.http import Client
from zot_provider.events import StreamEvent
from zot_provider.messages import ImageBlock, Message
from zot_provider.model import Model
from zot_provider.request import Request

PIXEL = ImageBlock(
    "image/png",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==",
)
"""The smallest PNG: one white pixel."""


def make_agent(
    client: Client,
    *tools: Tool,
    model: Model | None = None,
    hooks: Hooks | None = None,
    files: Files | None = None,
    shell: Shell | None = None,
    system: str = "",
    messages: Iterable[Message] = (),
) -> Agent:
    """Create an agent that works in `/proj`, by default with files in memory and a fake shell."""
    context = ToolContext("/proj", files or MemoryFiles(), shell or FakeShell())
    model = model or Model("scripted", "scripted")
    return Agent(client, model, tools=tools, context=context, hooks=hooks, system=system, messages=messages)


def record(agent: Agent) -> list[AgentEvent]:
    """Return a list to which all events of the agent are appended from now on."""
    events: list[AgentEvent] = []
    agent.hooks.event.add(events.append)
    return events


def run_to_end(agent: Agent, *texts: str) -> list[AgentEvent]:
    """Answer `texts` in a new event loop and return the agent's events."""
    events: list[AgentEvent] = []
    remove = agent.hooks.event.add(events.append)
    asyncio.run(agent.run(*map(user_message, texts)))
    remove()
    return events


def types(events: Iterable[AgentEvent]) -> list[str]:
    """Return the types of the events, with runs of the same type reduced to one."""
    names = [event.type for event in events]
    return [name for position, name in enumerate(names) if names[position - 1 : position] != [name]]


class EventClient(Client):
    """Plays back answers event by event.

    An exception among the events is raised; None sets `hanging` and waits until the answer is cancelled. The last
    answer is repeated for further requests. `requests` holds the requests received.
    """

    def __init__(self, *answers: Sequence[StreamEvent | BaseException | None]) -> None:
        self._answers = answers
        self.requests: list[Request] = []
        self.hanging = asyncio.Event()
        self.closed = False

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `Client`; each batch has one event."""
        self.requests.append(request)
        for event in self._answers[min(len(self.requests), len(self._answers)) - 1]:
            await asyncio.sleep(0)
            if event is None:
                self.hanging.set()
                await asyncio.get_running_loop().create_future()
            elif isinstance(event, BaseException):
                raise event
            else:
                yield [event]

    async def close(self) -> None:
        self.closed = True
