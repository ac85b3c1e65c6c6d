"""`UpdateFeed`: what happens in a session, as the protocol's session updates."""

import asyncio
from collections.abc import Callable, Mapping

from zot_agent.acp import calls
from zot_agent.acp.calls import Json
from zot_core.conversation.events import ConversationEvent
from zot_core.display import CodeDisplay, DisplayBlock
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    CompactDone,
    Done,
    ErrorEvent,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    UsageEvent,
    UserMessage,
)
from zot_provider.model import Model

PAUSE = 0.1
"""Seconds between two looks at what a running tool has printed."""
TAIL = 8000
"""Characters of its output that are shown while it runs."""


class ShownCall:
    """A tool call that has no result yet: what its arguments are, and what they were when the client was told of them.

    `was` is the text of a file that it writes, None if there was none; `known` says whether that was looked up."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.arguments: Json = {}
        self.told: Json = {}
        self.tail = ""
        self.timer: asyncio.TimerHandle | None = None
        self.known = False
        self.was: str | None = None


class UpdateFeed:
    """Tells `tell` of updates. `tools` are those of the agent, `model` its current model. Paths are below `cwd`."""

    def __init__(
        self,
        tell: Callable[[Json], None],
        cwd: str,
        *,
        tools: Callable[[], Mapping[str, object]],
        model: Callable[[], Model],
    ) -> None:
        self._tell, self._cwd = tell, cwd
        self._tools, self._model = tools, model
        self._calls: dict[str, ShownCall] = {}
        self._silent, self._held = True, False
        self._speaking = self._parted = False
        self._own_message = True
        self.failure = ""
        """Why the run at hand failed, or was refused."""
        self.cut = False
        """Whether the last answer was cut off by the limit on its length."""

    def begin(self, *, own: bool) -> None:
        """A run begins, of the client's `own` prompt or of one that it does not know."""
        self._own_message, self.failure, self.cut = own, "", False
        self._speaking = self._speaking and not own  # the client has put the person's words in between

    def show(self, event: ConversationEvent) -> None:
        """Tell of an event of a run; others are ignored."""
        match event:
            case TextDelta(delta):
                if not self._held:
                    self._silent = False
                    self._say("agent_message_chunk", delta)
            case ReasoningDelta(delta):
                self._say("agent_thought_chunk", delta)
            case AssistantStart(deferred):
                self._silent, self._held = True, deferred
            case AssistantMessage(message):
                if self._silent:  # otherwise it is what its pieces were
                    self._say("agent_message_chunk", message.text)
            case ToolUseStart(id, name):
                self._start(id, name)
            case ToolCall(id, name, arguments):
                self._describe(id, name, arguments)
            case ToolProgress(id, text):
                self._print(id, text)
            case ToolResultEvent():
                self._finish(event)
            case _:
                self._aside(event)

    def _aside(self, event: ConversationEvent) -> None:
        match event:
            case UserMessage(message):
                if not self._own_message and message.text:
                    self.user(message.text)
                self._own_message = False
            case ToolStart(id):
                if id in self._calls:
                    self._change(id, status="in_progress")
            case TurnEnd(stop, error):
                self.failure, self.cut = error, stop == "length"
                self._part()
            case UsageEvent(usage, cumulative):
                self._count(usage.context, cumulative.cost_usd)
            case Notice(_, message):
                self.note(message)
            case ErrorEvent(message):
                self.failure = message
            case CompactDone():
                self.note(f"the conversation so far is now a summary ({event.kept} messages are kept)")
            case Done():
                self._part()
                self._stop_calls()

    # Words

    def _say(self, what: str, text: str) -> None:
        if not text:
            return
        text = calls.plain(text)
        if what == "agent_message_chunk":
            text = f"\n\n{text}" if self._parted and self._speaking else text
            self._speaking, self._parted = True, False
        else:
            self._speaking = False
        self._tell({"sessionUpdate": what, "content": {"type": "text", "text": text}})

    def _part(self) -> None:
        """What is said next is a paragraph of its own: clients join what they get until something else comes."""
        self._parted = True

    def note(self, text: str, who: str = "zot") -> None:
        """Something beside the conversation; the protocol has no other place for it than the agent's own words."""
        self._part()
        self._say("agent_message_chunk", f"*[{who}]* {text}")
        self._part()

    def user(self, text: str) -> None:
        """Something the user has said, which the client does not know."""
        self._say("user_message_chunk", text)

    def answer(self, text: str) -> None:
        """Something the model has said, as a whole."""
        self._part()
        self._say("agent_message_chunk", text)
        self._part()

    def thought(self, text: str) -> None:
        """Something the model has thought, as a whole."""
        self._say("agent_thought_chunk", text)

    def _count(self, used: int, cost: float) -> None:
        model = self._model()
        if model.context_window:
            update: Json = {"sessionUpdate": "usage_update", "used": used, "size": model.context_window}
            self._tell(update if not cost else update | {"cost": {"amount": cost, "currency": "USD"}})

    # Tool calls

    def _start(self, id: str, name: str) -> ShownCall:
        if id not in self._calls:
            self._calls[id] = ShownCall(name)
            self._speaking = False
            self._tell(
                {"sessionUpdate": "tool_call", "toolCallId": id, "title": name, "kind": "other", "status": "pending"}
            )
        return self._calls[id]

    def _describe(self, id: str, name: str, arguments: str) -> None:
        call = self._start(id, name)
        call.arguments = call.told = calls.parsed(arguments)
        self._change(id, **self.description(name, arguments))

    def description(self, name: str, arguments: str) -> Json:
        """What is known of a call before it runs, for an update or a question."""
        values = calls.parsed(arguments)
        display = calls.preview(self._tools().get(name), values)
        told: Json = {
            "title": calls.title(name, arguments),
            "kind": calls.kind(display, values),
            "rawInput": values or arguments,
        }
        places = calls.locations(display, values, self._cwd)
        changes = calls.wanted_changes(values, self._cwd)
        return told | ({"locations": places} if places else {}) | ({"content": changes} if changes else {})

    def written_by(self, id: str, arguments: Json) -> CodeDisplay | None:
        """The text that a call with these arguments is going to write to a file, if it is such a call."""
        call = self._calls.get(id)
        if call is None:
            return None
        call.arguments = arguments
        display = calls.preview(self._tools().get(call.name), arguments)
        written = [each for each in display if isinstance(each, CodeDisplay) and calls.is_written(each, arguments)]
        return written[0] if written else None

    def remember(self, id: str, was: str | None) -> None:
        """What the file of a call holds before it is written, None if there is no such file."""
        if id in self._calls:
            self._calls[id].known, self._calls[id].was = True, was

    def overwriting(self, id: str, block: CodeDisplay) -> list[Json]:
        """The change that a call makes by writing a whole file; empty unless it is known what was there."""
        call = self._calls.get(id)
        if call is None or not call.known:
            return []
        return [calls.diff(block.path, call.was, block.text, self._cwd)]

    def _change(self, id: str, **fields: object) -> None:
        self._tell({"sessionUpdate": "tool_call_update", "toolCallId": id, **fields})

    def _print(self, id: str, text: str) -> None:
        call = self._calls.get(id)
        if call is not None:
            call.tail = (call.tail + text)[-TAIL:]
            if call.timer is None:
                call.timer = asyncio.get_running_loop().call_later(PAUSE, self._show_tail, id, call)

    def _show_tail(self, id: str, call: ShownCall) -> None:
        call.timer = None
        self._change(id, content=[calls.text(calls.fenced(call.tail))])

    def _finish(self, event: ToolResultEvent) -> None:
        call = self._start(event.id, event.name)
        given = None if event.arguments is None else calls.parsed(event.arguments)
        fields: Json = {}
        if given is not None and event.arguments is not None:
            call.arguments = given
        if given != call.told and event.arguments is not None:
            fields = {"title": calls.title(event.name, event.arguments), "rawInput": given}
        display: list[DisplayBlock] = list(event.display) or calls.read_by_model(event.content)
        fields["status"] = "failed" if event.is_error else "completed"
        if event.display:
            fields["kind"] = calls.kind(event.display, call.arguments)
        places = calls.locations(event.display, call.arguments, self._cwd)
        if places:
            fields["locations"] = places
        fields["content"] = [
            content
            for block in display
            for content in self._written(event.id, block) or calls.shown([block], self._cwd)
        ]
        self._change(event.id, **fields)
        self._forget(event.id)

    def _written(self, id: str, block: DisplayBlock) -> list[Json]:
        if not isinstance(block, CodeDisplay) or not calls.is_written(block, self._calls[id].arguments):
            return []
        return self.overwriting(id, block)

    def _forget(self, id: str) -> None:
        call = self._calls.pop(id)
        if call.timer is not None:
            call.timer.cancel()

    def _stop_calls(self) -> None:
        """Calls that will not have a result any more."""
        for id in list(self._calls):
            self._change(id, status="failed")
            self._forget(id)
