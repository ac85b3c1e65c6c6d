"""`FRONT_ENDS`: every way to send zot a prompt, each as a process. A question is answered with no where one can be.

Each is asked to end, and waited for: what a command has changed may be saved only then.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import httpx
from acp import RequestError
from acp_talk import start_talk
from command import Zot
from pty_screen import PtyScreen
from rpc_peer import Peer
from waiting import PATIENCE
from websockets.sync.client import connect

from zot_provider.testing import Call, ScriptedServer, Turn

FrontEnd: TypeAlias = Callable[[Zot, ScriptedServer, tuple[str, ...]], int]
"""Sends the prompt `go` with more flags, waits for the end of the run, and returns how many questions there were."""

ENDS = "that was all"
"""What the model says in the end."""
STOPS = "--strict-extensions: extension"
"""What is said of a run that does not begin, since an extension is missing."""

_TOKEN = "a-token-of-this-test"


def _once(*words: str) -> FrontEnd:
    def ask(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
        zot.run(*words, "go", *zot.at(server), *flags)
        return 0

    return ask


def _run(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
    words = ("run", "--id", "walls", "go", *zot.at(server), *flags)
    asked = 0
    while "zot runs answer walls" in zot.run(*words).err:
        asked += 1
        zot.run("runs", "answer", "walls", "no")
    return asked


def _answered(lines: Iterable[dict[str, Any]], send: Callable[..., None]) -> int:
    """Refuse what is asked about, until the run has ended."""
    asked = 0
    for line in lines:
        if line["type"] == "permission_request":
            asked += 1
            send("permissions.answer", request=line["request"], answer="no")
        elif line["type"] == "done":
            break
    return asked


def _rpc(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
    peer = Peer(server, zot.cwd, *flags, **zot.env)
    try:
        peer.send("prompt", message="go")
        asked = _answered(iter(peer.next, None), peer.send)
        peer.finish()
        return asked
    finally:
        peer.kill()


def _serve(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
    environment = zot.env | {"ZOT_SERVE_TOKEN": _TOKEN}
    process = zot.start("serve", "--listen", "127.0.0.1:0", *zot.at(server), *flags, env=environment)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip().removeprefix("listening on ")
        headers = {"authorization": f"Bearer {_TOKEN}"}
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False) as http:
            id = http.post("/sessions", json={}).json()["id"]
        where = f"{url.replace('http', 'ws')}/sessions/{id}/ws"
        with connect(where, additional_headers=headers, proxy=None, max_size=None) as socket:

            def send(type: str, **fields: Any) -> None:
                socket.send(json.dumps({"type": type, **fields}))

            send("prompt", message="go")
            asked = _answered((json.loads(socket.recv(PATIENCE)) for _ in iter(int, 1)), send)
        process.terminate()
        process.wait(PATIENCE)
        return asked
    finally:
        process.kill()
        process.communicate()


def _acp(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
    async def ask() -> int:
        async with start_talk(zot, *zot.at(server), *flags) as (talk, _):
            talk.editor.answers += ["reject"] * 100
            session = await talk.begin(zot)
            try:
                await talk.prompt(session, "go")
            except RequestError as error:
                if STOPS not in str(error):
                    raise
            return len(talk.editor.asked)

    return asyncio.run(ask())


def _question(screen: str) -> str:
    """What is above the choices of a question, if one is asked."""
    return screen.partition("› y  yes, ")[0].rpartition("───")[2] if "› y  yes, " in screen else ""


def _answer_no(pty: PtyScreen) -> None:
    """Answer the question that is asked, and wait until it is gone: the next one may already be in its place."""
    question = _question(pty.screen())
    pty.type("n")
    pty.wait_until(lambda: _question(pty.screen()) != question)


def _screen(zot: Zot, server: ScriptedServer, flags: tuple[str, ...]) -> int:
    asked = 0
    environment = {**zot.env, "TERM": "xterm"}
    with PtyScreen([*zot.command, *zot.at(server), *flags], environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("›")
        pty.type("go\r")
        while True:
            pty.wait_until(lambda: any(each in pty.screen() for each in ("› y  yes, ", ENDS, STOPS)))
            if "› y  yes, " not in pty.screen():
                return asked
            asked += 1
            pty.wait_for("Enter choose")
            _answer_no(pty)


FRONT_ENDS: Mapping[str, FrontEnd] = {
    "screen": _screen,
    "print": _once("-p"),
    "stream": _once("--stream"),
    "json": _once("--json"),
    "run": _run,
    "rpc": _rpc,
    "serve": _serve,
    "acp": _acp,
    "sub-agent": _once("-p"),
}
ASKS = ("screen", "run", "rpc", "serve", "acp")
"""Those in which a person can be asked."""


def results(front_end: str, zot: Zot, server: ScriptedServer, calls: list[Call], *flags: str) -> tuple[list[str], int]:
    """Let the model make calls one after the other; return what it reads of each, and the number of questions."""
    if front_end == "sub-agent":
        server.add(Turn(calls=[Call("agent", {"task": "go"})]))
    server.add(*(Turn(calls=[each]) for each in calls), ENDS, ENDS)
    asked = FRONT_ENDS[front_end](zot, server, flags)
    bodies = [request.body["messages"] for request in server.requests]
    longest = max(bodies, key=len, default=[])
    return [each["content"] for each in longest if each["role"] == "tool"], asked
