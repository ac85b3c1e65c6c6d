import pytest

from zot_ext import (
    AgentStartDecision,
    AgentStartRequest,
    AssistantMessageDecision,
    AssistantMessageRequest,
    Blocked,
    Extension,
    ToolCallDecision,
    ToolCallRequest,
    TurnStartDecision,
    TurnStartRequest,
    block,
    replace,
    rewrite,
)
from zot_ext.protocol.from_extension import EventInterceptResponse, Subscribe
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost


def allows(response: EventInterceptResponse) -> bool:
    return response == EventInterceptResponse(response.id)


def test_a_call_can_be_refused_changed_and_let_through() -> None:
    ext = Extension("guard")

    @ext.intercept("tool_call")
    async def guard(call: ToolCallRequest) -> ToolCallDecision | None:
        if call.name != "bash":
            return None
        if "sudo" in call.args["command"]:
            return ToolCallDecision(block=True, reason="no sudo here")
        return ToolCallDecision(modified_args={"command": f"nice {call.args['command']}"})

    with FakeHost(ext) as host:
        assert host.sent(Subscribe) == [Subscribe(intercept=("tool_call",))]
        refused = host.intercept_call("bash", {"command": "sudo ls"})
        changed = host.intercept_call("bash", {"command": "ls"})
        assert allows(host.intercept_call("read", {}))
    assert (refused.block, refused.reason) == (True, "no sudo here")
    assert changed.modified_args == RawObject('{"command":"nice ls"}')


def test_answers_refuse_rewrite_and_replace() -> None:
    ext = Extension("guard")

    @ext.intercept("tool_call")
    def call(call: ToolCallRequest) -> Blocked | ToolCallDecision | None:
        if call.name == "write":
            return rewrite(call.args | {"path": "elsewhere"})
        return block("no commands") if call.name == "bash" else None

    @ext.intercept("turn_start")
    def turn(turn: TurnStartRequest) -> Blocked | None:
        return block("enough") if turn.step > 2 else None

    @ext.intercept("assistant_message")
    def message(message: AssistantMessageRequest) -> Blocked | AssistantMessageDecision:
        return replace("something else") if message.text == "a secret" else block("not for you")

    with FakeHost(ext) as host:
        refused = host.intercept_call("bash", {})
        assert (refused.block, refused.reason) == (True, "no commands")
        assert host.intercept_call("write", {"path": "a", "content": "b"}).modified_args == RawObject(
            '{"path":"elsewhere","content":"b"}'
        )
        assert allows(host.intercept_call("read", {}))
        assert host.intercept("turn_start", step=3).reason == "enough"
        assert allows(host.intercept("turn_start", step=1))
        assert host.intercept("assistant_message", text="a secret").replace_text == "something else"
        hidden = host.intercept("assistant_message", text="x")
        assert (hidden.block, hidden.reason) == (True, "not for you")


def test_a_message_cannot_be_replaced_by_nothing() -> None:
    with pytest.raises(ValueError, match=r"an empty text keeps the message; hide it with block\(\.\.\.\)"):
        replace("")


def test_the_start_of_an_agent_cannot_be_blocked(capsys: pytest.CaptureFixture[str]) -> None:
    ext = Extension("guard")
    ext.intercept("before_agent_start")(lambda start: block("no"))
    with FakeHost(ext) as host:
        assert allows(host.intercept("before_agent_start", model="big"))
    assert (
        "'before_agent_start' cannot be blocked; tool_call, turn_start, assistant_message can"
        in capsys.readouterr().err
    )


def test_several_interceptors_see_what_the_ones_before_made() -> None:
    ext = Extension("guard")
    seen: list[object] = []

    @ext.intercept("tool_call")
    def first(call: ToolCallRequest) -> ToolCallDecision:
        return ToolCallDecision(modified_args=RawObject('{"a": 1e5}'))

    @ext.intercept("tool_call")
    def second(call: ToolCallRequest) -> None:
        seen.append(call.raw)
        call.args["a"] = 0

    @ext.intercept("tool_call")
    def third(call: ToolCallRequest) -> ToolCallDecision:
        seen.append(call.args)
        return ToolCallDecision(block="stop" in call.name)

    with FakeHost(ext) as host:
        changed = host.intercept_call("go", {})
        assert host.intercept_call("stop", {}).modified_args is None
    assert changed.modified_args == RawObject('{"a": 1e5}')
    assert seen[:2] == ['{"a": 1e5}', {"a": 1e5}]


def test_turns_messages_and_system_prompts() -> None:
    ext = Extension("guard")

    @ext.intercept("turn_start")
    def turn(turn: TurnStartRequest) -> TurnStartDecision:
        return TurnStartDecision(block=turn.step > 2, reason="enough")

    @ext.intercept("assistant_message")
    def message(message: AssistantMessageRequest) -> AssistantMessageDecision:
        return AssistantMessageDecision(replace_text=message.text.replace("SECRET", "[redacted]"))

    @ext.intercept("before_agent_start")
    def start(start: AgentStartRequest) -> AgentStartDecision:
        return AgentStartDecision("" if start.model == "small" else None)

    with FakeHost(ext) as host:
        assert allows(host.intercept("turn_start", step=2))
        assert host.intercept("turn_start", step=3).reason == "enough"
        assert host.intercept("assistant_message", text="a SECRET").replace_text == "a [redacted]"
        assert host.intercept("before_agent_start", model="small").system_prompt == ""
        assert host.intercept("before_agent_start", model="big").system_prompt is None
        assert allows(host.intercept("unheard_of"))


@pytest.mark.parametrize("wrong", [RuntimeError("broken"), "yes", ToolCallDecision(modified_args={"a": {1}})])  # type: ignore[dict-item]
def test_an_interceptor_that_fails_lets_through_unless_it_says_otherwise(
    wrong: object, capsys: pytest.CaptureFixture[str]
) -> None:
    open_guard, closed_guard = Extension("open"), Extension("closed")

    def guard(_: ToolCallRequest) -> object:
        if isinstance(wrong, Exception):
            raise wrong
        return wrong

    open_guard.intercept("tool_call")(guard)
    closed_guard.intercept("tool_call", on_error="block")(guard)

    with FakeHost(open_guard) as host:
        assert allows(host.intercept_call("bash", {}))
    with FakeHost(closed_guard) as host:
        assert host.intercept_call("bash", {}).reason.startswith("a guard failed: ")
    assert "interceptor of 'tool_call' failed" in capsys.readouterr().err


def test_only_what_hosts_ask_about_can_be_intercepted() -> None:
    with pytest.raises(ValueError, match="'turn_end' cannot be intercepted"):
        Extension("guard").intercept("turn_end")  # type: ignore[arg-type]
