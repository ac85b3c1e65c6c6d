"""A conversation with extensions that call the host, each a real process."""

import asyncio
import contextlib
import json
import stat
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from json_schema import RPC_SCHEMA, response
from waiting import PATIENCE

from zot_agent.extensions.discover import DiscoveredExtension, Discovery, discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup
from zot_agent.extensions.trace import Trace
from zot_agent.operations.names import FIELDS
from zot_core import Runtime
from zot_core.checkpoints.watch import Checkpoints
from zot_core.conversation.dialogs import AskPerson, DialogAnswer, ExtensionDialog
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent
from zot_core.conversation.extensions import FrontEndActions
from zot_ext.limits import ExtensionLimits
from zot_provider.auth.store import AccountStore
from zot_provider.testing import ScriptedClient

PATIENT: dict[str, Any] = {
    "hello_seconds": PATIENCE,
    "ready_total_seconds": PATIENCE,
    "ready_idle_seconds": PATIENCE / 60,  # for which those wait that never say that they are ready
    "intercept_seconds": PATIENCE,
    "shutdown_seconds": PATIENCE,
    "command_seconds": PATIENCE,
    "write_seconds": PATIENCE,
    "provider_seconds": PATIENCE,
    "op_cancel_seconds": PATIENCE,
}
"""Limits that a slow machine does not reach."""

RAW = '''
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
def read():
    return json.loads(sys.stdin.readline() or sys.exit())
def until(type):
    while (frame := read())["type"] != type: pass
    return frame
def ask(id, method, **fields):
    say(type="host_call", id=id, method=method, **fields)
def result(id):
    while (frame := until("host_result"))["id"] != id: pass
    return frame
def command(name):
    say(type="register_command", name=name)
    say(type="ready")
    return until("command_invoked")
def show(frame, value):
    """Answer a command, and wait for the end."""
    text = value if isinstance(value, str) else json.dumps(value)
    say(type="command_response", id=frame["id"], action="display", display=text)
    until("shutdown")
'''
"""The beginning of an extension without the SDK."""


class Person:
    """Answers dialogs: each gets the next of `answers`, a value, or None to close it. `shown` are the dialogs."""

    def __init__(self, *answers: Any) -> None:
        self.answers = [*answers]
        self.shown: list[ExtensionDialog] = []
        self.closed: list[str] = []

    async def __call__(self, dialog: ExtensionDialog) -> DialogAnswer:
        self.shown.append(dialog)
        if not self.answers:
            try:
                await asyncio.Event().wait()
            finally:
                self.closed.append(dialog.title)
        value = self.answers.pop(0)
        return DialogAnswer(closed=True) if value is None else DialogAnswer(value)


class Talk:
    """A conversation with extensions."""

    def __init__(self, conversation: Conversation, extensions: Extensions, client: ScriptedClient) -> None:
        self.conversation, self.extensions, self.client = conversation, extensions, client
        self.runtime = conversation.runtime
        self.told: list[ConversationEvent] = []
        conversation.events.add(self.told.append)

    async def command(self, name: str, args: str = "") -> str:
        """Run a slash command and return what it displays."""
        answer = await self.extensions.run_command(name, args)
        return answer.text if answer.action == "display" else ""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Let the extension `caller` call the host, and return the frame of the result, without type and id."""
        args = {"method": method, "params": params}
        frame: dict[str, Any] = json.loads(await self.command("call", json.dumps(args)))
        if "result" in frame and method in FIELDS:
            assert RPC_SCHEMA.faults(response(method, frame["result"] or None), f"response.{method}") == [], frame
        return {name: value for name, value in frame.items() if name not in ("type", "id")}

    def log(self, name: str) -> str:
        """The log of an extension."""
        return (Path(self.extensions.setup.home) / "logs" / f"ext-{name}.log").read_text("utf-8")


CALLER = """
@ext.command("call")
def call(args):
    import json
    from zot_ext import HostError
    asked = json.loads(args)
    try:
        result = ext._runner.caller.call(asked["method"], asked["params"])
    except HostError as error:
        return json.dumps({"code": error.code, "error": str(error).partition(": ")[2]})
    return json.dumps({"result": result})
"""
"""An extension that calls what it is given, without a check of its own."""


class World:
    """Where extensions and sessions of a test are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folders: list[str] = []
        self.bundled: list[DiscoveredExtension] = []
        """Extensions that are a part of zot."""

    def find(self) -> Discovery:
        """Find the extensions."""
        discovery = discover(self.folders, str(self.root / "project"), str(self.root / "none"))
        discovery.found += self.bundled
        return discovery

    def add(self, name: str, body: str, groups: str = "ui messages session storage control model cancel") -> None:
        """Add an extension on the SDK whose program is `body`; it asks for these groups."""
        asked = tuple(groups.split())
        source = f"from zot_ext import *\next = Extension({name!r}, '1', capabilities={asked!r})\n{body}\next.run()\n"
        self.add_raw(name, source)

    def add_raw(self, name: str, source: str) -> None:
        """Add an extension whose program is `source`."""
        folder = self.root / "extensions" / name
        folder.mkdir(parents=True)
        program = folder / "main.py"
        program.write_text(f"#!{sys.executable}\n{source}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./main.py"}))
        self.folders.append(str(folder))

    def declare(self, name: str, **fields: Any) -> None:
        """Add fields to the manifest of an extension."""
        path = self.root / "extensions" / name / "extension.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))

    @contextlib.asynccontextmanager
    async def running(
        self, client: ScriptedClient | None = None, *, ask: AskPerson | None = None, session: bool = False,
        front_end: str = "tui", flags: dict[str, bool | int | str] | None = None, trace: Trace | None = None,
        strict: bool = False, saves: bool = False, **limits: Any,
    ) -> AsyncIterator[Talk]:  # fmt: skip
        """The conversation, once all extensions are ready. `saves`: what the agent changes can be undone."""
        client = client or ScriptedClient()
        path = self.root / "sessions" / "one.jsonl" if session else None
        project = self.root / "project"
        project.mkdir(exist_ok=True)
        home = str(self.root / "zot")
        saving = partial(Checkpoints, str(self.root / "checkpoints")) if saves else None
        runtime = Runtime("scripted", client=client, cwd=project, session=path, checkpoints=saving)
        async with Conversation(runtime) as conversation:
            conversation.front_end = front_end
            conversation.actions = FrontEndActions(
                shows_widgets=front_end == "tui", shows_panels=front_end == "tui", ask_person=ask
            )
            extensions = Extensions(
                self.find,
                lambda: AgentInfo(str(project), "scripted", "scripted", conversation.runtime.state.session_id),
                ExtensionSetup(
                    home,
                    ExtensionLimits(**(PATIENT | limits)),
                    flags=flags or {},
                    trace=trace,
                    strict=strict,
                    use_remembered=True,
                ),
                ExtensionOwner(conversation, lambda: AccountStore(home)),
            )
            extensions.attach(conversation.runtime.agent)
            conversation.attach(extensions)
            assert extensions.start() == []
            try:
                await extensions.ready()
                yield Talk(conversation, extensions, client)
            finally:
                await extensions.close()
