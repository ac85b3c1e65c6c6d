"""Where the prompt comes from: words, a pipe, both."""

import json
import os
import subprocess
import sys

import pytest
from command import Zot
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn


def prompt(server: ScriptedServer) -> str:
    (message,) = [message for message in server.requests[-1].body["messages"] if message["role"] == "user"]
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]


CASES = [
    pytest.param(["-p", "why?"], b"a log\n", "a log\n\n\nwhy?", id="piped text stands before the prompt"),
    pytest.param([], b"a log", "a log", id="piped text alone"),
    pytest.param(["what", "is", "this?"], b"", "what is this?", id="an empty pipe is nothing"),
    pytest.param(["-p", "--", "-x", "--json"], None, "-x --json", id="after two dashes all is prompt"),
    pytest.param(["-p", "fix", "--reasoning", "off", "the bug"], None, "fix the bug", id="words around options"),
    pytest.param(["-p", "- one\n- two"], None, "- one\n- two", id="a list is no flag"),
    pytest.param(["-p", "x"], b"\xff\xfe\x00\x01z", "\ufffd\ufffd\u2400z\n\nx", id="bytes"),
    pytest.param(["-p", "x"], b"\xef\xbb\xbfy", "y\n\nx", id="a byte order mark"),
    pytest.param(["-p", "ünï \U0001f600"], "ß".encode(), "ß\n\nünï \U0001f600", id="unicode"),
    pytest.param(["-p", "x" * 120_000], b"y" * 5_000_000, "y" * 5_000_000 + "\n\n" + "x" * 120_000, id="much"),
]


@pytest.mark.parametrize(("arguments", "stdin", "expected"), CASES)
def test_the_prompt(zot: Zot, server: ScriptedServer, arguments: list[str], stdin: bytes, expected: str) -> None:
    server.add("ok")
    models = [{"id": "scripted", "contextWindow": 10_000_000}]
    zot.home.mkdir()
    (zot.home / "models.json").write_text(json.dumps({"providers": {"openai": {"models": models}}}))
    done = zot.ask(server, "--no-session", *arguments, stdin=stdin)
    assert (done.code, done.out) == (0, "ok\n")
    assert prompt(server) == expected
    assert done.err == (
        "zot: standard input has bytes that are not UTF-8, shown as \ufffd; the rest is taken for UTF-8\n"
        if stdin and b"\xff" in stdin
        else ""
    )


def test_an_argument_that_is_no_text_reaches_the_model_without_harm(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    done = zot.ask(server, "-p", b"caf\xe9")
    assert (done.code, done.out) == (0, "ok\n")
    assert json.dumps(zot.rows())


def test_a_locale_that_is_not_utf8_limits_neither_commands_nor_files_nor_answers(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo 日本 > 名.txt; printf 'caf\\351 '; cat 名.txt"})]))
    server.add(Turn(calls=[Call("write", {"path": "日.txt", "content": "é"})]))
    server.add("fertig: 日")
    zot.env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = zot.ask(server, "-p", "größer")
    assert (done.code, done.out, done.err) == (0, "fertig: 日\n", "")
    assert prompt(server) == "größer"
    assert "caf\ufffd 日本\n" in json.dumps(server.requests[-1].body, ensure_ascii=False).replace("\\n", "\n")
    assert (zot.cwd / "日.txt").read_text() == "é"


def test_an_interpreter_that_must_not_use_utf_8_runs_zot_all_the_same(zot: Zot, server: ScriptedServer) -> None:
    server.add("done")
    zot.env |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-X", "utf8=0", "-m", "zot_agent", *zot.at(server), "-p", "x"]
    done = subprocess.run(
        command, cwd=zot.cwd, env=zot.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("arguments", [["-p"], ["--json"], ["-p", "  "], []])
def test_no_prompt_is_refused(zot: Zot, arguments: list[str]) -> None:
    done = zot.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.line() == 'no prompt: pass one, as in zot -p "what does this project do?", or pipe it in'


def test_a_closed_standard_input_is_nothing(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    done = zot.shell('zot "$@" <&-', *zot.at(server), "-p", "x")
    assert (done.code, done.out, done.err) == (0, "ok\n", "")


BEGIN = b"zot: waiting for standard input to begin, for 30 seconds at most (use </dev/null if there is no input)\n"
END = b"zot: waiting for standard input to end (use </dev/null if there is no input)\n"
NONE = "zot: no input came from standard input in 1 s; working without it (see --stdin-wait)\n"


def test_what_begins_late_in_a_pipe_is_waited_for_and_the_person_is_told(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    reading, writing = os.pipe()
    process = zot.start(*zot.at(server), "-p", "x", stdin=reading)
    os.close(reading)
    assert process.stderr.readline() == BEGIN
    os.write(writing, b"late")
    os.close(writing)
    assert zot.finish(process).out == "ok\n"
    assert prompt(server) == "late\n\nx"


def test_what_has_begun_in_a_pipe_is_read_to_its_end_however_late(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    reading, writing = os.pipe()
    os.write(writing, b"first ")
    process = zot.start(*zot.at(server), "-p", "x", "--stdin-wait", "1", stdin=reading)
    os.close(reading)
    assert process.stderr.readline() == END
    os.write(writing, b"last")
    os.close(writing)
    assert zot.finish(process).out == "ok\n"
    assert prompt(server) == "first last\n\nx"


@pytest.mark.parametrize("command", [[], ["run"]])
@pytest.mark.parametrize("where", ["flag", "setting"])
def test_a_prompt_goes_on_without_a_pipe_that_stays_open_and_says_so(
    zot: Zot, server: ScriptedServer, where: str, command: list[str]
) -> None:
    server.add("ok")
    if where == "setting":
        zot.home.mkdir()
        (zot.home / "config.json").write_text('{"stdin_wait": 1}')
    reading, writing = os.pipe()
    flags = ["--stdin-wait", "1"] if where == "flag" else []
    done = zot.finish(zot.start(*command, *zot.at(server), *flags, "x", stdin=reading))
    os.close(reading)
    os.close(writing)
    assert (done.code, done.out) == (0, "ok\n")
    assert done.err.startswith(NONE)
    assert prompt(server) == "x"


def test_a_pipe_that_is_the_prompt_is_waited_for_without_a_limit(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    reading, writing = os.pipe()
    process = zot.start(*zot.at(server), "-p", "--stdin-wait", "1", stdin=reading)
    os.close(reading)
    assert process.stderr.readline() == BEGIN.replace(b", for 30 seconds at most", b"")
    os.write(writing, b"the prompt")
    os.close(writing)
    assert zot.finish(process).out == "ok\n"
    assert prompt(server) == "the prompt"


@pytest.mark.parametrize("value", ["soon", "-1", ""])
def test_a_wait_that_is_no_number_is_refused(zot: Zot, value: str) -> None:
    done = zot.run("-p", "x", f"--stdin-wait={value}")
    assert done.code == 2
    assert done.line().startswith('--stdin-wait: expected "off" (or 0) or a number from 1 to 1000000')


@pytest.mark.parametrize("mode", ["-p", "--json", "--stream"])
def test_a_pipe_without_an_end_is_refused(zot: Zot, mode: str) -> None:
    done = zot.shell('yes | zot "$@"', mode, "x")
    assert (done.code, done.out) == (2, "")
    assert done.line().startswith("standard input is larger than 8.4 MB; ")


def test_a_command_of_zot_rpc_without_an_end_is_refused(zot: Zot) -> None:
    done = zot.shell('{ head -c 100000000 /dev/zero; echo; echo \'{"type":"ping"}\'; } | zot rpc')
    first, second = done.out.splitlines()
    assert "the line is longer than 16777216 bytes and was passed over" in first
    assert '"pong":true' in second
