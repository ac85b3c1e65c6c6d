"""The hooks that ask and notify extensions, with connections that answer at once."""

from collections.abc import Callable
from typing import Any

import pytest

from zot_agent.extensions.calls.intercept_options import InterceptOptions
from zot_agent.extensions.hooks import AgentInfo, ExtensionHooks
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_core.errors import Refused
from zot_core.events import TextDelta, ToolCall, TurnStart
from zot_core.hooks import Refusal, ToolRequest
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import EventInterceptResponse
from zot_ext.protocol.from_host import EVENTS, Event, EventIntercept
from zot_ext.protocol.raw import RawObject

Reply = Callable[[EventIntercept], EventInterceptResponse]


class Interceptor:
    """A connection whose extension answers with `reply`."""

    def __init__(self, name: str, reply: Reply) -> None:
        self.name, self.reply = name, reply
        self.intercept_options: dict[str, InterceptOptions] = {}
        self.asked: list[EventIntercept] = []
        self.sent: list[Event] = []
        self.logged: list[str] = []
        self.shown: list[str] = []
        self.granted: tuple[str, ...] = ()

    async def request(self, frame: EventIntercept, reply: type, seconds: float) -> EventInterceptResponse:
        self.asked.append(frame)
        return self.reply(frame)

    def send(self, frame: Event, *, droppable: bool = False) -> None:
        assert droppable
        self.sent.append(frame)

    def log(self, text: str) -> None:
        self.logged.append(text)

    def unanswered(self, text: str) -> None:
        self.logged.append(text)
        self.shown.append(text)


class Set:
    """The subscriptions of some extensions to everything."""

    def __init__(self, *interceptors: Interceptor) -> None:
        self.limits = ExtensionLimits(system_prompt_bytes=10)
        self.all: list[Any] = list(interceptors)
        self.observed = bool(interceptors)

    def observers(self, event: str) -> list[Any]:
        return self.all if event in EVENTS else []

    def interceptors(self, event: str, tool: str = "") -> list[Any]:
        return self.all

    async def ready(self, *, early: bool = False) -> None:
        pass


def hooks(*interceptors: Interceptor) -> ExtensionHooks:
    return ExtensionHooks(Set(*interceptors), lambda: AgentInfo("/proj", "p", "m", "s"))


def answers(**fields: Any) -> Reply:
    return lambda frame: EventInterceptResponse(frame.id, **fields)


def fails(error: Exception) -> Reply:
    def reply(frame: EventIntercept) -> EventInterceptResponse:
        raise error

    return reply


CALL = ToolRequest("c1", "bash", {"command": "ls"}, text='{"command": "ls"}')


async def test_each_interceptor_sees_the_arguments_of_the_one_before() -> None:
    first = Interceptor("a", answers(modified_args=RawObject('{"command": "ls -l"}')))
    second = Interceptor("b", answers())
    changed = await hooks(first, second).tool_call(CALL)
    assert changed.arguments == {"command": "ls -l"}
    assert second.asked[0].tool_args == RawObject('{"command": "ls -l"}')


async def test_the_question_is_made_once_for_all_interceptors_that_change_nothing() -> None:
    first, second = Interceptor("a", answers()), Interceptor("b", answers())
    await hooks(first, second).tool_call(CALL)
    (asked,), (also,) = first.asked, second.asked
    assert asked.tool_args is also.tool_args
    assert asked.id != also.id


@pytest.mark.parametrize(
    "members",
    [
        {"Block": True}, {"blocked": "yes"}, {"blok": 1}, {"decision": "block"}, {"permission_decision": "deny"},
        {"hookSpecificOutput": {"permissionDecision": "deny"}}, {"cancel": True}, {"denied": True},
        {"continue": False},
        {"desicion": "block"}, {"cancelled": True}, {"rejcet": True}, {"refused": 1},
    ],
)  # fmt: skip
async def test_an_answer_that_refuses_in_other_words_refuses(members: dict[str, Any]) -> None:
    other = Interceptor("a", answers(extra=members))
    with pytest.raises(Refused, match=f"field 'block' is what refuses; '{next(iter(members))}' is no member"):
        await hooks(other).tool_call(CALL)
    refused = await hooks(other).turn_start(1)
    assert isinstance(refused, Refusal)
    assert await hooks(other).before_agent_start("old") == "old"  # which nobody can refuse


OTHERS = dict.fromkeys(("black", "blockers", "clock", "description", "lock", "note", "precision", "project"), "x")


async def test_other_members_and_those_that_refuse_nothing_are_ignored() -> None:
    for members in ({"decision": "allow"}, {"cancel": False}, {"blocked": None}, {"continue": True}, OTHERS):
        assert await hooks(Interceptor("a", answers(extra=members))).tool_call(CALL) is CALL


async def test_a_refusal_that_is_neither_true_nor_false_refuses() -> None:
    wrong = FrameError("must be a boolean", frame="event_intercept_response", field="block")
    with pytest.raises(Refused, match="field 'block' must be a boolean, so this is refused"):
        await hooks(Interceptor("a", fails(wrong))).tool_call(CALL)


async def test_the_same_arguments_in_another_order_are_no_change() -> None:
    again = Interceptor("a", answers(modified_args=RawObject('{ "command":"ls" }')))
    assert await hooks(again).tool_call(CALL) is CALL


async def test_the_first_block_wins() -> None:
    first, second = Interceptor("a", answers(block=True, reason="not here")), Interceptor("b", answers())
    with pytest.raises(Refused, match="not here"):
        await hooks(first, second).tool_call(CALL)
    assert await hooks(first, second).turn_start(1) == Refusal("not here")
    with pytest.raises(Refused, match="not here"):
        await hooks(first, second).assistant_message("text")
    assert second.asked == []


@pytest.mark.parametrize(
    "error", [TimedOut("late"), ExtensionEnded("gone"), FrameError("bad", frame="event_intercept_response")]
)
async def test_an_interceptor_without_a_valid_answer_allows_and_is_named_once_a_run(error: Exception) -> None:
    broken = Interceptor("a", fails(error))
    asked = hooks(broken)
    for runs in (1, 2):
        assert await asked.turn_start(1) is None
        assert await asked.tool_call(CALL) is CALL
        assert await asked.tool_call(CALL) is CALL
        assert len(broken.logged) == 3 * runs
        assert len(broken.shown) == runs
        assert "no answer to the intercept turn_start" in broken.shown[-1]


async def test_a_system_prompt_is_replaced_removed_or_too_long() -> None:
    assert await hooks(Interceptor("a", answers(system_prompt="new"))).before_agent_start("old") == "new"
    assert await hooks(Interceptor("a", answers(system_prompt=""))).before_agent_start("old") == ""
    long = Interceptor("a", answers(system_prompt="x" * 11))
    assert await hooks(long).before_agent_start("old") == "old"
    assert "a system prompt of more than 10 bytes; the action continues" in long.logged[0]


async def test_the_text_of_an_answer_can_be_replaced() -> None:
    assert await hooks(Interceptor("a", answers(replace_text="other"))).assistant_message("text") == "other"
    assert await hooks(Interceptor("a", answers())).assistant_message("text") == "text"


def test_observers_get_the_events_they_know() -> None:
    observer = Interceptor("a", answers())
    attached = hooks(observer)
    for event in (TurnStart(2), TextDelta("x"), ToolCall("c", "bash", "no json")):
        attached.notify_observers(event)
    assert [frame.event for frame in observer.sent] == ["turn_start", "tool_call"]
    assert observer.sent[0].step == 2
