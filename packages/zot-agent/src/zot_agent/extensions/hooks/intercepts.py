"""The table of the events that extensions can intercept: how the question is made, and what its answer changes."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from zot_agent.extensions.hooks.answer_content import image_values, read_blocks, read_given, read_images
from zot_agent.extensions.hooks.context import SentMessages
from zot_agent.extensions.hooks.outgoing import Outgoing
from zot_core.clock import timestamp
from zot_core.display import shown_content
from zot_core.hooks import CompactionPlan, ToolOutcome, ToolRequest, TreeMove, UserCommand, UserInput
from zot_core.machine.interface import Spawn
from zot_core.sessions.rows import message_text
from zot_ext.interception import AgentStartDecision, decision_in, members_of
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events import decisions
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.raw import RawList, RawObject
from zot_ext.record import Record as ExtRecord
from zot_provider.json_text import dump
from zot_provider.messages import Message
from zot_provider.record import Record, field


class ProjectQuestion(Record):
    """The undecided things that the project in the folder `cwd` brings, a line for each;
    `changes` are files that have changed since the person allowed it. `trusted`: it may be used."""

    cwd: str
    brings: list[str]
    changes: list[str]
    trusted: bool = False
    changed_by: str = ""


class Intercept(Record):
    """A row of the table.

    `members` returns the members of the question about a value; a `FrameError` refuses the value. `changed` returns the
    value as an answer changes it: the very same one without a change; a `FrameError` makes the answer invalid.
    `slow`: both may take long, and run in a thread. `seconds` names the field of `ExtensionLimits` that limits the wait
    for one answer. `blockable`: an answer, or the lack of one, can refuse the value; `refused` is the reason without
    any, where `{name}` is the extension.
    """

    name: str
    members: Callable[[Any], dict[str, Any]]
    changed: Callable[[Any, EventInterceptResponse], Any] = lambda value, answer: value
    seconds: str = "intercept_seconds"
    blockable: bool = True
    refused: str = "refused by extension {name}"
    slow: bool = False

    signed: ClassVar = (Message, ToolOutcome, UserInput, ProjectQuestion)
    """The values that say who has changed them."""


class Stop(Record):
    """A run that is about to end. `continued` counts how often it was kept from that."""

    step: int
    text: str
    continued: int


class AgentStart(Record):
    """A system prompt, before the agent uses it, and what the question about it says besides. `largest` is the most
    bytes of a system prompt. `messages` come before the answer."""

    system_prompt: str
    about: dict[str, Any]
    largest: int
    messages: list[Message] = field(default_factory=list)


def _call(call: ToolRequest) -> dict[str, Any]:
    try:
        args = RawObject(call.arguments_json())
    except (FrameError, TypeError, ValueError) as error:
        raise FrameError(f"the arguments of {call.name} cannot be shown to the guards: {error}") from None
    who = {"agent_id": call.agent_id} if call.agent_id else {}
    return {"tool_id": call.id, "tool_name": call.name, "tool_args": args, **who}


def _changed_call(call: ToolRequest, answer: EventInterceptResponse) -> ToolRequest:
    args = answer.modified_args
    if answer.terminate:
        call = call.replace(terminate=True)
    # Another order of keys, or other spaces, is not a change.
    if args is None or args.value == call.arguments:
        return call
    return call.replace(arguments=dict(args.value), text=args.text)


def _changed_prompt(start: AgentStart, answer: EventInterceptResponse) -> AgentStart:
    prompt = answer.system_prompt
    if prompt is not None and len(prompt.encode()) > start.largest:
        raise FrameError(f"a system prompt of more than {start.largest} bytes")
    start = start if prompt is None else start.replace(system_prompt=prompt)
    given = decision_in(AgentStartDecision, answer).message
    if given is None:
        return start
    content = given.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = read_given({"role": "user", "content": blocks})
    message.time = timestamp()
    message.hidden = "" if given.get("display", True) else "a message of an extension"
    if isinstance(custom_type := given.get("custom_type"), str) and custom_type:
        details = given.get("details")
        message.custom_type, message.details = custom_type, "" if details is None else dump(details)
    return start.replace(messages=[*start.messages, message])


def _input(given: UserInput) -> decisions.InputRequest:
    return decisions.InputRequest(
        text=given.text,
        images=image_values(given.images),
        source="extension" if given.extension else given.front_end,
        extension=given.extension,
        deliver_as=given.delivery,
    )


def _changed_input(given: UserInput, decision: decisions.InputDecision) -> UserInput:
    found = given
    if decision.handled:
        return given.replace(handled=True)
    if decision.text is not None:
        found = found.replace(text=decision.text)
    if decision.images is not None:
        found = found.replace(images=read_images(decision.images))
    return given if found == given else found


def _changed_message(message: Message, decision: decisions.MessageEndDecision) -> Message:
    if decision.message is None:
        return message
    found = read_given(decision.message, message.role)
    return message if found.content == message.content else message.replace(content=found.content, display_text=None)


def _result(outcome: ToolOutcome) -> dict[str, Any]:
    result = outcome.result
    content = json.loads(message_text(Message("user", [*result.content])))["content"]
    return {**_call(outcome.call), "content": content, "details": result.details, "is_error": result.is_error}


def _changed_result(outcome: ToolOutcome, decision: decisions.ToolResultDecision) -> ToolOutcome:
    result = outcome.result
    if decision.content is not None and (content := read_blocks(decision.content)) != result.content:
        own = len(result.content)
        kept = bool(result.display) and content[:own] == result.content
        # What the tool shows is about its own result: it stays where the extension has only said something more.
        display = [*result.display, *shown_content(content[own:])] if kept else []
        result = result.replace(content=content, display=display)
    if decision.details is not None:
        result = result.replace(details=decision.details)
    if decision.is_error is not None:
        result = result.replace(is_error=decision.is_error)
    return outcome if result == outcome.result else outcome.replace(result=result)


def _changed_command(command: UserCommand, decision: decisions.UserBashDecision) -> UserCommand:
    found = command
    if decision.command:
        found = found.replace(command=decision.command)
    if decision.output is not None:
        found = found.replace(output=decision.output, exit_code=decision.exit_code or 0)
    return command if found == command else found


def _changed_spawn(spawn: Spawn, decision: decisions.BashSpawnDecision) -> Spawn:
    env = decision.env or {}
    for name, value in env.items():
        if not isinstance(value, str) or not name or "=" in name or "\0" in name + value:
            raise FrameError("must be names of variables with texts", field="env")
    command, cwd = decision.command or spawn.command, decision.cwd or spawn.cwd
    if "\0" in command + cwd:
        raise FrameError("must not have a NUL", field="command")
    found = Spawn(command, cwd, {**spawn.env, **env})
    return spawn if found == spawn else found


def _compaction(plan: CompactionPlan) -> dict[str, Any]:
    kept = plan.messages[len(plan.messages) - plan.kept :]
    return {
        "reason": plan.reason,
        "messages": RawList.of_texts([message_text(each) for each in plan.messages]),
        "first_kept_id": kept[0].id if kept else "",
        "tokens_before": plan.tokens_before,
        "instructions": plan.instructions,
    }


def _changed_compaction(plan: CompactionPlan, decision: decisions.CompactDecision) -> CompactionPlan:
    if decision.instructions:
        plan = plan.replace(instructions=decision.instructions)
    if not decision.summary:
        return plan
    plan, first = plan.replace(summary=decision.summary), decision.first_kept_id
    if first is None:
        return plan
    for at, message in enumerate(plan.messages):
        # Results stay with their calls.
        if message.id == first and message.role != "tool" and at:
            return plan.replace(kept=len(plan.messages) - at)
    raise FrameError("must be the id of a message that can be the first one", field="first_kept_id")


def _tree(move: TreeMove) -> decisions.TreeRequest:
    return decisions.TreeRequest(
        target_id=move.target,
        position="before" if move.before else "at",
        old_leaf_id=move.current,
        wants_summary=move.summarise,
        instructions=move.instructions,
    )


def _changed_tree(move: TreeMove, decision: decisions.TreeDecision) -> TreeMove:
    found = move.replace(summary=decision.summary) if decision.summary else move
    if decision.instructions:
        found = found.replace(instructions=decision.instructions)
    return found.replace(label=" ".join(decision.label.split())[:200]) if decision.label else found


def _newer(
    name: str,
    asked: Callable[[Any], ExtRecord | dict[str, Any]],
    changed: Callable[[Any, Any], Any] = lambda value, decision: value,
    **more: Any,
) -> Intercept:
    """Make the row of an event whose request and decision have classes: `asked` returns the request, or its members
    where one of them is raw JSON; `changed` takes the decision."""
    decision = decisions.EVENTS[name][1]

    def members(value: Any) -> dict[str, Any]:
        request = asked(value)
        return request if isinstance(request, dict) else members_of(request)

    return Intercept(name, members, lambda value, answer: changed(value, decision_in(decision, answer)), **more)


TOOL_CALL = Intercept("tool_call", _call, _changed_call, refused="tool call refused by extension guard")
TURN_START = Intercept("turn_start", lambda step: {"step": step}, refused="turn blocked by extension guard")
ASSISTANT_MESSAGE = Intercept(
    "assistant_message",
    lambda text: {"text": text},
    lambda text, answer: answer.replace_text or text,
    refused="the answer was hidden by extension {name}",
)
BEFORE_AGENT_START = Intercept(
    "before_agent_start",
    lambda start: {**start.about, "system_prompt": start.system_prompt},
    _changed_prompt,
    blockable=False,
)

INPUT = _newer("input", _input, _changed_input)
CONTEXT = Intercept("context", SentMessages.members, SentMessages.changed, "context_seconds", slow=True)
BEFORE_PROVIDER_REQUEST = Intercept(
    "before_provider_request", Outgoing.body_members, Outgoing.with_body, "context_seconds"
)
BEFORE_PROVIDER_HEADERS = _newer("before_provider_headers", Outgoing.shown_headers, Outgoing.with_headers)
MESSAGE_END = _newer("message_end", lambda message: {"message": json.loads(message_text(message))}, _changed_message)
TOOL_RESULT = _newer("tool_result", _result, _changed_result)
USER_BASH = _newer(
    "user_bash",
    lambda command: decisions.UserBashRequest(command.command, not command.in_context, command.cwd),
    _changed_command,
)
BASH_SPAWN = _newer(
    "bash_spawn", lambda spawn: decisions.BashSpawnRequest(spawn.command, spawn.cwd, dict(spawn.env)), _changed_spawn
)
BEFORE_STOP = _newer(
    "before_stop",
    lambda stop: decisions.StopRequest(stop.step, stop.text, stop.continued),
    refused="extension {name} wants more to be done",
)
BEFORE_EXIT = _newer("before_exit", decisions.ExitRequest)
PROJECT_TRUST = _newer(
    "project_trust",
    lambda question: decisions.ProjectTrustRequest(question.cwd, question.brings, question.changes),
    lambda question, decision: question.replace(trusted=True) if decision.trusted else question,
)
SESSION_BEFORE_SWITCH = _newer(
    "session_before_switch", lambda change: decisions.SessionSwitchRequest(change.kind, change.target)
)
SESSION_BEFORE_FORK = _newer(
    "session_before_fork",
    lambda change: decisions.SessionForkRequest(change.target, "before" if change.before else "at"),
)
SESSION_BEFORE_COMPACT = _newer(
    "session_before_compact", _compaction, _changed_compaction, seconds="summary_seconds", slow=True
)
SESSION_BEFORE_TREE = _newer("session_before_tree", _tree, _changed_tree, seconds="summary_seconds")

INTERCEPTED: tuple[Intercept, ...] = (
    TOOL_CALL,
    TURN_START,
    ASSISTANT_MESSAGE,
    BEFORE_AGENT_START,
    INPUT,
    CONTEXT,
    BEFORE_PROVIDER_REQUEST,
    BEFORE_PROVIDER_HEADERS,
    MESSAGE_END,
    TOOL_RESULT,
    USER_BASH,
    BASH_SPAWN,
    BEFORE_STOP,
    BEFORE_EXIT,
    PROJECT_TRUST,
    SESSION_BEFORE_SWITCH,
    SESSION_BEFORE_FORK,
    SESSION_BEFORE_COMPACT,
    SESSION_BEFORE_TREE,
)
"""All events that can be intercepted."""

BY_EVENT = {row.name: row for row in INTERCEPTED}
