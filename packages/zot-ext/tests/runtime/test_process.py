import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from waiting import PATIENCE

from zot_ext.protocol.from_extension import CommandResponse, Notify
from zot_ext.protocol.from_host import CommandInvoked
from zot_ext.testing import FakeHost

HEAD = """
import os, subprocess, sys, threading
from zot_ext import *
ext = Extension("child")
"""

# What is printed before `run()` is held back by Python's own buffer, unless Python is told to have none.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@contextmanager
def process(folder: Path, program: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    log = folder / "log"
    with open(log, "wb") as errors:
        child = subprocess.Popen(
            [sys.executable, "-c", f"{HEAD}\n{program}\next.run()\next.log('after')"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=BUFFERED,
        )
    with child:
        try:
            yield child, log
            assert child.wait(PATIENCE) == 0
        finally:
            child.kill()


def test_nothing_that_is_printed_reaches_the_wire(tmp_path: Path) -> None:
    program = """
print("early")
@ext.command("talk")
def talk(args):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run(["sh", "-c", "echo from a child; cat"], check=True)
    sys.stdout.buffer.write(b"raw\\n")
    sys.stdout.flush()
    return display(sys.stdin.read() + "done")
"""
    with process(tmp_path, program) as (child, log), FakeHost(child) as host:
        assert host.command("talk").display == "done"
    assert host.noise == []
    assert log.read_text().splitlines() == ["early", "printed", "written", "from a child", "raw", "[child] after"]


def test_sigterm_ends_it_after_the_replies(tmp_path: Path) -> None:
    program = """
go = threading.Event()
@ext.command("wait")
def wait(args):
    ext.notify("begun")
    go.wait(10)
    return "in time"
ext.on("turn_end")(lambda event: go.set())
"""
    with process(tmp_path, program) as (child, log), FakeHost(child) as host:
        host.send(CommandInvoked("1", "wait", ""))
        host.wait_for(Notify)
        child.send_signal(signal.SIGTERM)
        host.event("turn_end")
        assert host.wait_for(CommandResponse).display == "in time"
        assert child.wait(PATIENCE) == 0
        host.end_input()
    assert log.read_text() == "[child] after\n"


def test_sigterm_does_not_wait_for_ever(tmp_path: Path) -> None:
    program = """
ext.limits = ExtensionLimits(kill_seconds=0.1)
@ext.command("wait")
def wait(args):
    ext.notify("begun")
    threading.Event().wait()
"""
    with process(tmp_path, program) as (child, log), FakeHost(child) as host:
        host.send(CommandInvoked("1", "wait", ""))
        host.wait_for(Notify)
        child.send_signal(signal.SIGTERM)
        assert host.wait_for(CommandResponse).error == "the extension is shutting down"
        assert child.wait(PATIENCE) == 0
        host.end_input()
    assert log.read_text() == ""


def test_a_ctrl_c_meant_for_the_host_is_survived(tmp_path: Path) -> None:
    program = 'ext.command("hi")(lambda args: "still here")'
    with process(tmp_path, program) as (child, log), FakeHost(child) as host:
        child.send_signal(signal.SIGINT)
        assert host.command("hi").display == "still here"
    assert log.read_text() == "[child] after\n"


def test_a_host_that_reads_no_more_ends_it_quietly(tmp_path: Path) -> None:
    program = """
@ext.command("hi")
def hi(args):
    ext.notify("to nobody")
    threading.Event().wait(0.2)
    ext.log("said")
"""
    with process(tmp_path, program) as (child, log):
        assert child.stdout is not None
        assert child.stdin is not None
        while b'"ready"' not in child.stdout.readline():
            pass
        child.stdout.close()
        child.stdin.write(b'{"type":"command_invoked","id":"1","name":"hi"}\n')
        child.stdin.flush()
        assert child.wait(PATIENCE) == 0  # with its input still open
    assert log.read_text() == "[child] said\n[child] after\n"


def test_a_host_that_has_gone_before_the_start_is_no_error(tmp_path: Path) -> None:
    with process(tmp_path, "") as (child, log):
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.close()
        child.stdin.close()
    assert log.read_text() == "[child] after\n"


def test_sigterm_ends_even_a_process_whose_host_has_stopped_reading(tmp_path: Path) -> None:
    program = """
ext.limits = ExtensionLimits(drain_seconds=0.05, kill_seconds=0.05)
@ext.command("flood")
def flood(args):
    while True:
        ext.notify("x" * 60000)
"""
    with process(tmp_path, program) as (child, _):
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b'{"type":"command_invoked","id":"1","name":"flood"}\n{"type":"shutdown"}\n')
        child.stdin.flush()
        while b'"notify"' not in child.stdout.readline():
            pass
        for _ in range(100):
            child.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(0.1)
                break


NOOP = 'from zot_ext import Extension\next = Extension("x")\next.command("x")(lambda args: None)\next.run()'


def test_an_extension_is_ready_before_anything_slow_is_imported() -> None:
    report = "import sys; print(sorted(sys.modules), file=sys.stderr)"
    program = f"import atexit; atexit.register(lambda: exec({report!r}))\n{NOOP}"
    done = subprocess.run([sys.executable, "-I", "-c", program], input=b"", capture_output=True, check=True)
    loaded = {name.strip("'").partition(".")[0] for name in done.stderr.decode().strip("[]\n").split(", ")}
    assert not loaded & {"asyncio", "concurrent", "dataclasses", "inspect", "traceback", "typing"}
    assert "zot_ext.protocol.from_host" not in done.stderr.decode()


def processor_seconds(command: list[str]) -> float:
    """What a process costs, whatever else the machine is doing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_an_extension_costs_no_more_than_its_budget_to_start() -> None:
    # Start, registrations, end of input and exit, against a Python that does nothing; the best of a few, because
    # other work on the machine only ever adds.
    bare, started = float("inf"), float("inf")
    for _ in range(30):
        bare = min(bare, processor_seconds([sys.executable, "-I", "-c", "pass"]))
        started = min(started, processor_seconds([sys.executable, "-I", "-c", NOOP]))
        if started <= 4 * bare:
            break
    assert started <= 4 * bare, f"{started / bare:.1f} times a bare Python"
