"""Interceptors and observers of the groups that newer hosts have, at a host that plays one."""

from typing import Any, Literal

import pytest

from zot_ext import (
    AgentStartDecision,
    BashSpawnDecision,
    BashSpawnRequest,
    Blocked,
    CompactDecision,
    CompactRequest,
    ContextDecision,
    ContextRequest,
    Event,
    Extension,
    HeadersDecision,
    HeadersRequest,
    InputDecision,
    InputRequest,
    PayloadDecision,
    PayloadRequest,
    ToolCallDecision,
    ToolResultDecision,
    block,
)
from zot_ext.interception import request
from zot_ext.protocol.events.decisions import EVENTS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.from_extension import Hello, Subscribe
from zot_ext.testing import FakeHost

_SAMPLES: dict[str, Any] = {
    "string": "t",
    "integer": 3,
    "boolean": True,
    "array": [{"id": "1"}],
    "object": {"a": 1},
}
MESSAGES = [{"id": str(number), "role": "user", "content": [{"type": "text", "text": "a"}]} for number in range(3)]


def test_the_groups_of_what_is_used_are_asked_for() -> None:
    ext = Extension("all")
    ext.on("agent_end")(lambda event: None)
    ext.on("message_update")(lambda event: None)
    ext.intercept("context")(lambda asked: None)
    with FakeHost(ext) as host:
        hello = host.wait_for(Hello)
        assert set(hello.capabilities) == {"events", "events2", "stream_events", "intercepts2", "large_frames"}
        assert host.wait_for(Subscribe).intercept == ("context",)


def test_a_request_has_the_members_of_the_question_and_a_decision_those_of_the_answer() -> None:
    for name, (asked, decision) in EVENTS.items():
        row = INTERCEPTABLE[name]
        assert set(asked.__fields__) == {each.name for each in row.members}
        assert set(decision.__fields__) - {"block", "reason"} == {each.name for each in row.answer}
    assert set(EVENTS) == {name for name, row in INTERCEPTABLE.items() if row.group == "intercepts2"}


@pytest.mark.parametrize("name", EVENTS)
def test_what_a_host_leaves_out_is_empty(name: str) -> None:
    made = request(name, {})
    assert not any(getattr(made, field) for field in made.__fields__)


@pytest.mark.parametrize("name", EVENTS)
def test_every_member_of_a_question_reaches_the_interceptor(name: str) -> None:
    row, seen = INTERCEPTABLE[name], list[Any]()
    given = {each.name: _SAMPLES[each.kind.type] for each in row.members}
    ext = Extension("all")
    ext.intercept(name)(seen.append)  # type: ignore[arg-type]
    with FakeHost(ext) as host:
        host.intercept(name, **given)
    assert {each: getattr(seen[0], each) for each in given} == given


def test_each_interceptor_sees_what_the_one_before_has_made_of_it() -> None:
    ext = Extension("chain")
    seen: list[Any] = []

    @ext.intercept("input")
    async def first(given: InputRequest) -> InputDecision:
        return InputDecision(text=given.text + "1")

    @ext.intercept("input")
    def second(given: InputRequest) -> InputDecision:
        return InputDecision(text=given.text + "2", handled=given.deliver_as == "steer")

    @ext.intercept("context")
    def shorter(asked: ContextRequest) -> ContextDecision:
        return ContextDecision(drop_ids=["0"])

    @ext.intercept("context")
    def look(asked: ContextRequest) -> None:
        seen.extend(each["id"] for each in asked.messages)

    @ext.intercept("before_provider_headers")
    def add(asked: HeadersRequest) -> HeadersDecision:
        return HeadersDecision({"x-a": "1", "x-b": None})

    @ext.intercept("before_provider_headers")
    def look_at_headers(asked: HeadersRequest) -> None:
        seen.append(asked.headers)

    with FakeHost(ext) as host:
        assert host.intercept("input", text="a", deliver_as="steer").extra == {"text": "a12", "handled": True}
        assert host.intercept("context", messages=MESSAGES).extra == {"drop_ids": ["0"]}
        assert host.intercept("before_provider_headers", headers={"x-b": "2"}).extra["headers"]["x-b"] is None
    assert seen == ["1", "2", {"x-a": "1"}]


def test_the_next_interceptor_sees_a_change_of_what_the_host_left_out() -> None:
    ext, seen = Extension("chain"), list[Any]()
    ext.intercept("tool_result")(lambda asked: ToolResultDecision(is_error=True))
    ext.intercept("tool_result")(lambda asked: seen.append(asked.is_error))
    ext.intercept("before_agent_start")(lambda start: AgentStartDecision("brief"))
    ext.intercept("before_agent_start")(lambda start: seen.append(start.system_prompt))
    with FakeHost(ext) as host:
        host.intercept("tool_result", tool_name="bash")
        host.intercept("before_agent_start")
    assert seen == [True, "brief"]


def test_messages_and_payloads_go_back_as_json() -> None:
    ext = Extension("large")

    @ext.intercept("context")
    def context(asked: ContextRequest) -> ContextDecision:
        return ContextDecision(messages=asked.messages[1:])

    @ext.intercept("before_provider_request")
    def body(asked: PayloadRequest) -> PayloadDecision:
        return PayloadDecision({**asked.payload, "seed": 1})

    with FakeHost(ext) as host:
        answer = host.intercept("context", messages=MESSAGES)
        assert answer.messages is not None
        assert answer.messages.items == MESSAGES[1:]
        payload = host.intercept("before_provider_request", payload={"model": "m"}, api="anthropic").payload
        assert payload is not None
        assert payload.value == {"model": "m", "seed": 1}


def test_a_block_ends_the_chain_and_drops_what_was_changed() -> None:
    ext = Extension("guard")
    ext.intercept("bash_spawn")(lambda spawn: BashSpawnDecision(command="other"))

    @ext.intercept("bash_spawn")
    def refuse(spawn: BashSpawnRequest) -> Blocked:
        return block(f"not {spawn.command}")

    with FakeHost(ext) as host:
        answer = host.intercept("bash_spawn", command="rm")
        assert (answer.block, answer.reason, answer.extra) == (True, "not other", {})


@pytest.mark.parametrize("blocks", [True, False])
def test_a_guard_says_that_the_model_need_not_answer(*, blocks: bool) -> None:
    ext = Extension("last")
    ext.intercept("tool_call")(lambda call: ToolCallDecision(block=blocks, terminate=True))
    with FakeHost(ext) as host:
        answer = host.intercept_call("bash", {})
    assert (answer.block, answer.terminate) == (blocks, True)


@pytest.mark.parametrize("policy", ["allow", "block"])
def test_a_wrong_decision_is_a_failure_of_the_interceptor(policy: Literal["allow", "block"]) -> None:
    ext = Extension("wrong")
    ext.intercept("session_before_compact", on_error=policy)(lambda plan: InputDecision(text="no"))
    ext.intercept("input", on_error=policy)(lambda given: InputDecision(text=float("nan")))  # type: ignore[arg-type]
    ext.intercept("bash_spawn", on_error=policy)(lambda spawn: BashSpawnDecision(env=5))  # type: ignore[arg-type]
    ext.intercept("context", on_error=policy)(lambda asked: ContextDecision(drop_ids=[{}]))  # type: ignore[list-item]
    with FakeHost(ext) as host:
        for name in ("session_before_compact", "input", "bash_spawn", "context"):
            assert host.intercept(name).block == (policy == "block")


def test_what_a_failing_interceptor_wanted_is_not_seen_by_the_next_one() -> None:
    ext, seen = Extension("wrong"), list[Any]()
    ext.intercept("before_provider_request")(lambda asked: PayloadDecision({"seed": float("nan")}))
    ext.intercept("before_provider_request")(lambda asked: seen.append(asked.payload))
    with FakeHost(ext) as host:
        assert host.intercept("before_provider_request", payload={"model": "m"}).payload is None
    assert seen == [{"model": "m"}]


def test_an_observer_finds_what_has_no_field_in_extra() -> None:
    ext = Extension("watch")
    seen: list[Event] = []
    ext.on("turn_complete")(seen.append)
    ext.intercept("session_before_compact")(lambda plan: CompactDecision(summary=f"{len(seen)} {_ids(plan)}"))
    with FakeHost(ext) as host:
        host.event("turn_complete", step=2, message=MESSAGES[0], tool_results=[])
    assert (seen[0].step, seen[0].extra["message"]) == (2, MESSAGES[0])


def _ids(plan: CompactRequest) -> list[str]:
    return [each["id"] for each in plan.messages]
