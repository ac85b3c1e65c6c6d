"""`UpdateFeed`: turns the events of a session into session updates of the protocol."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from zot_agent.acp import calls
from zot_agent.acp.calls import Json
from zot_core.compaction.window import Window
from zot_core.conversation.events import ConversationEvent, MessageAdded, TodoUpdate
from zot_core.display import CodeDisplay, DisplayBlock, Recaller, Todo
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    CompactDone,
    CompactStart,
    Done,
    ErrorEvent,
    Notice,
    ReasoningDelta,
    SubagentEvent,
    SubagentProgress,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_provider.json_text import read_object
from zot_provider.usage import Usage

TAIL_INTERVAL = 0.1
"""Seconds between two updates with the output of a running tool."""
TAIL = 8000
"""Characters of the end of its output that are shown while it runs."""


class OpenCall:
    """A tool call without a result: its current arguments, and the arguments that were sent to the client.

    `old_text` is the content of the file that the call writes, None for a new file; it is valid if `old_text_known`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.arguments: Json = {}
        self.sent_arguments: Json = {}
        self.tail = ""
        self.timer: asyncio.TimerHandle | None = None
        self.old_text_known = False
        self.old_text: str | None = None


class UsageMeter:
    """Sends how much of the context window the conversation uses, after every answer."""

    def __init__(self, send: Callable[[Json], None], window: Callable[[], Window]) -> None:
        self._send, self._window = send, window
        self._turn, self._compacting = Usage(), False
        self._cost: float | None = 0.0

    def begin(self, *, compacting: bool) -> None:
        """A turn begins, or a request for a summary, which is not part of the conversation."""
        self._turn, self._compacting = self._turn if compacting else Usage(), compacting

    def add(self, event: UsageEvent) -> None:
        self._cost = event.cumulative.shown_cost
        if not self._compacting and not event.agent_id:
            self._turn += event.usage
            self.send(self._turn.context)

    def send(self, used: int) -> None:
        """Send that `used` tokens are in use."""
        window = self._window()
        if not window.tokens:
            return
        update: Json = {"sessionUpdate": "usage_update", "used": used, "size": window.tokens}
        update |= {"_meta": {"zot": {"guessed": True}}} if window.guessed else {}
        self._send(update | ({"cost": {"amount": self._cost, "currency": "USD"}} if self._cost else {}))


class UpdateFeed:
    """Passes updates to `send`. `tools` belong to the agent, `window` returns the context window; relative paths start
    at the `directory` of the moment."""

    def __init__(
        self,
        send: Callable[[Json], None],
        directory: Callable[[], str],
        *,
        tools: Mapping[str, Recaller],
        window: Callable[[], Window],
    ) -> None:
        self._send, self._directory = send, directory
        self._tools, self._meter = tools, UsageMeter(send, window)
        self._calls: dict[str, OpenCall] = {}
        self._agents: dict[str, str] = {}  # the calls that started the sub-agents that run
        self._no_text_sent, self._deferred = True, False
        self._in_message = self._paragraph_ended = False
        self._client_knows_message = True
        self.failure = ""
        """Why the current run failed or was refused."""
        self.cut_off = False
        """Whether the last answer reached the limit on its length."""

    @property
    def _cwd(self) -> str:
        return self._directory()

    def start_run(self, *, client_prompt: bool) -> None:
        """Start a run: of a prompt of the client, or of a prompt that the client does not know."""
        self._client_knows_message, self.failure, self.cut_off = client_prompt, "", False
        self._in_message = self._in_message and not client_prompt  # the client shows the prompt in between

    def show(self, event: ConversationEvent) -> None:
        """Send the update for an event; events without an update are ignored."""
        match event:
            case TextDelta(delta):
                if not self._deferred:
                    self._no_text_sent = False
                    self._send_text("agent_message_chunk", delta)
            case ReasoningDelta(delta):
                self._send_text("agent_thought_chunk", delta)
            case AssistantStart(deferred):
                self._stop_calls()  # of an answer that begins again: none of them has run
                self._no_text_sent, self._deferred = True, deferred
            case AssistantMessage(message):
                if self._no_text_sent:  # otherwise its deltas were sent
                    self._send_text("agent_message_chunk", message.text)
            case ToolUseStart(id, name):
                self._start(id, name)
            case ToolCall(id, name, arguments):
                self._describe(id, name, arguments)
            case ToolProgress(id, text):
                self._add_output(id, text)
            case ToolResultEvent():
                self._finish(event)
            case UserMessage() | MessageAdded():
                self._show_message(event)
            case ToolStart(id):
                if id in self._calls:
                    self._update_call(id, status="in_progress")
            case TurnEnd(stop, error):
                self.failure, self.cut_off = error, stop == "length"
                self._end_paragraph()
            case Notice(_, message):
                self.note(message)
            case AutoRetryStart():
                self.note(event.line)
            case TodoUpdate(items):
                self.plan(items)
            case ErrorEvent(message):
                self.failure = message
            case Done():
                self._end_paragraph()
                self._stop_calls()
            case SubagentStart() | SubagentProgress() | SubagentStop():
                self._show_agent(event)
            case TurnStart():
                self._meter.begin(compacting=False)
            case CompactStart():
                self._meter.begin(compacting=True)
            case UsageEvent():
                self._meter.add(event)
            case CompactDone():
                self._meter.begin(compacting=False)
                self._meter.send(event.tokens_after)
                self.note(f"the conversation so far is now a summary ({event.kept} messages are kept)")

    def _show_message(self, event: UserMessage | MessageAdded) -> None:
        message, known = event.message, isinstance(event, UserMessage) and self._client_knows_message
        if message.hidden:
            self.note(message.hidden)
            return
        if message.text and not known:
            self.user(message.text)
        if isinstance(event, UserMessage):
            self._client_knows_message = False

    def _show_agent(self, event: SubagentEvent) -> None:
        """Send an event of a sub-agent with the call that started it, as an extension of the protocol (`_meta`)."""
        if isinstance(event, SubagentStart):
            self._agents[event.agent_id] = event.tool_call
        call = self._agents.get(event.agent_id, "")
        if call:
            fields = {"event": event.type} | {name: getattr(event, name) for name in event.__match_args__}
            self._update_call(call, _meta={"zot": fields})
        if isinstance(event, SubagentStop):
            self._agents.pop(event.agent_id, None)

    def answered(self, id: str, *, allowed: bool) -> None:
        """End the call of a sub-agent that the client was asked about, and of which it hears nothing else."""
        self._update_call(id, status="completed" if allowed else "failed")

    # Text

    def _send_text(self, update: str, text: str) -> None:
        if not text:
            return
        text = calls.plain(text)
        if update == "agent_message_chunk":
            text = f"\n\n{text}" if self._paragraph_ended and self._in_message else text
            self._in_message, self._paragraph_ended = True, False
        else:
            self._in_message = False
        self._send({"sessionUpdate": update, "content": {"type": "text", "text": text}})

    def _end_paragraph(self) -> None:
        """Begin a new paragraph with the next text: clients join chunks until another kind of update comes."""
        self._paragraph_ended = True

    def note(self, text: str, author: str = "zot") -> None:
        """Send a note. The protocol has no place for notes, so it becomes a message of the agent."""
        self._end_paragraph()
        self._send_text("agent_message_chunk", f"*[{author}]* {text}")
        self._end_paragraph()

    def user(self, text: str) -> None:
        """Send a message of the user that the client does not know."""
        self._send_text("user_message_chunk", text)

    def answer(self, text: str) -> None:
        self._end_paragraph()
        self._send_text("agent_message_chunk", text)
        self._end_paragraph()

    def thought(self, text: str) -> None:
        """Send complete reasoning of the model."""
        self._send_text("agent_thought_chunk", text)

    def plan(self, items: Sequence[Todo]) -> None:
        """Send the list of what is to be done, which is the protocol's plan."""
        entries = [
            {"content": calls.plain(each.content), "priority": "medium", "status": each.status} for each in items
        ]
        self._send({"sessionUpdate": "plan", "entries": entries})

    # Tool calls

    def _start(self, id: str, name: str) -> OpenCall:
        if id not in self._calls:
            self._calls[id] = OpenCall(name)
            self._in_message = False
            self._send(
                {"sessionUpdate": "tool_call", "toolCallId": id, "title": name, "kind": "other", "status": "pending"}
            )
        return self._calls[id]

    def _describe(self, id: str, name: str, arguments: str) -> None:
        call = self._start(id, name)
        call.arguments = call.sent_arguments = read_object(arguments)
        self._update_call(id, **self.description(name, arguments))

    def description(self, name: str, arguments: str) -> Json:
        """Return the fields that are known before a call runs, for an update or a permission request."""
        tool, raw = self._tools.get(name), read_object(arguments)
        values = raw if tool is None else tool.received(arguments)
        display = calls.preview(tool, values)
        fields: Json = {
            "title": calls.title(name, arguments),
            "kind": calls.kind(display, values),
            "rawInput": raw or arguments,
        }
        places = calls.locations(display, values, self._cwd)
        changes = calls.requested_changes(values, self._cwd)
        return fields | ({"locations": places} if places else {}) | ({"content": changes} if changes else {})

    def written_by(self, id: str, arguments: Json) -> CodeDisplay | None:
        """Return the text that a call with these arguments writes to a file, or None."""
        call = self._calls.get(id)
        if call is None:
            return None
        call.arguments = arguments
        display = calls.preview(self._tools.get(call.name), arguments)
        written = [each for each in display if isinstance(each, CodeDisplay) and calls.is_written(each, arguments)]
        return written[0] if written else None

    def remember(self, id: str, old_text: str | None) -> None:
        """Remember the content of the file that a call writes, None for a new file."""
        if id in self._calls:
            self._calls[id].old_text_known, self._calls[id].old_text = True, old_text

    def overwriting(self, id: str, block: CodeDisplay) -> list[Json]:
        """Return the change of a call that writes a whole file; empty unless the old content is known."""
        call = self._calls.get(id)
        if call is None or not call.old_text_known:
            return []
        return [calls.diff(block.path, call.old_text, block.text, self._cwd)]

    def _update_call(self, id: str, **fields: object) -> None:
        self._send({"sessionUpdate": "tool_call_update", "toolCallId": id, **fields})

    def _add_output(self, id: str, text: str) -> None:
        call = self._calls.get(id)
        if call is not None:
            call.tail = (call.tail + text)[-TAIL:]
            if call.timer is None:
                call.timer = asyncio.get_running_loop().call_later(TAIL_INTERVAL, self._show_tail, id, call)

    def _show_tail(self, id: str, call: OpenCall) -> None:
        call.timer = None
        self._update_call(id, content=[calls.text(calls.fenced(call.tail))])

    def _finish(self, event: ToolResultEvent) -> None:
        call = self._start(event.id, event.name)
        given = None if event.arguments is None else read_object(event.arguments)
        fields: Json = {}
        if given is not None and event.arguments is not None:
            call.arguments = given
        if given != call.sent_arguments and event.arguments is not None:
            fields = {"title": calls.title(event.name, event.arguments), "rawInput": given}
        display: list[DisplayBlock] = list(event.display) or calls.default_display(event.content)
        fields["status"] = "failed" if event.is_error else "completed"
        if event.display:
            fields["kind"] = calls.kind(event.display, call.arguments)
        places = calls.locations(event.display, call.arguments, self._cwd)
        if places:
            fields["locations"] = places
        fields["content"] = [
            content
            for block in display
            for content in self._written(event.id, block) or calls.content_of([block], self._cwd)
        ]
        self._update_call(event.id, **fields)
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
        """Mark calls that will get no result as failed."""
        for id in list(self._calls):
            self._update_call(id, status="failed")
            self._forget(id)
