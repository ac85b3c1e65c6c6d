"""`Story`: follows one conversation and says what its events mean together: a turn that is complete, another model."""

from collections.abc import Callable, Mapping
from typing import Any

from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed
from zot_core.events import (
    AssistantStart,
    CompactDone,
    CompactStart,
    Done,
    ToolCall,
    ToolResultEvent,
    ToolStart,
    TurnEnd,
    TurnStart,
)
from zot_provider.messages import Message
from zot_provider.record import Record


class ProviderAnswer(Record):
    """A provider has begun to answer. Names of headers are in lower case."""

    provider: str
    model: str
    status: int
    headers: Mapping[str, str]


class RunBegun(Record):
    """The first turn of a run begins."""


class Settled(Record):
    """A run has ended, and nothing waits."""


class TurnComplete(Record):
    """A turn has ended and its tools have run. `answer` is None if the turn has none."""

    step: int
    answer: Message | None
    results: list[Message]


class ToolEnded(Record):
    """A tool that had begun to run has ended."""

    result: ToolResultEvent


class CompactionEnded(Record):
    completed: bool


class ModelChanged(Record):
    """Another model answers; each is a provider and a model."""

    model: tuple[str, str]
    before: tuple[str, str]


class LevelChanged(Record):
    """Another reasoning level."""

    level: str
    before: str


class ToolsChanged(Record):
    """The model gets other tools."""

    names: list[str]


class TitleChanged(Record):
    """The session has another title."""

    title: str


class QueueChanged(Record):
    """Prompts wait, or do not wait any more."""

    waiting: list[str]
    unread: list[str]
    busy: bool


FOLLOWED = frozenset(
    (AssistantStart, Changed, CompactDone, CompactStart, Done, ToolCall, ToolResultEvent, ToolStart, TurnEnd, TurnStart)
)
"""The classes of events that a `Story` needs."""


class Story:
    """Follows the events of an agent, and the settings of its `conversation`; `tell` gets each of the records above."""

    def __init__(self, tell: Callable[[Any], None], conversation: Conversation | None) -> None:
        self._tell, self._conversation = tell, conversation
        self._step = 0
        self._answer: Message | None = None
        self._results: list[Message] = []
        self._open: set[str] = set()  # calls without a result
        self._began: set[str] = set()  # calls that have begun to run
        self._ended = self._compacting = False
        self._file = ""
        self._busy = conversation is not None and conversation.busy
        self._settings: tuple[tuple[str, str], str, list[str]] = (("", ""), "", [])
        if conversation is not None:
            self._settings = self._current_settings(conversation)
        self.switch()

    def switch(self) -> str:
        """Return the file of the session before, because the conversation continues in another one."""
        before, session = self._file, None if self._conversation is None else self._conversation.runtime.session
        self._file = "" if session is None else session.path
        return before

    def before(self, event: object) -> None:
        """Report the state before `event` is reported."""
        if isinstance(event, TurnStart):
            self._step, self._answer, self._results, self._ended = event.step, None, [], False
            self._open.clear()
            if event.step == 1:
                self._tell(RunBegun())
            if self._conversation is not None:
                self._compare_settings(self._conversation)
        if self._compacting and isinstance(event, TurnStart | AssistantStart | Done | CompactDone):
            self._compacting = False
            self._tell(CompactionEnded(isinstance(event, CompactDone)))

    def message(self, message: Message) -> None:
        if message.role == "assistant":
            self._answer = message
        elif message.role == "tool":
            self._results.append(message)

    def after(self, event: object) -> None:
        """Report the state after `event` was reported."""
        match event:
            case ToolCall():
                self._open.add(event.id)
            case ToolStart():
                self._began.add(event.id)
            case ToolResultEvent():
                self._open.discard(event.id)
                if event.id in self._began:
                    self._began.discard(event.id)
                    self._tell(ToolEnded(event))
                self._end_turn()
            case TurnEnd():
                self._ended = True
                self._end_turn()
            case CompactStart():
                self._compacting = True
            case Changed():
                self._changed(event)

    def _end_turn(self) -> None:
        if self._ended and not self._open and self._step:  # 0 if it has begun in the middle of a turn
            self._ended = False
            self._tell(TurnComplete(self._step, self._answer, self._results))

    def _changed(self, event: Changed) -> None:
        conversation = self._conversation
        if conversation is None:
            return
        if event.what == "queue":
            waiting = [each.typed for each in conversation.waiting]
            self._tell(QueueChanged(waiting, conversation.unread, conversation.busy))
            if self._busy and not conversation.busy:
                self._tell(Settled())
            self._busy = conversation.busy
        elif event.what == "title" and conversation.runtime.session is not None:
            self._tell(TitleChanged(conversation.runtime.session.meta.title))
        elif event.what == "settings":
            self._compare_settings(conversation)

    def _compare_settings(self, conversation: Conversation) -> None:
        before, self._settings = self._settings, self._current_settings(conversation)
        model, level, tools = self._settings
        if model != before[0]:
            self._tell(ModelChanged(model, before[0]))
        if level != before[1]:
            self._tell(LevelChanged(level, before[1]))
        if tools != before[2]:
            self._tell(ToolsChanged(tools))

    @staticmethod
    def _current_settings(conversation: Conversation) -> tuple[tuple[str, str], str, list[str]]:
        agent = conversation.runtime.agent
        return (agent.model.provider, agent.model.id), agent.reasoning, sorted(agent.tools)
