"""Extensions written for pi that hang, block or end their process, or have no Node, under zot on a real terminal."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator

import pytest
from command import Zot
from pi_zot import pi_environment
from pty_screen import PtyScreen
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("pi")

BAD = """
import { existsSync, writeFileSync } from "node:fs";
export default function (pi) {
  const block = () => { while (!existsSync("gate")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50); };
  const never = () => new Promise(() => {});
  pi.registerCommand("block", { description: "Blocks", handler: async () => block() });
  pi.registerCommand("hang", { description: "Hangs", handler: never });
  pi.registerCommand("die", { description: "Dies", handler: async () => process.kill(process.pid, "SIGKILL") });
  const parameters = { type: "object", properties: {} };
  const execute = () => (writeFileSync("hangs", ""), never());
  pi.registerTool({ name: "hang", description: "hangs", parameters, execute });
  pi.on("tool_call", () => undefined);
}
"""
NEIGHBOUR = """
export default function (pi) {
  pi.registerCommand("neighbour", { handler: async (_, ctx) => ctx.ui.notify("the neighbour answers") });
}
"""
BASH = Turn(calls=[Call("bash", {"command": "touch ran"})])


@pytest.fixture
def pi(zot: Zot) -> Zot:
    """`zot` with a Node, and two extensions in the project; the neighbour has its own process."""
    zot.env = pi_environment({**zot.env, "TERM": "xterm-256color", "ZOT_EXT_PATIENCE": "1"})
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps({"pi": {"separate": ["neighbour"]}}))
    (zot.cwd / "bad.ts").write_text(BAD)
    (zot.cwd / "neighbour.ts").write_text(NEIGHBOUR)
    return zot


@contextlib.contextmanager
def on_screen(zot: Zot, server: ScriptedServer) -> Iterator[PtyScreen]:
    """`zot` with both extensions."""
    words = [*zot.command, *zot.at(server), "-e", "bad.ts", "-e", "neighbour.ts"]
    with PtyScreen(words, columns=100, rows=30, environment=zot.env, cwd=str(zot.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        yield pty


def run(pty: PtyScreen, name: str, about: str) -> None:
    """Run a slash command once it is offered."""
    pty.type(f"/{name}")
    pty.wait_for(about)
    pty.type("\r")


def test_the_screen_and_a_neighbour_go_on_while_an_extension_blocks_its_process(
    pi: Zot, server: ScriptedServer
) -> None:
    server.add(BASH, "Done.")
    with on_screen(pi, server) as pty:
        run(pty, "block", "Blocks")
        pty.wait_for("/block · pi")
        pty.type("typed-meanwhile")
        pty.wait_for("› typed-meanwhile")
        pty.type("\x15/neighbour\r")
        pty.wait_for("the neighbour answers")
        pty.type("go\r")
        pty.wait_for("extension 'pi' did not answer within 5 s, so this is refused")
        pty.wait_for("Done.")
        pty.wait_for("/block · pi")  # again, once the answer is drawn
        (pi.cwd / "gate").touch()
        pty.wait_until(lambda: "/block · pi" not in pty.screen(), what="the end of the command")
    assert not (pi.cwd / "ran").exists()


def test_what_never_returns_is_stopped_with_esc_and_a_guard_whose_process_has_died_refuses(
    pi: Zot, server: ScriptedServer
) -> None:
    server.add(Turn(calls=[Call("hang")]), BASH, "Done.")
    with on_screen(pi, server) as pty:
        run(pty, "hang", "Hangs")
        pty.wait_for("/hang · pi")
        pty.type("\x1b")
        pty.wait_for("stopped waiting for /hang")
        pty.type("one\r")
        pty.wait_until((pi.cwd / "hangs").exists, what="the tool")  # its row is there before it runs
        pty.type("\x1b")
        pty.wait_for("aborted: stopped by the user")
        run(pty, "die", "Dies")
        pty.wait_for("[pi] was ended by SIGKILL; see zot ext logs pi")
        pty.type("/neighbour\r")
        pty.wait_for("the neighbour answers")
        pty.type("two\r")
        pty.wait_for("extension 'pi' was ended by SIGKILL, so this is refused")
        pty.wait_for("Done.")
    assert not (pi.cwd / "ran").exists()


def test_a_node_that_is_missing_or_too_old_is_said_in_one_line_and_guards_of_the_run_before_refuse(
    pi: Zot, server: ScriptedServer
) -> None:
    node = shutil.which("node", path=pi.env["PATH"])
    old = pi.cwd.parent / "old" / "node"
    old.parent.mkdir()
    version = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.19.0" } })'
    old.write_text(f"#!/bin/sh\nexec {node} --import 'data:text/javascript,{version}' \"$@\"\n")
    old.chmod(0o755)
    paths = {
        "newer Node than 18.19.0": os.pathsep.join([str(old.parent), pi.env["PATH"]]),
        "need Node, which is not on the PATH": os.path.dirname(pi.command[0]),
    }
    server.add("Fine.")
    assert pi.ask(server, "-p", "go", "-e", "bad.ts", timeout=PATIENCE).result == (0, "Fine.\n", "")
    for problem, path in paths.items():
        server.add(BASH, "Done.")
        done = pi.ask(server, "-p", "go", "-e", "bad.ts", env={**pi.env, "PATH": path}, timeout=PATIENCE)
        assert (done.code, done.out) == (0, "Done.\n")
        assert problem in done.err
        assert "install Node 22.19 or newer from https://nodejs.org" in done.err
        assert done.err.count("\n") == 1
        read = [(each["role"], str(each["content"])) for each in server.requests[-1].body["messages"]]
        assert ["so this is refused" in text for role, text in read if role == "tool"] == [True]
        assert any("[the tools of extension pi are not there]" in text for _, text in read)
    assert not (pi.cwd / "ran").exists()
