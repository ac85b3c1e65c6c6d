import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from waiting import PATIENCE

from zot_ext import Extension, ExtensionLimits, HostError, NotGranted
from zot_ext.protocol.from_extension import CommandResponse, Hello, ShutdownAck
from zot_ext.testing import FakeHost

PATIENT = ExtensionLimits(hello_seconds=PATIENCE, ready_total_seconds=0.01, command_seconds=PATIENCE)
QUICK = ExtensionLimits(hello_seconds=PATIENCE, ready_total_seconds=0.01, command_seconds=0.05, tool_seconds=0.05)

RAW = r"""
import json, sys
print("noise", flush=True)
print('{"type":"hello","name":"raw"}', flush=True)
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "command_invoked" and frame["name"] == "twice":
        print(json.dumps({"type": "command_response", "id": frame["id"], "action": "noop"}), flush=True)
        print(json.dumps({"type": "command_response", "id": frame["id"], "action": "noop"}), flush=True)
    if frame["type"] == "shutdown":
        print('{"type":"shutdown_ack"}', flush=True)
        break
"""


def test_it_greets_and_shuts_down() -> None:
    with FakeHost(Extension("quiet")) as host:
        assert isinstance(host.frames[0], Hello)
        assert (host.commands, host.tools) == ({}, {})
    assert host.frames[-1] == ShutdownAck()


def test_a_process_that_knows_no_sdk_is_driven_the_same_way() -> None:
    with subprocess.Popen([sys.executable, "-c", RAW], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        with FakeHost(process, limits=PATIENT) as host:
            assert host.command("twice").action == "noop"
            host.wait_for(CommandResponse, count=2, seconds=PATIENCE)
        assert process.wait(PATIENCE) == 0
    assert host.noise == [b"noise"]


def test_a_process_that_does_not_answer_is_waited_for_as_long_as_the_limit_says() -> None:
    with subprocess.Popen([sys.executable, "-c", RAW], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        unanswered = pytest.raises(TimeoutError, match=r"CommandResponse: not within 0\.05 s; it sent \[Hello")
        with FakeHost(process, limits=QUICK) as host, unanswered:
            host.command("missing")
        assert process.wait(PATIENCE) == 0


def test_an_extension_that_ends_is_not_waited_for() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        host = FakeHost(process)
        host.start()
        with pytest.raises(TimeoutError, match="Hello: the extension has ended"):
            host.greet()
        host.close()


def test_an_answer_that_comes_after_the_end_is_dropped() -> None:
    ext, asked, closed = Extension("late", capabilities=("ui",)), threading.Event(), threading.Event()

    def confirm(params: Mapping[str, Any]) -> dict[str, object]:
        asked.set()
        closed.wait(PATIENCE)
        return {"value": True}

    @ext.command("ask")
    def ask(args: str) -> str:
        return str(ext.ui.confirm("?"))

    host = FakeHost(ext, capabilities=("ui",), calls={"ui.confirm": confirm}, limits=QUICK)
    host.start()
    host.greet()
    with pytest.raises(TimeoutError):
        host.command("ask")
    assert asked.wait(PATIENCE)
    threading.Timer(0.1, closed.set).start()
    host.close()  # joins the thread that answers


def test_it_answers_calls_and_refuses_the_others() -> None:
    ext = Extension("caller", capabilities=("ui", "model", "storage"))

    def twice(params: Mapping[str, Any]) -> dict[str, object]:
        return {"text": params["prompt"] * 2}

    def full(params: Mapping[str, Any]) -> dict[str, object]:
        raise HostError("too_large", "no room")

    @ext.command("ask")
    def ask(args: str) -> str:
        return f"{ext.ui.confirm('?')} {ext.model.complete(args)}"

    @ext.command("fail")
    async def fail(args: str) -> str:
        codes = []
        for call in (ext.kv.keys, lambda: ext.kv.set("a", 1), lambda: ext.messages.send("x")):
            try:
                await ext.soon(call)
            except HostError as error:
                codes.append(error.code)
            except NotGranted as error:
                codes.append(str(error))
        return ", ".join(codes)

    calls = {"ui.confirm": {"value": True}, "model.complete": twice, "kv.set": full}
    with FakeHost(ext, capabilities=("ui", "model", "storage"), calls=calls) as host:
        assert host.command("ask", "ab").display == "True abab"
        assert host.command("fail").display == "unavailable, too_large, ask for it: capabilities=('messages',)"
