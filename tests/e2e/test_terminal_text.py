"""Text of strangers on a terminal: it reaches it without its control sequences, whichever command shows it."""

import json
import shlex
import sys

from command import Zot
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn

MARK = "RVZJTA"
SEQUENCES = (
    f"\x1b]52;c;{MARK}\x07",
    f"\x9d52;c;{MARK}\x9c",
    f"\x1b]0;{MARK}\x1b\\",
    "\x1b[31;8m",
    "\x1b[2J",
    "\x1b[9A\r",
)
EVIL = "".join(SEQUENCES)
YAML = json.dumps(EVIL)
"""Writes to the clipboard, sets the title, hides what follows, clears the screen and moves the cursor."""


def fill(zot: Zot) -> None:
    """Put the sequences into everything that a project and the home of zot may bring."""
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps({f"x{EVIL}": 1, "permissions": {"deny": [f"mcp__a__x(x{EVIL})"]}}))
    (zot.home / "mcp.json").write_text(
        json.dumps({"mcpServers": {f"m{EVIL}": {"command": f"x{EVIL}", "disabled": True}}})
    )
    for top in (zot.home, zot.cwd / ".zot"):
        for name, text in {
            f"agents/a{EVIL.replace('/', '')}.md": f"---\nname: {YAML}\ndescription: {YAML}\n---\nx",
            "agents/b.md": f"---\ndescription: {YAML}\nmodel: {YAML}\n---\nx",
            "prompts/p.md": f"---\ndescription: {YAML}\n---\n!`echo {EVIL}`",
            "skills/s/SKILL.md": f"---\nname: s\ndescription: {YAML}\n---\nx",
            "extensions/e/extension.json": json.dumps({"name": f"e{EVIL}", "exec": f"./x{EVIL}", "description": EVIL}),
            "extensions/f/extension.json": json.dumps({"name": "f", "exec": "./run", "description": f"d{EVIL}"}),
            "extensions/f/run": f"#!/bin/sh\nprintf '%s\\n' {shlex.quote(EVIL)} >&2\nexit 3\n",
            f"themes/t{EVIL}.json": "{",
        }.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o700)
    (zot.cwd / f"file{EVIL}").write_text(EVIL)
    (zot.cwd / "AGENTS.md").write_text(f"{EVIL}\n@missing{EVIL}")


CONTROLS = [f"\x1b]52;c;{MARK}", f"\x9d52;c;{MARK}", f"\x1b]0;{MARK}", "\x1b[31;8m", "\x1b[9A"]
"""The beginnings of them. The screen itself clears, too."""


def controls(received: bytes) -> list[str]:
    """The sequences that have reached a terminal."""
    text = received.decode("utf-8", "replace")
    return [each for each in CONTROLS if each in text]


def turns(server: ScriptedServer, count: int) -> None:
    """Let the model say and call what has the sequences in it, in so many runs."""
    command = f"ls; cat file*; echo '{EVIL}' >&2; exit 3"
    calls = [Call("bash", {"command": command}), Call(f"t{EVIL}", {f"k{EVIL}": EVIL})]
    for _ in range(count):
        server.add(Turn(text=f"said{EVIL}", calls=calls), f"all done{EVIL}")


COMMANDS = """
zot -p --trust go AT
zot --stream --stats --trust go AT
zot sessions list
zot sessions search x
zot permissions list
zot permissions test "echo x"
zot mcp list
zot ext list
zot ext logs f
zot trust list
zot doctor --offline
zot config list
zot run --id r --trust go AT
zot runs list
zot runs show r
zot --list-models AT
zot -p "--provider=x$EVIL"
zot -p --model "x$EVIL" --provider "y$EVIL" hi
zot -p --ext "./x$EVIL" hi
zot config get "x$EVIL"
zot ext enable "x$EVIL"
zot -p --tools "x$EVIL" hi
cd "$EVILDIR" && zot -p go AT
"""


def test_no_command_lets_text_of_strangers_control_a_terminal(zot: Zot, server: ScriptedServer) -> None:
    fill(zot)
    (zot.cwd / f"dir{EVIL}").mkdir()
    turns(server, 4)
    at = shlex.join(zot.at(server))
    python = shlex.quote(sys.executable)
    script = f'zot() {{ {python} -m zot_agent "$@"; }}; cd {shlex.quote(str(zot.cwd))}\n'
    script += COMMANDS.replace("AT", at)
    env = {**zot.env, "TERM": "xterm-256color", "EVIL": EVIL, "EVILDIR": str(zot.cwd / f"dir{EVIL}")}
    with PtyScreen(["bash", "-c", script], environment=env, cwd=str(zot.cwd), columns=200, rows=50, new=True) as pty:
        pty.wait_end()
        assert "unknown tool" in (shown := bytes(pty.received).decode("utf-8", "replace"))
        assert all(f"{end}\r\n" in shown for end in ("file", "there is no such folder"))
    assert controls(bytes(pty.received)) == []


def test_the_screen_does_not_either(zot: Zot, server: ScriptedServer) -> None:
    fill(zot)
    turns(server, 1)
    with PtyScreen(
        [*zot.command, *zot.at(server)],
        environment={**zot.env, "TERM": "xterm"},
        cwd=str(zot.cwd),
        columns=120,
        rows=50,
    ) as pty:
        pty.wait_for("May zot use what this folder brings?")
        pty.wait_for("Enter choose")
        pty.type("y")
        pty.wait_for("in use: ")
        pty.type("go\r")
        pty.wait_for("all done")
    assert controls(bytes(pty.received)) == []
