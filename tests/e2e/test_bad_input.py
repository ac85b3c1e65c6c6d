"""What a clumsy user gets to read: one clear line, the right code, and nothing lost."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from command import Zot
from waiting import PATIENCE

from zot_provider.testing import Delivery, Fault, ScriptedServer, Turn


def without_keys(zot: Zot) -> dict[str, str]:
    return zot.keyless_env


USAGE = [
    pytest.param(["--modle", "x"], "unknown flag '--modle'; did you mean --mode or --model", id="unknown flag"),
    pytest.param(
        ["--modle=secret"], "unknown flag '--modle'; did you mean --mode or --model", id="unknown flag with a value"
    ),
    pytest.param(["-x"], "unknown flag '-x' (see zot --help; a prompt goes after --)", id="unknown letter"),
    pytest.param(["--provider", "antropic"], "'antropic'; did you mean anthropic", id="unknown provider"),
    pytest.param(["--model", "claude-sonet-4-6"], "'claude-sonet-4-6'; did you mean claude-sonnet-4-6", id="model"),
    pytest.param(["--provider", "openai", "--model", "gpt-55"], "; zot --list-models lists the names)", id="model of"),
    pytest.param(["--model"], "argument --model: expected one argument; see zot --help", id="no value"),
    pytest.param(["--reasoning", "hard"], "invalid choice: 'hard'", id="unknown level"),
    pytest.param(["--max-steps", "0"], "--max-steps must be greater than 0, got 0", id="no steps"),
    pytest.param(["--max-steps", "-1"], "--max-steps must be greater than 0, got -1", id="fewer steps"),
    pytest.param(["--max-steps", "x"], "argument --max-steps: invalid int value: 'x'", id="steps that are no number"),
    pytest.param(["--stream", "--json"], "--json and --stream cannot be used together", id="two modes"),
    pytest.param(["-c", "--no-session"], "not allowed with argument", id="go on with what is not written"),
    pytest.param(["--tools", "read,raed"], "unknown tool 'raed'; did you mean read", id="unknown tool"),
    pytest.param(["--tools", "read", "--no-tools"], "not allowed with argument", id="tools and none"),
    pytest.param(["--cwd", "nowhere"], "--cwd 'nowhere' is not a directory", id="no such directory"),
    pytest.param(["-c"], "no session to continue in", id="nothing to continue"),
    pytest.param(["--session", "nope"], "no session 'nope'", id="no such session"),
    pytest.param(["--session", "./nope.jsonl"], "no session file at", id="no such session file"),
    pytest.param(["--session", "."], "no session '.'", id="a directory as session"),
    pytest.param(["--session", "./"], "no session file at", id="a directory's path as session"),
    pytest.param(["--session", ""], "--session needs the path or id", id="an empty session name"),
    pytest.param(["--session", "empty"], "empty is not a session file: it has no meta row", id="an empty session"),
    pytest.param(["--session", "garbage"], "garbage is not a session file: it has no meta row", id="garbage"),
    pytest.param(
        ["--session", "no-id"], "no-id is not a session file: its meta row has no id", id="a meta row without id"
    ),
    pytest.param(["--provider", "openai", "--api-key", "sk-ünï"], "holds spaces or unusual characters", id="odd key"),
    pytest.param(["--base-url", "localhost:8080/v1"], "must begin with http:// or https://", id="no scheme"),
    pytest.param(["--base-url", "http://"], "has no valid host", id="no host"),
    pytest.param(
        ["--base-url", "http://h:99999/v1"],
        "its port is not a number up to 65535",
        id="no such port",
    ),
    pytest.param(["--base-url", "http://me:hunter2@a..b/v1"], "'http://a..b/v1' is not valid", id="no such name"),
    pytest.param(["--base-url", "me:hunter2@host/v1"], "got 'host/v1'", id="a password without scheme"),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE)
def test_a_mistake_on_the_command_line(zot: Zot, arguments: list[str], words: str) -> None:
    (zot.cwd / "empty").write_bytes(b"")
    (zot.cwd / "garbage").write_bytes(os.urandom(3000) + b"\n\n[1]\n")
    (zot.cwd / "no-id").write_text('{"type":"meta","meta":{}}\n')
    done = zot.run("-p", *arguments, "--", "hello")
    assert (done.code, done.out) == (2, "")
    assert words in done.line()
    assert "hunter2" not in done.err
    assert "secret" not in done.err
    assert not zot.home.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no API key found: set ANTHROPIC_API_KEY, OPENAI_API_KEY, "),
        (
            [],
            "run zot auth login, or choose a provider that needs no key (ollama, llama.cpp, lmstudio, vllm; --provider",
        ),
        (["--provider", "anthropic"], "ANTHROPIC_AUTH_TOKEN, or run zot auth login anthropic (--api-key KEY)"),
        (["--model", "openai-responses/gpt-6.1-sol"], "no API key for openai-responses: set OPENAI_API_KEY"),
    ],
)
def test_a_missing_key_is_named_by_its_variable(zot: Zot, arguments: list[str], words: str) -> None:
    done = zot.run("-p", "hello", *arguments, env=without_keys(zot))
    assert (done.code, done.out) == (2, "")
    assert words in done.line()


HTML = "<!doctype html><html><body>Welcome to the proxy</body></html>"
ONCE = {"x-should-retry": "false"}
FAULTS = [
    pytest.param(Fault(status=400), "answered 400 Bad Request", id="400"),
    pytest.param(Fault(status=401), "answered 401 Unauthorized", id="401"),
    pytest.param(Fault(status=403), "; check the API key (OPENAI_API_KEY)", id="403"),
    pytest.param(Fault(status=404), "/v1/chat/completions for model 'scripted'", id="404"),
    pytest.param(
        Fault(status=429, headers={"retry-after": "90"}),
        "; it asks to wait for 90 s: try again then, or use --wait",
        id="429",
    ),
    pytest.param(Fault(status=429, headers=ONCE), "; try again later", id="429 without a time"),
    pytest.param(Fault(status=500, headers=ONCE), "answered 500 Internal Server Error", id="500"),
    pytest.param(Fault(status=599, body="odd\nthing", headers=ONCE), "answered 599: odd", id="an odd status"),
    pytest.param(Fault(status=502, body=HTML, headers=ONCE), "answered 502 Bad Gateway", id="HTML with a status"),
    pytest.param(Fault(status=302, headers={"location": "https://b/?x=1"}), "points to https://b/)", id="redirection"),
    pytest.param(Fault(status=200, body=HTML), "answered with a web page, not with a model's event stream", id="HTML"),
    pytest.param(
        Fault(status=200, body={"error": {"message": "Unexpected endpoint"}}),
        "answered with JSON (Unexpected endpoint), not with a model's event stream",
        id="JSON",
    ),
    pytest.param(
        Fault(status=200, body="It works!"),
        "something that is not an event stream (It works!); check the base URL",
        id="text",
    ),
    pytest.param(Fault(cut=True, after=3), "broke off in the middle", id="a cut stream"),
    pytest.param(Fault(garbage=b"data: {nope\n\n", after=3), "an event that is not JSON", id="garbage in the stream"),
    pytest.param(
        Fault(status=401, body={"error": {"message": "wrong key sk-test-0123456789-secret"}}), "wrong key ***", id="key"
    ),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_a_failure_of_the_server(zot: Zot, fault: Fault, words: str) -> None:
    with ScriptedServer([Turn("Once upon a time there was", chunk=5, fault=fault)], repeat=True) as server:
        done = zot.ask(server, "--json", "hello", "--retries", "0")
    assert done.code == 1
    assert words in done.line()
    assert done.line().startswith("openai: ")
    assert [event["type"] for event in done.events[-3:]] == ["turn_end", "error", "done"]
    assert done.events[-3]["stop"] == "error"
    assert done.events[-2]["message"] == done.line()
    assert zot.said()[0] == ("user", "hello")


def test_a_failure_that_may_pass_is_tried_again_and_reported(zot: Zot, server: ScriptedServer) -> None:
    busy = Turn(fault=Fault(status=503, headers={"retry-after": "0.01"}))
    server.add(busy, busy, "at last")
    done = zot.ask(server, "-p", "hello")
    reason = "zot: openai: the server answered 503 Service Unavailable; trying again in 0 s"
    assert (done.code, done.out) == (0, "at last\n")
    assert done.err.splitlines() == [f"{reason} (1 of 3)", f"{reason} (2 of 3)"]
    server.add(busy, "at last")
    found = [event for event in zot.ask(server, "--json", "hello").events if "retry" in event["type"]]
    assert [(event["type"], event["attempt"]) for event in found] == [("auto_retry_start", 1), ("auto_retry_end", 1)]
    assert (found[0]["delay_ms"], found[0]["max_attempts"], found[1]["success"]) == (10, 3, True)


def test_a_failure_the_model_reports_in_the_stream(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("Once upon", error=RuntimeError("the model is overloaded")))
    done = zot.ask(server, "-p", "hello", "--retries", "0", provider="anthropic")
    assert (done.code, done.out) == (1, "Once upon\n")
    assert "the model is overloaded" in done.line()
    assert zot.said() == [("user", "hello"), ("assistant", "Once upon")]


def test_an_answer_without_its_end_is_kept_and_said_to_be_cut(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("Once upon a time", delivery=Delivery(end=False, framing="close")))
    done = zot.ask(server, "--stream", "hello", "--retries", "0", provider="openai-responses")
    assert (done.code, done.out) == (1, "Once upon a time\n")
    assert "broke off before its end" in done.line()
    assert zot.said()[1] == ("assistant", "Once upon a time")


def test_a_wrong_key_is_refused_without_being_shown(zot: Zot, server: ScriptedServer) -> None:
    done = zot.ask(server, "-p", "hello", "--api-key", "sk-wrong-key-98765")
    assert done.code == 1
    assert "401" in done.line()
    assert "sk-wrong" not in done.err


def test_a_refused_connection(zot: Zot) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        done = zot.run(
            "--json", "hello", "--provider", "local", "--model", "m", "--base-url", f"http://localhost:{port}/v1"
        )
    assert done.code == 1
    address = f"http://localhost:{port}/v1/chat/completions"
    assert done.line() == f"local: cannot connect to {address}: connection refused; is the server running there?"
    assert done.events[-1] == {"type": "done"}
    assert zot.said() == [("user", "hello")]


def test_a_password_in_the_address_is_never_shown(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=404)))
    address = server.url.replace("http://", "http://me:hunter2@")
    done = zot.run("--json", "hello", "--provider", "anthropic", "--model", "m", "--base-url", address)
    assert done.code == 1
    assert f"asked {server.url}/v1/messages for model 'm'" in done.line()
    assert "hunter2" not in done.err + done.out
    assert "hunter2" not in json.dumps(zot.rows())


def test_a_missing_version_in_the_address_is_named(zot: Zot, server: ScriptedServer) -> None:
    done = zot.run("-p", "hello", "--provider", "openai", "--model", "m", "--base-url", server.url)
    assert done.code == 1
    assert done.line().endswith("; a base URL of this kind usually ends in /v1")


def test_a_directory_that_is_gone(zot: Zot, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = zot.shell('rmdir "$PWD"; zot -p hello', cwd=gone)
    assert done.code == 2
    assert done.line() == "the current directory no longer exists; change to another one, or pass --cwd"


def test_a_home_that_is_no_folder(zot: Zot, server: ScriptedServer) -> None:
    zot.home.write_text("a file")
    for more in ((), ("-c",), ("--no-session",)):
        done = zot.ask(server, "-p", *more, "hello")
        assert (done.code, done.line()) == (2, f"cannot read {zot.home}/config.json: {zot.home} is no folder")
    assert not server.requests


def test_a_home_in_which_no_session_can_be_made(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / "sessions").write_text("a file")
    done = zot.ask(server, "-p", "hello")
    assert done.code == 1
    assert done.line().startswith("cannot create the folder of session ")
    assert done.line().endswith("; set ZOT_HOME to a writable folder, or use --no-session")
    done = zot.ask(server, "-p", "-c", "hello")
    assert done.code == 2
    assert done.line().startswith("no session to continue in ")
    server.add("ok")
    assert zot.ask(server, "-p", "--no-session", "hello").out == "ok\n"


def test_a_session_that_another_zot_has_open(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("slowly", fault=Fault(stall=30.0)))
    process = zot.start(*zot.at(server), "-p", "x")
    server.wait_for(1)
    done = zot.ask(server, "-p", "-c", "y")
    server.add("a copy")
    copy = zot.ask(server, "-p", "-c", "--fork", "z")
    process.terminate()
    assert zot.finish(process).code == 143
    assert (done.code, done.out) == (2, "")
    assert done.line().endswith(" is in use by another zot; close that one first, or fork it (--fork)")
    assert (copy.code, copy.out) == (0, "a copy\n")
    assert sorted(path.read_text().count('{"type":"message"') for path in zot.sessions) == [1, 3]
    done = zot.ask(server, "-p", "--fork", "y")
    assert (done.code, done.line()) == (2, "--fork needs -c or --session, which name the session to copy")


def test_a_folder_of_sessions_that_cannot_be_read(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    (zot.home / "sessions").symlink_to("sessions")  # for root, too, there is no way in
    for arguments in (["-c"], ["--session", "abc"]):
        done = zot.ask(server, "-p", "x", *arguments)
        assert done.code == 2
        assert done.line().startswith(f"cannot read the sessions in {zot.home}/sessions")
        assert done.line().endswith(": Too many levels of symbolic links")
    done = zot.ask(server, "-p", "x")
    assert done.code == 1
    assert done.line().startswith("cannot create the folder of session ")


def test_a_session_of_another_program_is_left_as_it_is(zot: Zot) -> None:
    rows = '{"type":"session","version":3,"id":"a"}\n{"type":"message","message":{"role":"user","content":"hi"}}\n'
    (zot.cwd / "theirs.jsonl").write_text(rows)
    done = zot.run("-p", "x", "--session", "theirs.jsonl")
    assert done.code == 2
    assert done.line().endswith("/theirs.jsonl is not a session file: it has no meta row")
    assert (zot.cwd / "theirs.jsonl").read_text() == rows


def test_a_session_of_a_newer_version_opens_and_keeps_what_is_unknown(zot: Zot, server: ScriptedServer) -> None:
    meta = {
        "id": "abc",
        "cwd": str(zot.cwd),
        "model": "old",
        "provider": "openai",
        "started": "",
        "branch": {"of": [1]},
    }
    blocks = [{"type": "hologram", "data": 1}, {"type": "text", "text": "before", "mood": "calm"}]
    rows = [
        {"type": "meta", "meta": meta, "schema": 9},
        {"type": "message", "message": {"role": "user", "content": blocks, "time": "", "stars": 5}},
        {"type": "checkpoint", "tree": "0123"},
        {"type": "message", "message": {"role": "oracle", "content": "?"}},
        {"type": "usage", "usage": {}, "cumulative": {"input_tokens": 7, "watts": 3}},
    ]
    path = zot.cwd / "new.jsonl"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text)
    server.add("ok")
    done = zot.ask(server, "-p", "and now?", "--session", "new.jsonl")
    assert (done.code, done.out, done.err) == (0, "ok\n", "")
    assert path.read_text().startswith(text)
    added = [json.loads(line) for line in path.read_text()[len(text) :].splitlines()]
    assert added[0]["meta"]["branch"] == {"of": [1]}
    assert added[0]["meta"]["model"] == "scripted"
    assert added[-1]["cumulative"]["input_tokens"] == 17
    asked = json.dumps(server.requests[0].body["messages"])
    assert "before" in asked
    assert "hologram" not in asked


def test_a_session_without_any_message_can_be_gone_on_with(zot: Zot, server: ScriptedServer) -> None:
    meta = {"id": "abc", "cwd": str(zot.cwd), "model": "m", "provider": "openai", "started": ""}
    (zot.cwd / "bare.jsonl").write_text(json.dumps({"type": "meta", "meta": meta}))  # torn, even
    server.add("ok")
    assert zot.ask(server, "-p", "x", "--session", "bare.jsonl").out == "ok\n"
    assert [json.loads(line)["type"] for line in (zot.cwd / "bare.jsonl").read_text().split("\n") if line][
        -1
    ] == "usage"


@pytest.mark.parametrize("content", ["", "\0\0\0", '{"type":"meta"}\n', "no row\n"])
def test_continuing_passes_over_newer_sessions_that_cannot_be_read(
    zot: Zot, server: ScriptedServer, content: str
) -> None:
    server.add("first", "second")
    assert zot.ask(server, "-p", "one").code == 0
    broken = zot.session.with_name("20990101-000000-deadbeef.jsonl")
    broken.write_text(content)
    done = zot.ask(server, "-p", "-c", "two")
    assert (done.code, done.out) == (0, "second\n")
    assert broken.name in done.line()
    assert [message["role"] for message in server.requests[1].body["messages"]][-3:] == ["user", "assistant", "user"]
    assert broken.read_text() == content


def test_a_mistake_of_ours_is_one_line_too(zot: Zot) -> None:
    script = (
        "import sys; from zot_agent.cli import SUBCOMMANDS, Subcommand; import zot_agent.cli.main as main\n"
        "SUBCOMMANDS['broken'] = Subcommand('zot_agent.nowhere', '')\n"
        "sys.exit(main.run(['broken']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=zot.env, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("zot: this is a bug in zot, please report it: ModuleNotFoundError: ")
    assert done.stderr.count(b"\n") == 1
