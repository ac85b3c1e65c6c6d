"""`zot rpc` and clients that write nonsense, die, do not read, ask for too much, or think better of it."""

import base64
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from command import Zot
from extension_folder import write_extension
from memory import PeakMemory
from processes import running_in
from python_forks import zot_python
from rpc_talk import Talk
from waiting import PATIENCE, read_fifo

from zot_core.images import LARGEST
from zot_core.sessions.file import load
from zot_provider.testing import Call, ScriptedServer, Turn

Start: TypeAlias = Callable[..., Talk]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
ENDLESS = Turn("word " * 20_000, chunk=5, delay=0.02)
"""An answer of some minutes."""


def argv(server: ScriptedServer, *flags: str) -> list[str]:
    """`zot rpc` against the scripted server."""
    url = server.base_url("openai-chat")
    named = ["--provider", "openai", "--model", "scripted", "--base-url", url]
    return [sys.executable, "-m", "zot_agent", "rpc", *named, *flags]


@pytest.fixture
def start(zot: Zot, server: ScriptedServer) -> Iterator[Start]:
    """Starts `zot rpc`, with more in its environment if wanted, in a `new` Python where the process is looked at."""
    talks: list[Talk] = []

    def begin(*flags: str, new: bool = False, **more: str) -> Talk:
        python, *words = argv(server, *flags)
        talks.append(
            Talk([python if new else zot_python(), *words], cwd=zot.cwd, env=zot.env | more, stderr=subprocess.PIPE)
        )
        return talks[-1]

    yield begin
    for talk in talks:
        talk.process.terminate()  # so that it ends its extensions
        talk.process.wait(PATIENCE)
        talk.close()


def wait_for_end(pid: int) -> None:
    """Return once a process, which need not be a child of ours, has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], PATIENCE)[0], f"process {pid} still runs"
    finally:
        os.close(descriptor)


def peak_memory(pid: int) -> int:
    """The most bytes a process has had in memory."""
    (line,) = [row for row in Path(f"/proc/{pid}/status").read_text().splitlines() if row.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def hang(zot: Zot, server: ScriptedServer) -> Path:
    """Have the model call a tool that runs for ever; a fifo that tells its process group."""
    fifo = zot.cwd / "pid"
    os.mkfifo(fifo)
    server.add(Turn("Now. ", calls=[Call("bash", {"command": "echo $$ > pid; sleep 600 & sleep 600"})]))
    return fifo


CLIENT = """
import subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdin.write(b'{"type":"prompt","message":"hi"}\\n')
process.stdin.flush()
print(process.pid, flush=True)
process.wait()
"""
"""A client that asks, and waits to be killed."""


def test_a_client_that_is_killed_takes_zot_and_its_tools_with_it(zot: Zot, server: ScriptedServer) -> None:
    server.add("earlier answer")
    assert zot.ask(server, "-p", "earlier").result == (0, "earlier answer\n", "")
    fifo = hang(zot, server)
    command = [sys.executable, "-c", CLIENT, *argv(server, "--session", str(zot.session))]
    with subprocess.Popen(command, cwd=zot.cwd, env=zot.env, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        tool = int(read_fifo(fifo))
        client.kill()
    wait_for_end(pid)
    assert not running_in(tool)
    messages = load(str(zot.session)).messages
    assert [message.text for message in messages if not message.hidden][:4] == [
        "earlier",
        "earlier answer",
        "hi",
        "Now. ",
    ]
    assert zot.session.read_bytes().endswith(b"}\n")
    server.add("still there")
    assert zot.ask(server, "-p", "-c", "go on").result == (0, "still there\n", "")


def test_a_client_that_closes_its_end_stops_everything_at_once(zot: Zot, server: ScriptedServer) -> None:
    fifo = hang(zot, server)
    with subprocess.Popen(
        argv(server), cwd=zot.cwd, env=zot.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"type":"prompt","message":"hi"}\n{"type":"prompt","message":"and then"}\n')
        process.stdin.flush()
        tool = int(read_fifo(fifo))
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
    assert not running_in(tool)
    assert len(server.requests) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_zot_and_its_tools(
    start: Start, zot: Zot, server: ScriptedServer, number: signal.Signals
) -> None:
    fifo = hang(zot, server)
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    tool = int(read_fifo(fifo))
    talk.process.send_signal(number)
    types = [event["type"] for event in talk.rest()]
    assert talk.process.wait(PATIENCE) == 128 + number
    assert types[-1] == "done"
    assert not running_in(tool)


def test_a_client_that_reads_nothing_costs_a_bounded_amount_of_memory(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add(Turn("x" * 150_000_000, chunk=1 << 16))
    memory = PeakMemory(tmp_path)
    with subprocess.Popen(
        memory.command(argv(server)),
        cwd=zot.cwd,
        env=zot.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b'{"type":"prompt","message":"hi"}\n')
        process.stdin.flush()
        complaint = process.stderr.read()
        process.wait(PATIENCE)
    assert (process.returncode, b"the client does not read" in complaint) == (1, True)
    assert memory.bytes < 500 << 20
    server.wait_idle(PATIENCE)
    assert server.requests[0].closed_early


def test_commands_of_a_client_that_reads_nothing_are_not_read_for_ever(start: Start) -> None:
    talk = start(new=True)
    count = 200_000
    talk.send(b'{"id":1,"type":"ping"}\n' * count)
    pongs = sum(1 for event in talk.until("response", count) if event["data"] == {"pong": True})
    assert pongs == count
    assert peak_memory(talk.process.pid) < 300 << 20


def test_half_a_line_before_the_end_is_answered_and_harmless(start: Start) -> None:
    talk = start()
    talk.send({"id": "a", "type": "ping"}, b'{"id":"b","type":"pi')
    first, second = talk.finish()
    assert (first["id"], first["success"]) == ("a", True)
    assert (second["type"], second["success"]) == ("response", False)
    assert "malformed json" in second["error"]
    assert talk.process.returncode == 0


def test_a_last_line_without_its_break_counts(start: Start, server: ScriptedServer) -> None:
    server.add("answer")
    talk = start()
    talk.send(b'{"id":"a","type":"prompt","message":"hi"}')
    events = talk.finish()
    assert [event["type"] for event in events][:1] + [event["type"] for event in events][-1:] == ["response", "done"]
    assert talk.process.returncode == 0


def test_no_input_at_all_is_the_end(zot: Zot, server: ScriptedServer) -> None:
    for source in (subprocess.DEVNULL, (zot.cwd / "a.txt").open("rb")):
        done = subprocess.run(
            argv(server), cwd=zot.cwd, env=zot.env, stdin=source, capture_output=True, timeout=PATIENCE
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if source != subprocess.DEVNULL:
            assert b"malformed json" in done.stdout  # "alpha"
            source.close()  # type: ignore[union-attr]  # a file, then


def test_what_runs_and_waits_is_finished_after_the_end_of_input(start: Start, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "sleep 0.2"})]), "one", "two")
    talk = start()
    talk.send(*[{"type": "prompt", "message": text} for text in ("a", "b")])
    events = talk.finish()
    assert [event["type"] for event in events].count("done") == 2
    assert [event["delta"] for event in events if event["type"] == "text_delta"] == ["one", "two"]
    assert talk.process.returncode == 0


def test_a_thousand_commands_in_one_write_are_answered_in_order(start: Start) -> None:
    talk = start()
    names = ("ping", "get_state", "get_messages", "abort", "no_such_command")
    talk.send(*[{"id": number, "type": names[number % len(names)]} for number in range(1000)])
    answers = talk.until("response", 1000)
    assert [(answer["id"], answer["command"]) for answer in answers] == [
        (number, names[number % len(names)]) for number in range(1000)
    ]
    assert [answer["id"] for answer in answers if not answer["success"]] == list(range(4, 1000, 5))


def test_a_flood_of_prompts_is_answered_one_by_one(start: Start, server: ScriptedServer) -> None:
    server.add(*[f"answer {number}" for number in range(200)])
    talk = start("--no-tools")
    talk.send(*[{"id": number, "type": "prompt", "message": f"{number}"} for number in range(200)])
    events = talk.until("done", 200)
    answers = [event for event in events if event["type"] == "response"]
    assert [(answer["id"], answer["success"]) for answer in answers] == [(number, True) for number in range(200)]
    said = [event["content"][0]["text"] for event in events if event["type"] == "assistant_message"]
    assert said == [f"answer {number}" for number in range(200)]
    assert not talk.ask({"type": "get_state"})["data"]["busy"]


def test_prompts_without_end_are_refused_and_the_others_kept(start: Start, server: ScriptedServer) -> None:
    server.add(ENDLESS)
    talk = start()
    talk.send(*[{"id": number, "type": "prompt", "message": "hi"} for number in range(1500)])
    answers = [event for event in talk.until("response", 1500) if event["type"] == "response"]
    kept = [answer["id"] for answer in answers if answer["success"]]
    assert kept == list(range(len(kept)))
    assert 100 <= len(kept) < 1500
    assert "waiting" in answers[-1]["error"]
    assert talk.ask({"type": "get_state"})["data"]["busy"]
    talk.process.terminate()
    assert talk.process.wait(PATIENCE) == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("image", "complaint"),
    [
        ({"mime_type": "image/png", "data": "not base64!"}, r"images[1].data"),
        ({"mime_type": "image/png", "data": base64.b64encode(b"no image").decode()}, r"images[1].data"),
        ({"mime_type": "image/png", "data": base64.b64encode(PNG + bytes(LARGEST)).decode()}, r"images[1].data"),
        ({"mime_type": "image/png"}, r"images[1].data"),
        ({"mime_type": 1, "data": base64.b64encode(PNG).decode()}, r"images[1].mime_type"),
        ("a string", "images"),
    ],
    ids=["no base64", "no image", "too large", "no data", "a number as type", "no object"],
)
def test_an_image_that_cannot_be_sent_is_named(
    start: Start, server: ScriptedServer, image: object, complaint: str
) -> None:
    good = {"mime_type": "image/png", "data": base64.b64encode(PNG).decode()}
    talk = start()
    answer = talk.ask({"id": "1", "type": "prompt", "message": "look", "images": [good, image]})
    assert not answer["success"]
    assert complaint in answer["error"]
    server.add("a dot")
    talk.send({"id": "2", "type": "prompt", "message": "look", "images": [good]})
    assert talk.until("done")[0]["success"]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{", "malformed json"),
        (b"[1]", "object"),
        (b'"ping"', "object"),
        (b"{}", "type is missing"),
        (b'{"type":7}', "type must be a string"),
        (b'{"type":"prompt"}', "message is missing"),
        (b'{"type":"prompt","message":null}', "message is missing"),
        (b'{"type":"prompt","message":["hi"]}', "message must be a string"),
        (b'{"type":"prompt","message":"  "}', "message is empty"),
        (b'{"type":"set_model","model":7}', "model must be a string"),
        (b'{"type":"tools.set","tools":"read"}', "tools must be an array of strings"),
        (b'{"type":"set_reasoning","reasoning":"very"}', "reasoning"),
        (b'{"type":"new_sesion"}', "unknown operation"),
        (b'{"type":"ping","id":\xff}', "malformed json"),
        (b'{"type":"ping","x":"\xff"}', "malformed json"),
        (b"[" * 100_000, "malformed json"),
        (b"\x00\x01\x02", "malformed json"),
        (b'{"type":"ping","x":NaN}', "malformed json"),
    ],
)
def test_a_line_that_is_no_command_is_answered_with_what_is_wrong(start: Start, line: bytes, complaint: str) -> None:
    talk = start()
    talk.send(line + b"\n")
    answer = talk.next()
    assert (answer["type"], answer["success"]) == ("response", False)
    assert complaint in answer["error"]
    assert talk.ask({"type": "ping"})["success"]


def test_blank_lines_and_carriage_returns_are_no_commands(start: Start) -> None:
    talk = start()
    talk.send(b'\n\r\n  \n{"id":"1","type":"ping"}\r\n')
    answers = [event for event in talk.finish() if event.get("success")]
    assert [answer["id"] for answer in answers] == ["1"]


@pytest.mark.parametrize(
    "id", ["1", 1, 0, -1.5, 1e300, 12345678901234567890, True, None, [], [1, {"a": "§\u2028"}], {}, "", "\U0001f600\n"]
)
def test_an_id_of_any_type_comes_back_as_it_was(start: Start, id: object) -> None:
    talk = start()
    answers = [talk.ask({"id": id, "type": type}) for type in ("ping", "no_such_command", "get_models")]
    assert [answer["id"] for answer in answers] == [id] * 3
    assert "id" not in talk.ask({"type": "ping"})


def test_a_line_that_is_too_long_is_passed_over(start: Start) -> None:
    talk = start(new=True)
    line = b'{"id":"long","type":"prompt","message":"' + b"x" * (17 << 20) + b'"}\n'
    talk.send(line, {"id": "after", "type": "ping"})
    first, second = talk.until("response", 2)
    assert not first["success"]
    assert str(16 << 20) in first["error"]
    assert (second["id"], second["success"]) == ("after", True)
    assert peak_memory(talk.process.pid) < 300 << 20


def test_the_longest_line_is_read(start: Start, server: ScriptedServer, zot: Zot) -> None:
    server.add("that was long")
    models = [{"id": "scripted", "contextWindow": 100_000_000}]
    zot.home.mkdir()
    (zot.home / "models.json").write_text(json.dumps({"providers": {"openai": {"models": models}}}))
    talk = start()
    head, tail = b'{"id":"long","type":"prompt","message":"', b'"}'
    line = head + b"x" * ((16 << 20) - len(head) - len(tail)) + tail + b"\n"
    talk.send(line)
    assert talk.until("done")[0]["success"]
    assert len(server.requests[0].body["messages"][-1]["content"]) > 16_000_000


def test_a_wrong_token_ends_the_process_and_so_does_a_missing_one(start: Start) -> None:
    for wrong in ({"token": "wrong"}, {"token": "secret "}, {}):
        talk = start(ZOTCORE_RPC_TOKEN="secret")
        answer = talk.ask({"id": "0", "type": "hello", **wrong})
        assert (answer["id"], answer["success"]) == ("0", False)
        assert "token" in answer["error"]
        assert "secret" not in answer["error"]
        assert talk.rest() == []
        assert talk.process.wait(PATIENCE) == 1


def test_nothing_is_done_before_hello_where_a_token_is_needed(start: Start, server: ScriptedServer) -> None:
    for command in ({"type": "prompt", "message": "hi"}, {"type": "ping"}, {"type": "get_messages"}):
        talk = start(ZOTCORE_RPC_TOKEN="secret — §")
        answer = talk.ask(command)
        assert not answer["success"]
        assert "hello" in answer["error"]
        assert talk.process.wait(PATIENCE) == 1
    talk = start(ZOTCORE_RPC_TOKEN="secret — §")
    assert talk.ask({"type": "hello", "token": "secret — §"})["success"]
    assert talk.ask({"type": "ping"})["success"]
    assert server.requests == []


def test_hello_can_be_said_twice_and_an_empty_variable_asks_for_nothing(start: Start) -> None:
    for token, said in (("secret", {"token": "secret"}), ("", {}), ("", {"token": "whatever"})):
        talk = start(ZOTCORE_RPC_TOKEN=token)
        for _ in range(2):
            assert talk.ask({"type": "hello", **said})["data"]["protocol_version"] == 1
    talk = start(ZOTCORE_RPC_TOKEN="")
    assert talk.ask({"type": "ping"})["success"]


def test_tools_do_not_see_the_token(start: Start, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": 'echo "token: $ZOTCORE_RPC_TOKEN."'})]), "ok")
    talk = start(ZOTCORE_RPC_TOKEN="secret")
    talk.send({"type": "hello", "token": "secret"}, {"type": "prompt", "message": "hi"})
    (result,) = [event for event in talk.until("done") if event["type"] == "tool_result"]
    assert "token: ." in result["content"][0]["text"]


def aborted(events: list[dict[str, Any]]) -> bool:
    ends = [event["stop"] for event in events if event["type"] == "turn_end"]
    assert not [event for event in events if event["type"] == "error"]
    return ends[-1:] == ["aborted"]


def test_abort_ends_a_stream_and_closes_its_connection(start: Start, server: ScriptedServer) -> None:
    server.add(ENDLESS, "next")
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    talk.until("text_delta", 3)
    talk.send({"id": "stop", "type": "abort"}, {"type": "prompt", "message": "again"})
    assert aborted(talk.until("done"))
    assert [event["delta"] for event in talk.until("done") if event["type"] == "text_delta"] == ["next"]
    server.wait_idle(PATIENCE)
    assert [request.closed_early for request in server.requests] == [True, False]


def test_abort_ends_a_request_that_is_not_answered(start: Start, server: ScriptedServer) -> None:
    server.add(Turn("late", delay=300.0))
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    server.wait_for(1, PATIENCE)
    talk.send({"type": "abort"})
    assert aborted(talk.until("done"))


def test_abort_ends_a_tool_and_all_that_it_started(start: Start, zot: Zot, server: ScriptedServer) -> None:
    fifo = hang(zot, server)
    server.add("next")
    talk = start()
    talk.send({"type": "prompt", "message": "hi"})
    tool = int(read_fifo(fifo))
    talk.send({"type": "abort"})
    events = talk.until("done")
    assert not running_in(tool)
    (result,) = [event for event in events if event["type"] == "tool_result"]
    assert result["is_error"]
    talk.send({"type": "prompt", "message": "go on"})
    talk.until("done")
    assert len(server.requests) == 2


SLOW_GUARD = """
import time
@ext.intercept("tool_call")
def think(call):
    with open({asked!r}, "w") as fifo:
        fifo.write("asked")
    time.sleep(600)
"""


def test_abort_ends_a_question_to_an_extension(start: Start, zot: Zot, server: ScriptedServer) -> None:
    asked = zot.cwd / "asked"
    os.mkfifo(asked)
    server.add(Turn(calls=[Call("write", {"path": "new.txt", "content": "x"})]), "not asked for")
    talk = start("--ext", str(write_extension(zot.cwd.parent / "slow", SLOW_GUARD.format(asked=str(asked)))))
    talk.send({"type": "prompt", "message": "hi"})
    assert read_fifo(asked) == "asked"
    talk.send({"type": "abort"})
    talk.until("done")
    assert not (zot.cwd / "new.txt").exists()
    assert len(server.requests) == 1
    assert not talk.ask({"type": "get_state"})["data"]["busy"]


def test_abort_ends_a_compaction_and_the_conversation_stays(start: Start, server: ScriptedServer) -> None:
    server.add(*[f"answer {number}" for number in range(4)], ENDLESS, "next")
    talk = start("--no-tools")
    talk.send(*[{"type": "prompt", "message": "hi"} for _ in range(4)])
    talk.until("done", 4)
    talk.send({"id": "c", "type": "compact"})
    server.wait_for(5, PATIENCE)
    talk.send({"type": "abort"})
    events = talk.until("done")
    assert "compact_done" not in [event["type"] for event in events]
    assert len(talk.ask({"type": "get_messages"})["data"]["messages"]) == 8
    talk.send({"type": "prompt", "message": "hi"})
    assert talk.until("done")[0]["success"]


def test_abort_with_nothing_to_do_is_harmless(start: Start, server: ScriptedServer) -> None:
    server.add("fine")
    talk = start()
    assert talk.ask({"type": "abort"})["success"]
    talk.send({"type": "abort"}, {"type": "prompt", "message": "hi"}, {"type": "ping"})
    events = talk.until("done")
    assert "turn_end" in [event["type"] for event in events]


SAY = "ext.command('say', 'say it')(lambda args: prompt('say it'))"


def test_a_prompt_of_an_extension_that_finds_no_place_disturbs_nobody(
    start: Start, zot: Zot, server: ScriptedServer
) -> None:
    server.add(ENDLESS)
    talk = start("--ext", str(write_extension(zot.cwd.parent / "say", SAY)))
    talk.ask({"type": "control.commands"})
    talk.send(*[{"type": "prompt", "message": "hi"} for _ in range(1500)])
    talk.until("response", 1500)
    talk.send({"id": "last", "type": "control.run", "name": "say"})
    told = [event for event in talk.until("response", id="last") if not event["type"].endswith(("_delta", "_start"))]
    assert {event["type"] for event in told} <= {"response", "notice", "user_message"}
    assert "notice" in {event["type"] for event in told}
