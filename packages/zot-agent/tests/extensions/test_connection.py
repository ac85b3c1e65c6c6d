import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import running_in
from waiting import PATIENCE

from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
from zot_agent.extensions.launch import LaunchError, command, environment
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.setup import ProcessTerms
from zot_agent.extensions.trace import Trace
from zot_core.machine.shell import Launch
from zot_ext.limits import ExtensionLimits
from zot_ext.manifest import Manifest
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    FromExtension,
    Hello,
    Notify,
    RegisterCommand,
)
from zot_ext.protocol.from_host import CommandInvoked, Event, EventIntercept, HelloAck, PanelKey

BARE = Path(__file__).parent / "programs" / "bare.py"


class Listener:
    """A handler that keeps all it is told."""

    def __init__(self) -> None:
        self.frames: list[FromExtension] = []
        self.ends: list[str] = []
        self._changed = asyncio.Event()

    def received(self, connection: Connection, frame: FromExtension) -> None:
        self.frames.append(frame)
        self._changed.set()

    def silence_counts(self) -> bool:
        return True

    def has_registered(self, frame: Any) -> bool:
        return True

    def is_ready(self, connection: Connection) -> None:
        pass

    def unanswered(self, connection: Connection, text: str) -> None:
        pass

    def ended(self, connection: Connection, why: str) -> None:
        self.ends.append(why)
        self._changed.set()

    def ack(self, hello: Hello) -> HelloAck:
        return HelloAck(1, "0", "provider", "model", "/project")

    @property
    def notes(self) -> list[str]:
        return [frame.message for frame in self.frames if isinstance(frame, Notify)]

    async def until(self, fits: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not fits():
                self._changed.clear()
                await self._changed.wait()

    async def note(self, number: int = 1) -> str:
        """The note with this number, once it has come."""
        await self.until(lambda: len(self.notes) >= number)
        return self.notes[number - 1]

    async def end(self) -> str:
        await self.until(lambda: bool(self.ends))
        return self.ends[0]


class Started:
    """A connection, who listens to it, and its log."""

    def __init__(self, connection: Connection, listener: Listener, log: ExtensionLog) -> None:
        self.connection, self.listener, self._log = connection, listener, log

    @property
    def pid(self) -> int:
        """The process, which has started: a signal to 0 would end the tests."""
        assert self.connection.pid
        return self.connection.pid

    @property
    def log(self) -> list[str]:
        """What the log says, without times."""
        lines = Path(self._log.path).read_text().splitlines()
        return [f"[zot] {line.split(' ', 2)[2]}" if line.startswith("[zot] ") else line for line in lines]

    def said(self, text: str) -> bool:
        return any(text in line for line in self.log)


Start = Callable[..., AbstractAsyncContextManager[Started]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`async with start(HOW, ..., hello_seconds=1) as started`: the bare program, greeted, and stopped at the end.

    Afterwards no process of its group may be left, no descriptor open and no log line unsupported_key.
    """
    groups: list[int] = []

    @asynccontextmanager
    async def begin(
        *arguments: str, greeted: bool = True, name: str = "bare", trace: Trace | None = None, **limits: Any
    ) -> AsyncIterator[Started]:
        listener, log = Listener(), ExtensionLog(str(tmp_path), name)
        connection = Connection(
            name,
            ProcessTerms(Launch([sys.executable, "-I", "-S", str(BARE), *arguments], str(tmp_path), dict(os.environ))),
            listener,
            log,
            limits=ExtensionLimits(
                **{"hello_seconds": PATIENCE, "shutdown_seconds": PATIENCE, "write_seconds": PATIENCE, **limits}
            ),
            trace=trace,
        )
        try:
            await connection.start()
            assert connection.pid is not None
            groups.append(connection.pid)
            if greeted:
                async with asyncio.timeout(PATIENCE):
                    await connection.handshake.greeted.wait()
            yield Started(connection, listener, log)
        finally:
            await connection.stop()
            log.close()

    before = sorted(os.listdir("/proc/self/fd"))
    yield begin
    assert groups
    assert [running_in(group) for group in groups] == [[]] * len(groups)
    assert sorted(os.listdir("/proc/self/fd")) == before


GREETING = b'{"type":"hello","name":"bare"}\n'
BOM_AND_CRLF = b'\xef\xbb\xbf\r\n\n{"type":"hello","name":"bare"}\r\n'


async def ask(started: Started, args: str, id: str = "1", seconds: float = PATIENCE) -> str:
    reply = await started.connection.request(CommandInvoked(id, "x", args), CommandResponse, seconds)
    return reply.display


async def ready(started: Started) -> None:
    async with asyncio.timeout(PATIENCE):
        await started.connection.handshake.ready.wait()


# The handshake


async def test_an_extension_is_greeted_and_runs(start: Start) -> None:
    async with start("serve") as started:
        assert started.connection.state == "running"
        assert started.connection.handshake.hello == Hello("bare", "1.0.0", ("commands",))
        assert await ask(started, "hello") == "hello"
    assert (started.connection.state, started.connection.end_reason) == ("ended", "was stopped")
    assert started.listener.ends == ["was stopped"]


async def test_it_runs_in_its_own_folder_and_session_and_writes_its_log_itself(start: Start, tmp_path: Path) -> None:
    async with start("says where") as started:
        assert json.loads(await started.listener.note()) == [str(tmp_path.resolve()), True]
    assert "to the log" in started.log
    assert started.said("[zot] zot ")


async def test_one_that_says_nothing_is_ended_after_the_limit(start: Start) -> None:
    async with start("mute", hello_seconds=0.2) as started:
        assert await started.listener.end() == "did not say hello within 0.2 s"
        assert started.connection.state == "ended"
        with pytest.raises(ExtensionEnded, match="did not say hello"):
            await ask(started, "x")


async def test_one_that_takes_its_time_is_waited_for(start: Start) -> None:
    async with start("late", greeted=False) as started, asyncio.timeout(PATIENCE):
        while not started.said("waiting"):
            await asyncio.sleep(0.01)
        assert started.connection.state == "starting"
        os.kill(started.pid, signal.SIGUSR1)
        await started.connection.handshake.greeted.wait()
        assert await ask(started, "x") == "x"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"Traceback (most recent call last):\n", "line is not a JSON object: 'Traceback (most recent call last):'"),
        (b'{"type":"ready"}\n', "got 'ready'"),
        (b'{"type":"banner"}\n', "got 'banner'"),
        (b'{"type":"hello","name":" "}\n', "hello has no name"),
        (b'{"type":"hello","name":7}\n', "field 'name' must be a string"),
        (b"x" * 6000 + b"\n", "line is longer than 5000 bytes"),
    ],
)
async def test_anything_before_hello_is_an_error_that_shows_the_line(start: Start, line: bytes, reason: str) -> None:
    async with start("first", line.hex(), greeted=False, frame_bytes=5000) as started:
        why = await started.listener.end()
        assert why.startswith("did not begin with a hello frame: ")
        assert reason in why
        assert "\n" not in why
        assert len(why) < 400


async def test_a_byte_order_mark_blank_lines_and_carriage_returns_are_no_noise(start: Start) -> None:
    async with start("first", BOM_AND_CRLF.hex()) as started:
        assert await ask(started, "x") == "x"


async def test_another_name_than_that_of_the_manifest_is_accepted_with_a_word_in_the_log(start: Start) -> None:
    async with start("serve", name="manifest") as started:
        assert await ask(started, "x") == "x"
    assert started.said("it calls itself 'bare' and its manifest 'manifest'; the manifest counts")


async def test_what_is_registered_before_the_ack_counts(start: Start) -> None:
    async with start("early", ready_idle_seconds=PATIENCE) as started:
        await ready(started)
        assert started.listener.frames == [RegisterCommand("x")]
        assert not started.connection.handshake.auto_ready


async def test_one_that_falls_silent_counts_as_ready(start: Start) -> None:
    async with start("serve") as started:
        await ready(started)
        assert started.connection.handshake.auto_ready


async def test_who_waits_for_it_to_be_ready_learns_of_its_end(start: Start) -> None:
    async with start("mute", greeted=False) as started:
        waiting = asyncio.gather(started.connection.handshake.greeted.wait(), started.connection.handshake.ready.wait())
        await asyncio.sleep(0)
        await started.connection.stop()
        async with asyncio.timeout(PATIENCE):
            await waiting


async def test_an_extension_written_with_zot_ext_runs_in_a_python_that_has_none(tmp_path: Path) -> None:
    listener, log = Listener(), ExtensionLog(str(tmp_path), "sdk")
    argv = command(Manifest("sdk", exec=sys.executable, args=("-S", str(BARE.parent / "with_sdk.py"))), "/")
    connection = Connection("sdk", ProcessTerms(Launch(argv, str(tmp_path), environment())), listener, log)
    await connection.start()
    await connection.handshake.ready.wait()
    call = CommandInvoked("1", "shout", "hello")
    reply = await connection.request(call, CommandResponse, PATIENCE)
    await connection.stop()
    log.close()
    assert reply.display == "HELLO"
    assert listener.frames == [RegisterCommand("shout", "say it louder")]
    assert not connection.handshake.auto_ready
    assert "this is no frame" in Path(log.path).read_text().splitlines()
    assert running_in(connection.pid or 0) == []


# Frames


@pytest.mark.parametrize(
    ("line", "logged"),
    [
        (b"garbage\n", "line is not a JSON object; skipped: 'garbage'"),
        (b'{"no":"type"}\n', "frame has no type; skipped"),
        (b'{"type":"notify","message":7}\n', "notify frame: field 'message' must be a string, not a number; skipped"),
        (b'{"type":"news"}\n', "frames of type 'news' are unknown"),
        (b'{"type":"hello","name":"again"}\n', "a second hello; ignored"),
        (b'{"type":"tool_result","id":"7"}\n', "tool_result frame for id '7': nobody asked for it; dropped"),
        (b"\xff\xfe\n", "skipped"),
    ],
)
async def test_a_bad_line_is_logged_and_skipped(start: Start, line: bytes, logged: str) -> None:
    async with start("first", (GREETING + line + b"\r\n\n").hex()) as started:
        assert await ask(started, "x") == "x"
        assert started.listener.frames == []
    assert started.said(logged)


async def test_a_line_of_10_mb_is_skipped_and_the_extension_kept(start: Start) -> None:
    async with start("oversized") as started:
        assert await started.listener.note() == "after"
        assert await ask(started, "x") == "x"
    assert started.said("line is longer than 4194304 bytes; skipped: ")


async def test_the_same_noise_again_and_again_is_counted(start: Start) -> None:
    async with start("same noise", "20000") as started:
        assert await ask(started, "x") == "x"
    assert sum("no frame" in line for line in started.log) == 1
    assert started.said("(the line before, 19999 more times)")


async def test_100_000_frames_in_a_burst_all_arrive_in_order_and_the_loop_goes_on(start: Start) -> None:
    async with start("burst", "100000", greeted=False) as started:
        rounds = 0
        while len(started.listener.frames) < 100_000:
            assert started.connection.state != "ended"
            rounds += 1
            await asyncio.sleep(0)
        assert started.listener.notes == [str(number) for number in range(100_000)]
        assert rounds > 50
        assert await ask(started, "x") == "x"


async def test_what_was_written_before_the_exit_arrives(start: Start) -> None:
    async with start("burst and exit", "3000", greeted=False) as started:
        assert await started.listener.end() == "exited with code 0"
        assert len(started.listener.notes) == 3000


async def test_frames_arrive_in_the_order_they_were_sent_in(start: Start) -> None:
    async with start("serve") as started:
        for number in range(200):
            started.connection.send(Event("x", text=str(number)), droppable=True)
        assert await ask(started, "x") == "x"
        assert started.listener.notes == [str(number) for number in range(200)]


async def test_a_frame_that_cannot_be_written_is_logged_and_a_request_fails(start: Start) -> None:
    async with start("serve", frame_bytes=1000) as started:
        started.connection.send(Event("x", text="y" * 2000))
        with pytest.raises(FrameError, match="the limit is 1000"):
            await ask(started, "y" * 2000)
        assert await ask(started, "x") == "x"
    assert started.said("not sent: event frame: ")


async def test_every_frame_is_in_the_trace(start: Start, tmp_path: Path) -> None:
    trace = Trace(str(tmp_path / "trace"))
    async with start("first", GREETING.hex() + b"garbage\n".hex(), trace=trace) as started:
        await ask(started, "x")
    trace.close()
    lines = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    assert [(line["direction"], line["frame"]["type"] if "frame" in line else line["text"]) for line in lines] == [
        ("in", "hello"),
        ("out", "hello_ack"),
        ("in", "garbage"),
        ("out", "command_invoked"),
        ("in", "command_response"),
        ("out", "shutdown"),
        ("in", "shutdown_ack"),
    ]


# Requests


async def test_replies_of_all_kinds_find_their_requests(start: Start) -> None:
    async with start("serve") as started:
        question = EventIntercept("2", "tool_call", tool_name="bash")
        first, second = await asyncio.gather(
            ask(started, "one"), started.connection.request(question, EventInterceptResponse, PATIENCE)
        )
        assert (first, second) == ("one", EventInterceptResponse("2"))


@pytest.mark.parametrize(("how", "fate"), [("die", "exited with code 3"), ("be killed", "was ended by SIGSEGV")])
async def test_the_death_of_the_process_fails_all_requests_at_once(start: Start, how: str, fate: str) -> None:
    async with start("serve") as started:
        open_too = asyncio.gather(ask(started, "no reply", id="open"), return_exceptions=True)
        with pytest.raises(ExtensionEnded, match=f"extension 'bare' {fate}"):
            await ask(started, how)
        assert [type(failure) for failure in await open_too] == [ExtensionEnded]
        assert started.listener.ends == [fate]
        with pytest.raises(ExtensionEnded, match=fate):
            await ask(started, "x")
        started.connection.send(PanelKey("p", "up"))


async def test_a_reply_to_an_id_that_nobody_used_is_dropped(start: Start) -> None:
    async with start("serve") as started:
        assert await ask(started, "stranger") == "stranger"
    assert started.said("command_response frame for id 'nobody': nobody asked for it; dropped")


async def test_a_second_reply_is_dropped(start: Start) -> None:
    async with start("serve") as started:
        assert await ask(started, "twice") == "twice"
        assert await ask(started, "x", id="2") == "x"
    assert started.said("command_response frame for id '1': there was a reply before; dropped")


async def test_a_reply_after_the_time_limit_is_dropped(start: Start) -> None:
    async with start("serve") as started:
        with pytest.raises(TimedOut, match=r"extension 'bare' did not answer within 0\.1 s"):
            await ask(started, "no reply", id="late", seconds=0.1)
        assert await ask(started, "answer late", id="2") == "answer late"
    assert started.said("command_response frame for id 'late': it came after the time limit; dropped")


async def test_a_reply_that_nobody_waits_for_any_more_is_dropped(start: Start) -> None:
    async with start("serve") as started:
        asking = asyncio.get_running_loop().create_task(ask(started, "no reply", id="left"))
        await started.listener.note()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await ask(started, "answer left", id="2") == "answer left"
    assert started.said("command_response frame for id 'left': nobody waits for it any more; dropped")


async def test_a_malformed_reply_fails_its_request_at_once(start: Start) -> None:
    async with start("serve") as started:
        with pytest.raises(FrameError, match="command_response frame: field 'display' must be a string"):
            await ask(started, "malformed")
        with pytest.raises(FrameError, match="tool_result frame: is no reply to this request"):
            await ask(started, "another kind", id="2")
        assert await ask(started, "x", id="3") == "x"


async def test_one_id_cannot_be_used_twice_at_a_time(start: Start) -> None:
    async with start("serve") as started:
        asking = asyncio.gather(ask(started, "no reply"), return_exceptions=True)
        await started.listener.note()
        with pytest.raises(ValueError, match="request '1' is open already"):
            await ask(started, "x")
        await started.connection.stop()
        assert [type(failure) for failure in await asking] == [ExtensionEnded]


async def test_nothing_can_be_asked_before_the_hello(start: Start) -> None:
    async with start("mute", greeted=False) as started:
        with pytest.raises(ExtensionEnded, match="is not running yet"):
            await ask(started, "x")


# Extensions that do not read


async def test_one_that_stops_reading_loses_events_first_and_then_its_connection(start: Start) -> None:
    async with start("deaf", write_seconds=0.3) as started:
        asking = asyncio.gather(ask(started, "x"), return_exceptions=True)
        while started.connection.state == "running":
            for _ in range(100):
                started.connection.send(Event("x", text="y" * 1000), droppable=True)
            await asyncio.sleep(0.01)
        assert started.listener.ends == ["read nothing for 0.3 s while 256 frames waited"]
        assert [type(failure) for failure in await asking] == [ExtensionEnded]
    assert started.said("events were dropped because the extension did not read")


async def test_calls_wait_where_events_are_dropped_and_are_answered_when_it_reads_again(start: Start) -> None:
    async with start("nap") as started:
        for number in range(1000):
            started.connection.send(Event("x", text=f"{number} " + "y" * 1000), droppable=True)
        asking = [asyncio.ensure_future(ask(started, f"call {n}", id=str(n))) for n in range(300)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in asking)
        os.kill(started.pid, signal.SIGUSR1)
        assert await asyncio.gather(*asking) == [f"call {n}" for n in range(300)]
        told = [int(note.split()[0]) for note in started.listener.notes]
        assert told == list(range(len(told)))
        assert 256 <= len(told) < 1000
        started.connection.send(Event("x", text="1000 again"), droppable=True)
        assert await started.listener.note(len(told) + 1) == "1000 again"
    assert started.said(f"{1000 - len(told)} events were dropped because the extension did not read")


async def test_many_small_events_that_fit_the_queue_do_not_end_a_deaf_extension(start: Start) -> None:
    async with start("deaf", write_seconds=0.05) as started:
        for _ in range(200):
            started.connection.send(Event("x", text="y" * 1000), droppable=True)
        await asyncio.sleep(0.3)
        assert started.connection.state == "running"
        os.killpg(started.pid, 9)
        await started.listener.end()


async def test_a_slow_reader_that_keeps_up_is_not_cut_off(start: Start) -> None:
    async with start("slow", write_seconds=3) as started:
        for number in range(1500):  # 3 MB, and all of it has to wait
            started.connection.send(PanelKey("p", "rune", "x" * 2000))
            if number % 100 == 0:
                await asyncio.sleep(0)
        await started.connection.stop()
        assert started.listener.ends == ["was stopped"]
    assert any(line.startswith("read 30") for line in started.log)


# Parting


async def test_one_that_closes_its_output_but_lives_is_ended(start: Start) -> None:
    async with start("closes output", kill_seconds=PATIENCE) as started:
        with pytest.raises(ExtensionEnded, match="closed its standard output"):
            await ask(started, "x")
        assert await started.listener.end() == "closed its standard output"


async def test_one_that_closes_its_input_is_ended(start: Start) -> None:
    async with start("closes input") as started:
        assert await started.listener.note() == "closed"
        with pytest.raises(ExtensionEnded, match="closed its standard input"):
            await ask(started, "x")


async def test_a_parting_extension_may_say_something_and_clean_up_after_its_ack(start: Start) -> None:
    async with start("parts slowly", kill_seconds=PATIENCE) as started:
        await started.connection.stop()
        assert started.listener.notes == ["parting"]
    assert "cleaned up" in started.log


async def test_a_grandchild_that_holds_the_pipes_keeps_nobody_waiting(start: Start) -> None:
    async with start("leaves a child") as started:
        child = int(await started.listener.note())
        assert child in running_in(started.pid)
        await started.connection.stop()
        assert child not in running_in(started.pid)


async def test_a_grandchild_does_not_hide_the_death_of_the_extension(start: Start) -> None:
    async with start("leaves a child") as started:
        await started.listener.note()
        os.kill(started.pid, 9)
        assert await started.listener.end() == "was ended by SIGKILL"


async def test_an_extension_that_dies_before_its_hello_says_how(start: Start) -> None:
    async with start("no such way", greeted=False) as started:
        assert await started.listener.end() == "exited with code 1 before it said hello: KeyError: 'no such way'"
    assert started.said("KeyError: 'no such way'")


async def test_one_that_ignores_everything_is_killed_with_its_children(start: Start) -> None:
    async with start("ignores", shutdown_seconds=0.1, kill_seconds=0.1) as started:
        await started.listener.note()
        await started.connection.stop()
        assert running_in(started.pid) == []
    assert started.said("no shutdown_ack within 0.1 s")


async def test_one_that_owes_an_answer_is_not_waited_for_again(start: Start) -> None:
    async with start("ignores", shutdown_seconds=PATIENCE, kill_seconds=PATIENCE) as started:
        await started.listener.note()
        asking = asyncio.create_task(ask(started, "x"))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await started.connection.stop()
        assert running_in(started.pid) == []
    assert started.said("no shutdown_ack within 0.05 s")


async def test_a_stop_that_is_cancelled_kills_and_still_leaves_nothing_behind(start: Start) -> None:
    async with start("ignores", kill_seconds=PATIENCE) as started:
        await started.listener.note()
        stopping = asyncio.get_running_loop().create_task(started.connection.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopping
        assert running_in(started.pid) == []


async def test_stopping_twice_at_once_and_again_is_harmless(start: Start) -> None:
    async with start("serve") as started:
        await asyncio.gather(started.connection.stop(), started.connection.stop())
        await started.connection.stop()
        assert started.listener.ends == ["was stopped"]


async def test_one_that_was_never_started_can_be_stopped(tmp_path: Path) -> None:
    listener, log = Listener(), ExtensionLog(str(tmp_path), "x")
    connection = Connection("x", ProcessTerms(Launch(["x"], "/", {})), listener, log)
    await connection.stop()
    await connection.handshake.greeted.wait()
    await connection.handshake.ready.wait()
    log.close()
    assert (connection.state, connection.pid, listener.ends) == ("ended", None, [])


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"echo no first line\n", "give it a first line such as #!/usr/bin/env python3"),
        (b"#!/nowhere/interpreter\n", "the interpreter in its first line (#!) is missing"),
    ],
)
async def test_a_program_that_the_system_cannot_run_says_what_to_do(
    tmp_path: Path, contents: bytes, reason: str
) -> None:
    program = tmp_path / "program"
    program.write_bytes(contents)
    program.chmod(0o755)
    before = sorted(os.listdir("/proc/self/fd"))
    listener, log = Listener(), ExtensionLog(str(tmp_path), "x")
    connection = Connection("x", ProcessTerms(Launch([str(program)], str(tmp_path), {})), listener, log)
    with pytest.raises(LaunchError, match="extension 'x': ") as failure:
        await connection.start()
    assert reason in str(failure.value)
    assert (connection.state, listener.ends) == ("ended", [])
    await connection.handshake.ready.wait()
    await connection.stop()
    log.close()
    assert sorted(os.listdir("/proc/self/fd")) == before
