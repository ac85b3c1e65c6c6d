import subprocess
import sys

import pytest

from zot_ext import Extension, ExtensionLimits
from zot_ext.protocol.from_extension import CommandResponse, Hello, ShutdownAck
from zot_ext.testing import FakeHost

QUICK = ExtensionLimits(hello_seconds=10, ready_total_seconds=0.01, command_seconds=0.05, tool_seconds=0.05)

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
        with FakeHost(process, limits=QUICK) as host:
            assert host.command("twice").action == "noop"
            host.wait_for(CommandResponse, count=2, seconds=10)
            with pytest.raises(TimeoutError, match=r"CommandResponse: not within 0\.05 s; it sent \[Hello"):
                host.command("missing")
        assert process.wait(60) == 0
    assert host.noise == [b"noise"]


def test_an_extension_that_ends_is_not_waited_for() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        host = FakeHost(process)
        host.start()
        with pytest.raises(TimeoutError, match="Hello: the extension has ended"):
            host.greet()
        host.close()
