import os
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_ext import DEFAULT_LIMITS, Event, Extension, ExtensionLimits, PanelKey, ToolCallRequest, display
from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    Hello,
    Notify,
    ShutdownAck,
    ToolResult,
)
from zot_ext.protocol.from_host import FROM_HOST, CancelRequest, CommandInvoked, EventIntercept, Shutdown, ToolCall
from zot_ext.protocol.raw import RawObject
from zot_ext.protocol.values import TextBlock
from zot_ext.providers.provider import ModelProvider
from zot_ext.registrations import Registrations
from zot_ext.runtime.runner import ExtensionRunner
from zot_ext.testing import FakeHost
from zot_ext.tool_ops import ServedOps, ToolOps

NOTHING = RawObject("{}")


def busy_extension() -> Extension:
    """Answers, fails, refuses to be written, and keeps the order of keys and events as notes."""
    ext = Extension("busy")
    panel = ext.panel("p")

    def work(text: Any) -> object:
        if text == "raise":
            raise RuntimeError("broken")
        if text == "exit":
            raise SystemExit(1)
        return float("nan") if text == "nan" else object() if text == "odd" else "fine"

    async def later(text: Any) -> object:
        return work(text)

    ext.command("plain")(work)
    ext.command("later")(later)
    ext.command("open")(lambda args: panel.open())
    ext.tool(name="plain", description="", schema={})(lambda args: work(args.get("do")))
    ext.tool(name="later", description="", schema={})(lambda args: later(args.get("do")))
    ext.intercept("tool_call")(lambda call: work(call.name) if call.name != "fine" else None)
    panel.on_key(lambda press: ext.notify(press.text))
    ext.on("turn_start")(lambda event: ext.notify(str(event.step), "success"))
    return ext


def request(id: str, kind: str, name: str, do: str) -> bytes:
    if kind == "command":
        return encode(CommandInvoked(id, name, do))
    if kind == "tool":
        return encode(ToolCall(id, name, RawObject.from_value({"do": do})))
    if kind == "intercept":
        return encode(EventIntercept(id, "tool_call", tool_name=do))
    return b'{"type":"tool_call","id":"%s","name":"plain","args":[]}\n' % id.encode()  # cannot be read


REQUESTS = st.tuples(
    st.sampled_from(["command", "tool", "intercept", "malformed"]),
    st.sampled_from(["plain", "later", "missing"]),
    st.sampled_from(["fine", "raise", "exit", "nan", "odd"]),
)
STEPS = st.lists(REQUESTS | st.sampled_from(["key", "event", "noise"]), max_size=30)


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(STEPS)
def test_any_interleaving_gets_one_reply_each_and_keeps_the_order(steps: list[Any]) -> None:
    host = FakeHost(busy_extension())
    host.start()
    host.send(host.ack)
    host.command("open")
    lines, ids, keys, events = [], ["host-1"], [], []
    for number, step in enumerate(steps):
        if step == "key":
            keys.append(str(number))
            lines.append(encode(PanelKey("p", "rune", str(number))))
        elif step == "event":
            events.append(str(number))
            lines.append(encode(Event("turn_start", step=number)))
        elif step == "noise":
            lines.append(b'not json\n\n{"type":"from_the_future","id":"x"}\n')
        else:
            ids.append(f"r{number}")
            lines.append(request(f"r{number}", *step))
    host.send_line(b"".join(lines) + encode(Shutdown()))
    host.wait_for(ShutdownAck)
    host.close()
    replies = (CommandResponse, ToolResult, EventInterceptResponse)
    assert Counter(frame.id for frame in host.frames if isinstance(frame, replies)) == Counter(ids)
    assert [note.message for note in host.sent(Notify) if note.level == "info"] == keys
    assert [note.message for note in host.sent(Notify) if note.level == "success"] == events
    assert host.frames[-1] == ShutdownAck()
    assert host.noise == []


def test_requests_run_side_by_side() -> None:
    ext = Extension("pair")
    meet = threading.Barrier(3)

    @ext.command("plain")
    def plain(_: str) -> str:
        return str(meet.wait(PATIENCE) >= 0)

    @ext.intercept("tool_call")
    def guard(_: ToolCallRequest) -> None:
        meet.wait(PATIENCE)

    with FakeHost(ext) as host:
        host.send(CommandInvoked("1", "plain", ""))
        host.send(CommandInvoked("2", "plain", ""))
        host.send(EventIntercept("3", "tool_call"))
        host.wait_for(EventInterceptResponse)
        assert host.wait_for(CommandResponse, count=2).display == "True"


def test_two_requests_with_one_id_get_two_replies() -> None:
    with FakeHost(busy_extension()) as host:
        host.send(CommandInvoked("same", "plain", ""))
        host.send(CommandInvoked("same", "later", ""))
        host.wait_for(CommandResponse, count=2)


def test_an_exception_is_answered_and_logged(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeHost(busy_extension()) as host:
        assert host.command("later", "raise").error == "RuntimeError: broken"
        failed = host.tool("plain", {"do": "nan"})
        assert failed.is_error
        assert "cannot be written as JSON" in failed.content[0].text  # type: ignore[union-attr]
        assert host.command("plain", "odd").error.startswith("TypeError: a command answers with")
        assert host.command("plain").display == "fine"
    log = capsys.readouterr().err
    assert "[busy] command_invoked 'later' failed: RuntimeError: broken\nTraceback" in log


def test_an_answer_that_does_not_fit_on_a_line_becomes_an_error() -> None:
    ext = Extension("long", limits=ExtensionLimits(frame_bytes=1000))
    ext.command("long")(lambda args: display("x" * 2000))
    with FakeHost(ext) as host:
        assert "the limit is 1000" in host.command("long").error
        host.send_line(b"x" * 2000 + b"\n")
        assert host.command("missing").error


def test_a_handler_that_does_not_end_is_answered_for_at_shutdown() -> None:
    ext = Extension("stuck", limits=ExtensionLimits(drain_seconds=0.05))
    release = threading.Event()
    ended = threading.Event()

    @ext.command("stuck")
    def stuck(_: str) -> str:
        ext.notify("begun")
        release.wait(PATIENCE)
        ended.set()
        return "too late"

    @ext.tool(name="stuck", description="", schema={})
    async def stuck_too(_: object) -> str:
        import asyncio

        ext.notify("begun")
        try:
            await asyncio.Event().wait()
        finally:
            ext.log("cancelled")
        return "never"

    @ext.intercept("tool_call", on_error="block")
    def guard(_: object) -> None:
        ext.notify("begun")
        release.wait(PATIENCE)

    host = FakeHost(ext)
    host.start()
    host.greet()
    host.send(CommandInvoked("1", "stuck", ""))
    host.send(ToolCall("2", "stuck", NOTHING))
    host.send(EventIntercept("3", "tool_call"))
    host.wait_for(Notify, count=3)
    host.shutdown()
    release.set()
    assert ended.wait(PATIENCE)
    host.close()
    why = "the extension is shutting down"
    assert host.sent(CommandResponse) == [CommandResponse("1", error=why)]
    assert [result.is_error for result in host.sent(ToolResult)] == [True]
    assert host.sent(EventInterceptResponse) == [EventInterceptResponse("3", block=True, reason=why)]
    assert host.frames[-1] == ShutdownAck()


def test_a_request_can_be_taken_back_before_its_handler_begins() -> None:
    ext = Extension("late", capabilities=("cancel",))

    @ext.tool(name="plain", description="", schema={})
    def plain(_: object) -> str:
        return f"cancelled: {ext.cancelled}"

    @ext.tool(name="waits", description="", schema={})
    async def waits(_: object) -> str:
        import asyncio

        await asyncio.Event().wait()
        return "never"

    with FakeHost(ext, capabilities=("cancel",)) as host:
        calls = (ToolCall(name, name, NOTHING) for name in ("plain", "waits"))
        host.send_line(b"".join(encode(call) + encode(CancelRequest(call.id)) for call in calls))
        (first,) = host.wait_for(ToolResult, lambda result: result.id == "plain").content
        assert first == TextBlock("cancelled: True")
        assert host.wait_for(ToolResult, lambda result: result.id == "waits").is_error


def test_shutdown_waits_for_handlers_that_are_nearly_done() -> None:
    ext = Extension("slow")
    seen = threading.Event()

    @ext.command("slow")
    def slow(_: str) -> str:
        ext.notify("begun")
        assert seen.wait(PATIENCE)
        return "in time"

    host = FakeHost(ext)
    host.start()
    host.greet()
    host.send(CommandInvoked("1", "slow", ""))
    host.wait_for(Notify)
    host.send(Shutdown())
    seen.set()
    host.wait_for(ShutdownAck)
    host.close()
    assert host.frames[-2:] == [CommandResponse("1", "display", display="in time"), ShutdownAck()]


def test_the_end_of_the_input_ends_the_extension_after_its_replies() -> None:
    host = FakeHost(busy_extension())
    host.start()
    host.send(CommandInvoked("1", "later", ""))
    host.end_input()
    host.close()
    assert host.frames[-1] == CommandResponse("1", "display", display="fine")


def test_every_frame_of_the_host_has_a_handler() -> None:
    pipes = (os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY))
    registrations = Registrations()
    registrations.providers["corp"] = ModelProvider("corp", None, lambda: None)
    registrations.ops = ServedOps(ToolOps(), lambda frame: None)
    runner = ExtensionRunner(Hello("x", capabilities=("ui",)), registrations, pipes, DEFAULT_LIMITS, print)
    assert set(runner.frame_handlers) == set(FROM_HOST) - {Shutdown}
    assert runner.run()
