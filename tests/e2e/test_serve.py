"""`zot serve` as a person starts it: what it prints, what it refuses, how it ends."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
from command import Zot
from extension_folder import write_extension
from waiting import PATIENCE, wait_until
from websockets.sync.client import ClientConnection, connect

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

TOKEN = "a-token-that-was-chosen"


class Running:
    """A `zot serve`, and a client of it."""

    def __init__(self, zot: Zot, *flags: str, new: bool, **env: str) -> None:
        self.process = zot.start("serve", *flags, env=zot.env | env, new=new)
        self.lines: dict[str, str] = {}
        for _ in range(1 if env.get("ZOT_SERVE_TOKEN") else 3):
            line = self.process.stdout.readline().decode()
            assert line.endswith("\n"), self.process.communicate()
            name, _, value = line.strip().partition(" " if line.startswith("listening") else ": ")
            self.lines[name] = value
            if line.startswith("token") and "unix:" in self.lines["listening"]:
                break
        self.url = self.lines["listening"].removeprefix("on ")
        self.token = env.get("ZOT_SERVE_TOKEN") or self.lines["token"]
        transport = None
        if self.url.startswith("unix:"):
            transport = httpx.HTTPTransport(uds=self.url.removeprefix("unix:"))
        self.http = httpx.Client(
            base_url="http://localhost" if transport else self.url,
            headers={"authorization": f"Bearer {self.token}"},
            transport=transport,
            timeout=PATIENCE,
            trust_env=False,
        )

    def open(self, **asked: Any) -> str:
        response = self.http.post("/sessions", json=asked)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def socket(self, id: str) -> ClientConnection:
        url = f"{self.url.replace('http', 'ws')}/sessions/{id}/ws"
        return connect(url, additional_headers={"Authorization": f"Bearer {self.token}"}, proxy=None)


Start: TypeAlias = Callable[..., Running]


@pytest.fixture
def start(zot: Zot, server: ScriptedServer) -> Iterator[Start]:
    """Starts one that talks to the scripted server."""
    started: list[Running] = []

    def begin(*flags: str, new: bool = False, **env: str) -> Running:
        if "--listen" not in flags:
            flags = ("--listen", "127.0.0.1:0", *flags)
        started.append(Running(zot, *zot.at(server), *flags, new=new, **env))
        return started[-1]

    yield begin
    for each in started:
        each.http.close()
        each.process.kill()
        each.process.communicate()


def until(peer: ClientConnection, type: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while not found or found[-1]["type"] != type:
        found.append(json.loads(peer.recv(timeout=PATIENCE)))
    return found


def test_it_says_where_it_is_and_the_token_it_has_made_up(start: Start, zot: Zot) -> None:
    one, two = start(), start()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", one.url)
    assert len(one.token) >= 40
    assert one.token != two.token
    assert one.lines["page"] == f"{one.url}/#token={one.token}"
    assert one.http.get("/sessions").json()["sessions"] == []
    assert two.http.get("/sessions", headers={"authorization": f"Bearer {one.token}"}).status_code == 401


def test_a_token_that_was_chosen_is_not_printed_and_tools_do_not_find_it(
    start: Start, zot: Zot, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "env; cat /proc/$PPID/environ | wc -c"})]), "done")
    running = start(new=True, ZOT_SERVE_TOKEN=TOKEN)
    with running.socket(running.open()) as peer:
        peer.send('{"type":"prompt","message":"look"}')
        until(peer, "done")
    assert "ZOT_SERVE_TOKEN" not in json.dumps(server.requests[1].body)
    running.process.send_signal(signal.SIGTERM)
    done = zot.finish(running.process)
    assert (done.code, done.out + done.err) == (143, "")


def test_hook_programs_run_in_its_sessions(start: Start, zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    hooks = {"tool_call": [{"command": "echo 'not here' >&2; exit 2"}]}
    (zot.home / "config.json").write_text(json.dumps({"hooks": hooks}))
    server.add(Turn(calls=[Call("bash", {"command": "touch made"})]), "done")
    running = start()
    with running.socket(running.open()) as peer:
        peer.send('{"type":"prompt","message":"go"}')
        until(peer, "done")
    assert "not here" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_stops_the_sessions_and_leaves_them_whole(
    start: Start, zot: Zot, server: ScriptedServer, number: int, code: int
) -> None:
    mark = f"61.{os.getpid()}{number}"
    server.add(
        Turn(calls=[Call("bash", {"command": f"sleep {mark} & sleep {mark}; true"})]),
        Turn(fault=Fault(stall=600)),
    )
    running = start()
    tool, thinking = running.open(), running.open()
    with running.socket(tool) as peer, running.http.stream("GET", f"/sessions/{thinking}/events") as events:
        peer.send('{"type":"prompt","message":"work"}')
        until(peer, "tool_call")
        wait_until(lambda: len(sleeping(mark)) == 2)
        running.http.post(f"/sessions/{thinking}/commands", json={"type": "prompt", "message": "think"})
        server.wait_for(2)
        running.process.send_signal(number)
        running.process.send_signal(number)
        assert '"type":"done"' in "".join(events.iter_text())
        assert until(peer, "done")[-1]["type"] == "done"
    done = zot.finish(running.process)
    assert (done.code, done.err) == (code, "")
    assert sleeping(mark) == []
    assert len(zot.sessions) == 2
    for path in zot.sessions:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert rows[0]["type"] == "meta"
    server.add("resumed")
    assert zot.ask(server, "-p", "-c", "go on").out == "resumed\n"


def test_clients_that_read_nothing_do_not_delay_the_end(start: Start, zot: Zot) -> None:
    running = start()
    id = running.open()
    head = f"Host: localhost\r\nAuthorization: Bearer {running.token}\r\n"
    pages = f"GET /sessions/{id} HTTP/1.1\r\n{head}\r\n" * 100
    events = f"GET /sessions/{id}/events HTTP/1.1\r\n{head}\r\n"
    strangers = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5000
    clients = [socket.create_connection(("127.0.0.1", int(running.url.rpartition(":")[2]))) for _ in range(20)]
    for number, client in enumerate(clients):
        client.setblocking(False)
        with suppress(BlockingIOError, ConnectionError):
            client.sendall((pages, events, strangers)[number % 3].encode())
    assert running.http.get("/sessions").status_code == 200
    running.process.send_signal(signal.SIGTERM)
    done = zot.finish(running.process)
    assert (done.code, done.err) == (143, "")
    for client in clients:
        client.close()


def sleeping(mark: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if words.startswith(f"sleep {mark}"):
            found.append(words)
    return found


def test_a_unix_socket_is_private_and_can_be_used_at_once(start: Start, zot: Zot) -> None:
    running = start("--listen", "unix:zot.sock")
    path = zot.cwd / "zot.sock"
    assert running.url == f"unix:{path}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    running.open()
    running.process.send_signal(signal.SIGTERM)
    assert zot.finish(running.process).code == 143
    assert not path.exists()


def test_what_is_in_the_way_of_the_address_is_said_in_one_line(zot: Zot) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = zot.run("serve", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.code == 1
    assert "Address already in use; name another port" in done.line()
    done = zot.run("serve", "--listen", "unix:missing/zot.sock")
    assert (done.code, "No such file or directory" in done.line()) == (1, True)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--listen", "0.0.0.0:0"], "--allow-remote"),
        (["--listen", "[::]:0"], "--allow-remote"),
        (["--listen", "nonsense"], "neither HOST:PORT"),
        (["--root", "nowhere"], "--root 'nowhere' is not a directory"),
        (["--root", "/usr"], "is outside of every --root; name one within them with --cwd"),
        (["--cwd", "nowhere"], "not a directory"),
        (["--max-sessions", "0"], "--max-sessions"),
        (["--idle", "nan"], "--idle"),
        (["--idle", "-1"], "--idle must be a number of seconds (0 for never), got -1"),
        (["--provider", "nope"], "unknown provider 'nope'"),
        (["--model", "opnai/gpt-5.1"], "unknown provider 'opnai'"),
        (["--tools", "foo"], "unknown tool 'foo'"),
        (["--provider", "openai", "--base-url", "foo"], "must begin with http://"),
        (["hello"], "takes no prompt"),
        (["-c"], "no --continue"),
        (["--session", "x"], "no --session"),
        (["--rpc"], "no --rpc"),
        (["--dance"], "(see zot serve --help)"),
        (["--api-key", "k"], "need --provider"),
        (["--base-url", "http://127.0.0.1:1"], "need --provider"),
    ],
)
def test_what_it_is_not_started_with_is_said_in_one_line(zot: Zot, flags: list[str], words: str) -> None:
    done = zot.run("serve", *flags)
    assert done.code == 2
    assert words in done.line()
    assert done.out == ""


@pytest.mark.parametrize("token", ["t\u00f6ken-of-some-length", "a-token-of-some-length\n", " a-token-of-some-length"])
def test_a_token_that_no_header_could_bring_is_refused(zot: Zot, token: str) -> None:
    done = zot.run("serve", env=zot.env | {"ZOT_SERVE_TOKEN": token})
    assert (done.code, done.out) == (2, "")
    assert "ZOT_SERVE_TOKEN must be printable ASCII" in done.line()


def test_a_short_token_is_refused(zot: Zot) -> None:
    done = zot.run("serve", env=zot.env | {"ZOT_SERVE_TOKEN": "short"})
    assert (done.code, "at least 16" in done.line()) == (2, True)


def test_without_the_extra_it_says_how_to_get_it(zot: Zot, tmp_path: Path) -> None:
    without = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name in ('starlette', 'uvicorn') else real(name, package)\n"
        "from zot_agent.entry import main; sys.argv = ['zot', 'serve']; sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", without], env=zot.env, cwd=zot.cwd, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "zot: zot serve needs an extra that is not installed; run "
        "uv tool install 'zot-agent[serve]' or pip install 'zot-agent[serve]'\n"
    )


def test_help_names_its_flags_without_anything_heavy(zot: Zot) -> None:
    done = zot.run("serve", "--help")
    assert (done.code, done.err) == (0, "")
    for flag in ("--listen", "--root", "--allow-remote", "--host", "--max-sessions", "--idle", "ZOT_SERVE_TOKEN"):
        assert flag in done.out


def test_flags_of_zot_count_for_sessions(start: Start, zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "below").mkdir()
    server.add("a rhyme")
    running = start("--cwd", "below", "--tools", "read,ls", "--system-prompt", "Be a poet.", "--no-session")
    id = running.open()
    with running.socket(id) as peer:
        peer.send('{"type":"prompt","message":"hi"}')
        until(peer, "done")
    assert {tool["function"]["name"] for tool in server.requests[0].body["tools"]} == {"read", "ls"}
    assert "Be a poet." in json.dumps(server.requests[0].body["messages"][0])
    assert running.http.get(f"/sessions/{id}").json()["cwd"] == str(zot.cwd / "below")
    assert zot.sessions == []


def test_an_extension_of_one_session_is_not_one_of_another(start: Start, zot: Zot, server: ScriptedServer) -> None:
    folder = zot.cwd / "with" / ".zot" / "extensions" / "greeter"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": "greeter", "exec": sys.executable, "args": ["main.py"]}))
    (folder / "main.py").write_text(
        "from zot_ext import Extension, display\n"
        "ext = Extension('greeter', '1.0.0')\n"
        "@ext.command('greet', 'say hello')\n"
        "def greet(args: str):\n"
        "    return display('hello ' + args)\n"
        "ext.run()\n"
    )
    refused = start()
    opened = refused.http.post("/sessions", json={"cwd": "with"}).json()
    assert "not used, because you have not allowed it: extensions greeter" in json.dumps(opened)
    running = start("--trust")
    plain, greeting = running.open(), running.open(cwd="with")
    with running.socket(greeting) as peer:
        peer.send('{"id":1,"type":"control.run","name":"greet","args":"you"}')
        lines = until(peer, "response")
        assert [line["text"] for line in lines if line["type"] == "ext_display"] == ["hello you"]
    answer = running.http.post(f"/sessions/{plain}/commands", json={"type": "control.commands"}).json()
    assert {each["source"] for each in answer["data"]["commands"]} == {"prompts", "skills"}


def test_an_extension_learns_that_a_prompt_comes_from_the_server(
    start: Start, zot: Zot, server: ScriptedServer
) -> None:
    told = "ext.intercept('input')(lambda given: InputDecision(text=f'{given.text} from {given.source}'))"
    folder = write_extension(zot.cwd.parent / "teller", told)
    server.add("ok")
    running = start("--ext", str(folder))
    with running.socket(running.open()) as peer:
        peer.send('{"type":"prompt","message":"go"}')
        until(peer, "done")
    assert server.requests[0].body["messages"][-1]["content"] == "go from serve"


def test_hostile_patterns_in_one_session_do_not_stop_another(start: Start, zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / ".gitignore").write_text("".join(f"{'*a' * 60}{number}b\n" for number in range(1000)))
    for number in range(100):
        (zot.cwd / f"{'a' * 120}{number}").touch()
    (zot.cwd / "line").write_text("x" * 5000)
    calls = [Call("glob", {"pattern": f"**/{'*a' * 60}b"}), Call("grep", {"pattern": "(?=(x+x+)+y)"})]
    server.add(Turn("I look.", calls=calls), "Here I am.")
    running = start()
    with running.socket(running.open()) as busy, running.socket(running.open()) as other:
        busy.send('{"type":"prompt","message":"look"}')
        until(busy, "tool_call")
        other.send('{"type":"prompt","message":"are you there?"}')
        assert "Here I am." in json.dumps(until(other, "done"))
        busy.send('{"type":"abort"}')
        until(busy, "done")


def test_what_only_reads_is_not_asked_about_and_what_cannot_be_judged_is_in_yolo(
    start: Start, zot: Zot, server: ScriptedServer
) -> None:
    look, hide = (Turn(calls=[Call("bash", {"command": each})]) for each in ("ls -a | head -3", "echo touch made | sh"))
    server.add(look, "I see.", hide, "Well.")
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps({"permissions": {"deny": ["bash(touch *)"]}}))
    running = start()
    with running.socket(running.open()) as peer:
        peer.send('{"type":"permissions.mode","mode":"plan"}')
        peer.send('{"type":"prompt","message":"look"}')
        assert not any(event["type"] == "permission_request" for event in until(peer, "done"))
        peer.send('{"type":"permissions.mode","mode":"yolo"}')
        peer.send('{"type":"prompt","message":"go"}')
        request = until(peer, "permission_request")[-1]
        assert "what sh reads is not known" in request["reason"]
        peer.send(json.dumps({"type": "permissions.answer", "request": request["request"], "answer": "no"}))
        until(peer, "done")
    assert "[exit 0]" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()
