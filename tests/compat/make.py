"""Makes tests/compat/VERSION, what the zot of this checkout stores: run it for each version that is released.

    uv run tests/compat/make.py

The state is that of a person: sessions with a branch, a label, a title, a summary and a stopped run, changes that can
be undone, settings, keys, an allowed extension with what it registered. The tests beside it read all of it with the zot
of their own checkout. What a released version has written is never made again; until it has its tag, it is.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "support"))

from stored_world import StoredWorld

from zot_agent.fleet.store.postgres import SCHEMA
from zot_agent.version import __version__
from zot_provider.testing import Call, ScriptedServer, Turn

HERE = Path(__file__).parent
TALK = """
import asyncio
from zot_agent.client import RpcClient

async def main():
    async with RpcClient.start(provider="anthropic", args=["--continue"]) as client:
        await client.session_rename("the notes")
        async for event in client.prompt("and the second line?"): pass
        tree = await client.session_tree()
        first = tree["entries"][0]["id"]
        await client.session_label(first, "begin")
        async for event in client.compact(): pass
        async for event in client.prompt("what was that?"): pass

asyncio.run(main())
"""
TURNS = [
    Turn("I will change it.", calls=[Call("read", {"path": "notes.txt"})]),
    Turn(calls=[Call("edit", {"path": "notes.txt", "edits": [{"oldText": "one", "newText": "uno"}]})]),
    Turn("It says uno now.", reasoning="The person wants Italian."),
]
GUARD = """#!/usr/bin/env python3
from zot_ext import Extension, block
ext = Extension("guard", "1.0.0")

@ext.intercept("tool_call", on_error="block", on_exit="block")
def no_sudo(call):
    return block("no sudo here") if "sudo" in str(call.args) else None

@ext.command("greet", "say hello")
def greet(args: str):
    return "hello"

ext.run()
"""
MANIFEST = """{"name": "guard", "version": "1.0.0", "exec": "./guard.py", "language": "python", "remember": true,
 "permissions": {"commands": ["greet"], "intercept": ["bash"]}}
"""
SETTINGS = """{"reasoning": "low", "theme": "light", "favourite_models": ["anthropic/claude-opus-5-5"], "max_steps": 30,
 "permissions": {"deny": ["read(.env)"], "allow": ["bash(make test)"]}, "retry": {"tries": 2}}
"""
MODELS = """{"providers": {"house": {"baseUrl": "http://127.0.0.1:9/v1", "models": [{"id": "small"}]}}}
"""


def fill(world: StoredWorld, server: ScriptedServer) -> None:
    """Use zot as a person does."""
    project, state = world.folder / "project", world.folder / "state"
    (project / "notes.txt").write_text("one\ntwo\n")
    (state / "config.json").write_text(SETTINGS)
    (state / "models.json").write_text(MODELS)
    (project / "guard").mkdir()
    (project / "guard" / "guard.py").write_text(GUARD)
    (project / "guard" / "guard.py").chmod(0o755)
    (project / "guard" / "extension.json").write_text(MANIFEST)
    world.zot("auth", "login", "openai", "--key", stdin="sk-a-key-of-nobody\n")
    world.zot("ext", "install", "./guard")
    world.zot("ext", "enable", "guard")
    server.add(*TURNS)
    world.zot("-p", "say it in Italian")
    server.add("The second line is two.", "## Goal\nItalian notes.", "That was Italian.")
    world.python("-c", TALK)
    server.add(Turn(calls=[Call("bash", {"command": "echo due >> notes.txt"})]), Turn("Both are Italian."))
    world.zot("run", "make the second line Italian", "--id", "second")


def fleet(session: str) -> str:
    """The tables of a fleet with a run that has the rows of a session, as statements for Postgres."""
    rows = session.encode().splitlines(keepends=True)
    lines = [
        f"INSERT INTO zot_run (id, attempt, rows, size) VALUES ('second', 1, {len(rows)}, {len(session.encode())});"
    ]
    for number, row in enumerate(rows):
        blob = hashlib.sha256(row).hexdigest() if len(row) > 1000 else ""
        data = f"'\\x{row.hex()}'"
        if blob:
            lines.append(f"INSERT INTO zot_blob (run, hash, data) VALUES ('second', '\\x{blob}', {data});")
        values = f"'second', {number}, 1, NULL, '\\x{blob}'" if blob else f"'second', {number}, 1, {data}, NULL"
        lines.append(f"INSERT INTO zot_row (run, number, attempt, data, blob) VALUES ({values});")
    return SCHEMA + "\n".join(lines) + "\n"


def main() -> None:
    target, tag = HERE / __version__, f"v{__version__}"
    if subprocess.run(["git", "tag", "--list", tag], cwd=HERE, capture_output=True, check=True).stdout:
        sys.exit(f"{tag} is tagged: what a version has written is not made again")
    if "rc" in __version__:
        print("of a candidate nothing is kept")
        return
    if shutil.which("bwrap") is None:
        sys.exit("bubblewrap is needed, which only Linux has")
    with tempfile.TemporaryDirectory() as scratch, ScriptedServer() as server:
        folder = Path(scratch, "world")
        address = server.base_url("anthropic-messages")
        fill(StoredWorld(folder, ANTHROPIC_BASE_URL=address, ANTHROPIC_API_KEY="key"), server)
        shutil.rmtree(target, ignore_errors=True)
        passing = shutil.ignore_patterns("*.lock", "__pycache__", "logs")
        for name in ("project", "state"):
            shutil.copytree(folder / name, target / name, ignore=passing)
    sessions = [path.read_text("utf-8") for path in target.glob("state/sessions/*/*.jsonl")]
    (stored,) = (text for text in sessions if '"run":"second"' in text)
    (target / "fleet.sql").write_text(fleet(stored), "utf-8")
    for path, folders, files in os.walk(target):
        if not folders and not files:
            Path(path, ".gitkeep").touch()  # git knows no empty folder, and the store of checkpoints needs one
    print(target)


if __name__ == "__main__":
    main()
