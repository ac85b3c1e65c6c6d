"""Standard output and error as shells treat them: closed, full, cut off, given up, slow."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from command import Zot

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

LONG = "line\n" * 200_000


@pytest.mark.parametrize("mode", ["-p", "--stream", "--json"])
def test_a_reader_that_leaves_ends_the_run_without_a_word(zot: Zot, server: ScriptedServer, mode: str) -> None:
    server.add(Turn(LONG, chunk=4000))
    done = zot.shell('zot "$@" | head -1; exit ${PIPESTATUS[0]}', *zot.at(server), mode, "x")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("\n") == 1


def test_a_reader_that_leaves_stops_the_model(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("line\n" * 1000, chunk=5, delay=0.01))
    done = zot.shell('zot "$@" | head -1', *zot.at(server), "--stream", "x")
    assert (done.code, done.out, done.err) == (0, "line\n", "")
    server.wait_idle()
    assert server.requests[0].closed_early
    assert [role for role, _ in zot.said()] == ["user", "assistant"]


@pytest.mark.parametrize("arguments", ["-h", "--version", "-p x", "--json x", "--stream x"])
def test_a_closed_standard_output_is_no_error_and_receives_nothing(
    zot: Zot, server: ScriptedServer, arguments: str
) -> None:
    server.add("the answer")
    done = zot.shell(f'zot "$@" {arguments} >&-', *zot.at(server))
    assert (done.code, done.out, done.err) == (0, "", "")
    if "x" in arguments:
        assert zot.said() == [("user", "x"), ("assistant", "the answer")]


def test_all_streams_may_be_closed(zot: Zot, server: ScriptedServer) -> None:
    server.add("the answer")
    done = zot.shell('zot "$@" <&- >&- 2>&-', *zot.at(server), "-p", "x")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert zot.said() == [("user", "x"), ("assistant", "the answer")]
    assert zot.shell("zot --frob 2>&-").code == 2


@pytest.mark.parametrize("arguments", ["-h", "--version", "-p x", "--json x"])
def test_a_full_device_is_one_line_and_a_failure(zot: Zot, server: ScriptedServer, arguments: str) -> None:
    server.add("the answer")
    done = zot.shell(f'zot "$@" {arguments} >/dev/full', *zot.at(server))
    assert done.code == 1
    assert done.line() == "cannot write to standard output: No space left on device"


@pytest.mark.parametrize("buffering", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        *("-h", "rpc -h", "--version", "-v", "version", "help", "--list-models", "doctor --offline", "demo --help"),
        *("ext", "ext list", "ext list --json", "ext new it", "ext check --help", "ext logs x", "ext install ../x"),
        *("local status", "serve --listen 127.0.0.1:0"),
    ],
)
def test_whatever_cannot_print_says_so_in_the_same_line(
    zot: Zot, tmp_path: Path, arguments: str, buffering: str
) -> None:
    extension = tmp_path / "x"
    extension.mkdir()
    (extension / "extension.json").write_text('{"name": "x", "skills": ["skills"]}')
    (zot.home / "logs").mkdir(parents=True)
    (zot.home / "logs" / "ext-x.log").write_text("noise\n")
    done = zot.shell(
        f"zot {arguments} >/dev/full", env=zot.env | {"PYTHON": sys.executable, "PYTHONUNBUFFERED": buffering}
    )
    assert done.code == 1
    assert done.line() == "cannot write to standard output: No space left on device"


@pytest.mark.parametrize("arguments", ["-h", "--version"])
def test_a_pager_that_was_closed_is_no_error(zot: Zot, arguments: str) -> None:
    for buffering in ("", "1"):
        env = zot.env | {"PYTHON": sys.executable, "PYTHONUNBUFFERED": buffering}
        done = zot.shell(f"zot {arguments} | true; exit ${{PIPESTATUS[0]}}", env=env)
        assert (done.code, done.err) == (0, "")


def test_a_pipe_that_does_not_block_still_gets_everything(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(LONG, chunk=20_000))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = zot.start(*zot.at(server), "-p", "x", stdout=writing)
    os.close(writing)
    time.sleep(0.5)
    with open(reading, "rb") as pipe:
        assert pipe.read().decode() == LONG
    assert zot.finish(process).code == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_reader_that_reads_no_more_does_not_hold_up_the_end(
    zot: Zot, server: ScriptedServer, number: int, code: int
) -> None:
    server.add(Turn(LONG, chunk=20_000))
    reading, writing = os.pipe()
    process = zot.start(*zot.at(server), "--stream", "x", stdout=writing)
    os.read(reading, 1)
    time.sleep(0.3)  # the pipe is full by now
    process.send_signal(number)
    assert zot.finish(process).code == code
    assert os.get_blocking(writing)
    os.close(reading)
    os.close(writing)
    assert zot.said()[0] == ("user", "x")


def test_escape_sequences_reach_a_pipe_untouched(zot: Zot, server: ScriptedServer) -> None:
    text = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m\x9b1A\a"
    server.add(text)
    assert zot.ask(server, "-p", "x").out == text + "\n"


def test_words_of_a_server_cannot_command_the_terminal(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=400, body={"error": {"message": "bad\x1b]0;owned\x07\nthing\x1b[2J"}})))
    done = zot.ask(server, "-p", "x")
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "bad thing" in done.line()


def test_a_command_that_fails_and_prints_to_both_streams_stays_inside_the_tool(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo out; echo err >&2; exit 3"})]), "seen")
    done = zot.ask(server, "-p", "x")
    assert (done.code, done.out, done.err) == (0, "seen\n", "")
    result = server.requests[1].body["messages"][-1]["content"]
    assert "out\nerr\n" in result
    assert "[exit 3]" in result


def test_a_cut_off_answer_is_said_to_be_one(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("once upon a", stop="length"))
    done = zot.ask(server, "-p", "x")
    assert (done.code, done.out) == (0, "once upon a\n")
    assert done.line() == "the answer was cut off at the model's output limit"


def test_a_nohup_run_survives_the_end_of_its_terminal(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("done", delay=0.2))
    script = 'trap "" HUP; "$PYTHON" -m zot_agent "$@" & sleep 0.6; kill -HUP $!; wait $!'
    done = zot.shell(script, *zot.at(server), "-p", "x")
    assert (done.code, done.out) == (0, "done\n")
