"""What an extension registered in its last run holds until its process, a real one, says otherwise."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from calling_extension import RAW, Talk, World
from waiting import until

from zot_agent.extensions.declared.registration_record import MOST_FILES, RememberedRegistrations
from zot_agent.extensions.discover import DiscoveredExtension, ResourcePaths
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionSetup
from zot_core.conversation.commands import CommandError
from zot_core.events import ToolResultEvent
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.manifest import Manifest
from zot_ext.protocol.from_extension import RegisterCommand, Subscribe
from zot_ext.protocol.from_host import CommandInvoked, ToolCall
from zot_ext.protocol.groups.providers import ProviderQuestion
from zot_ext.protocol.raw import RawObject
from zot_provider.messages import TextBlock
from zot_provider.request import Sampling
from zot_provider.testing import Call, ScriptedClient, Turn

HASTE = {"ready_total_seconds": 0.05, "start_delay_seconds": 600.0}
"""The process starts only when it is needed, and nobody waits long for one whose registrations are not known."""

TOOLS = """
import os
open(os.environ["STARTS"], "a").write("x")
names = open(os.environ["NAMES"]).read().split()
for name in names:
    ext.tool(name=name, description="a tool", schema={"type": "object"})(lambda args, name=name: f"{name} works")
    ext.command(name, "a command")(lambda args, name=name: f"{name} says {args}")
"""
"""Registers a tool and a command for each name in a file, and counts its starts."""


class Remembered:
    """An extension that remembers, and what it registers."""

    def __init__(self, world: World, names: Path, starts: Path) -> None:
        self.world, self._names, self._starts = world, names, starts

    def register(self, *names: str) -> None:
        """Register these tools and commands from the next start on."""
        self._names.write_text(" ".join(names))

    @property
    def starts(self) -> int:
        """How often the process was started."""
        return self._starts.stat().st_size if self._starts.exists() else 0

    @property
    def files(self) -> list[Path]:
        """What is remembered."""
        return sorted((self.world.root / "zot" / "remembered").iterdir())

    async def run(self, **limits: Any) -> None:
        """A run in which the extension registers."""
        async with self.world.running(**limits):
            pass


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def remembered(world: World, monkeypatch: pytest.MonkeyPatch) -> Remembered:
    names, starts = world.root / "names", world.root / "starts"
    monkeypatch.setenv("NAMES", str(names))
    monkeypatch.setenv("STARTS", str(starts))
    world.add("tools", TOOLS)
    world.declare("tools", remember=True)
    found = Remembered(world, names, starts)
    found.register("one", "two")
    return found


def tools(talk: Talk) -> list[str]:
    return [offer.name for offer in talk.extensions.tools]


async def results(talk: Talk) -> list[tuple[str, bool]]:
    """What the model reads of its calls."""
    found = [event async for event in talk.conversation.prompt("go") if isinstance(event, ToolResultEvent)]
    return [("".join(b.text for b in each.content if isinstance(b, TextBlock)), each.is_error) for each in found]


async def test_a_first_request_has_the_tools_of_the_last_run_and_waits_for_nobody(remembered: Remembered) -> None:
    await remembered.run()
    async with remembered.world.running(ScriptedClient(["hello"]), **HASTE) as talk:
        await results(talk)
        offered = [spec.name for spec in talk.client.requests[0].tools]
        assert {"one", "two"} <= set(offered)
        assert [each.name for each in talk.extensions.commands] == ["one", "two"]
    assert remembered.starts == 1


class Reads:
    """Counts how often the workspace is read again."""

    count = 0

    async def changed(self) -> None:
        self.count += 1

    def use(self) -> None:
        pass


async def test_the_workspace_is_not_read_again_for_an_extension_that_brought_nothing(remembered: Remembered) -> None:
    await remembered.run()
    async with remembered.world.running(**HASTE) as talk:
        brought, reads = talk.extensions.brought, Reads()
        brought.users = reads
        for paths, count in ((ResourcePaths(), 0), (ResourcePaths(skills=("cut",)), 1)):
            if paths.skills:
                talk.extensions.members[0].found.bring(paths)
            brought.remembered()
            await brought.use()
            assert reads.count == count


def test_what_was_noted_is_known_with_a_slash_too_and_what_is_no_name_always_is(tmp_path: Path) -> None:
    found = DiscoveredExtension("go", str(tmp_path), "explicit", Manifest("go", exec="./go"))
    stored = RememberedRegistrations(found, str(tmp_path), DEFAULT_LIMITS, lambda line: None)
    stored.note(RegisterCommand("/Go"))
    assert stored.has(CommandInvoked("1", "GO", ""))
    assert not stored.has(CommandInvoked("2", "went", ""))
    assert not stored.has(ToolCall("3", "go", RawObject("{}")))
    assert stored.has(ProviderQuestion("4", "go", "models"))


def test_what_is_nested_too_deeply_to_be_written_costs_only_time(tmp_path: Path) -> None:
    logged: list[str] = []
    found = DiscoveredExtension("deep", str(tmp_path), "explicit", Manifest("deep", exec="./deep"))
    stored = RememberedRegistrations(found, str(tmp_path), DEFAULT_LIMITS, logged.append)
    stored.note(Subscribe(intercept_options=RawObject('{"a":' * 900 + "1" + "}" * 900)))

    def save(deeper: int) -> None:  # than where it was read, as it may be in a run
        if deeper:
            save(deeper - 1)
        else:
            stored.save(())

    save(150)
    assert Path(stored.path).exists() or "cannot be kept for the next run" in logged[0]  # newer Pythons allow more


async def test_a_command_that_lists_leave_out_is_remembered_as_such(remembered: Remembered) -> None:
    body = "ext.command('key', hidden=True)(lambda args: 'pressed')\next.command('shown')(lambda args: 'shown')"
    remembered.world.add("keys", body)
    remembered.world.declare("keys", remember=True)
    remembered.register()
    for limits in ({}, HASTE):
        async with remembered.world.running(**limits) as talk:
            assert [each.late is not None for each in talk.extensions.members] == [bool(limits)] * 2
            assert [each.name for each in talk.conversation.commands if each.kind == "extension"] == ["shown"]
            assert await talk.command("key") == "pressed"


async def test_a_call_starts_the_process_and_waits_for_it(remembered: Remembered) -> None:
    await remembered.run()
    client = ScriptedClient([Turn(calls=[Call("two", {})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        assert await results(talk) == [("two works", False)]
        assert await talk.command("one", "hi") == "one says hi"
    assert remembered.starts == 2


async def test_a_process_that_nobody_needs_starts_a_little_later(remembered: Remembered) -> None:
    await remembered.run()
    async with remembered.world.running(start_delay_seconds=0.01) as talk:
        await until(lambda: talk.extensions.members[0].running)
        assert await talk.command("one") == "one says "


async def test_a_turn_that_begins_puts_the_start_of_the_process_off(remembered: Remembered) -> None:
    await remembered.run()
    async with remembered.world.running(ScriptedClient(["ok"]), start_delay_seconds=600.0) as talk:
        late = talk.extensions.members[0].late
        assert late is not None
        waits = asyncio.create_task(late.needed())
        await asyncio.sleep(0)
        before = late.due
        await results(talk)
        assert late.due > before
        late.need()
        assert await waits


async def test_what_a_program_brought_in_its_last_run_is_gone_once_it_does_not_bring_it_again(
    remembered: Remembered,
) -> None:
    async with remembered.world.running() as talk:
        memory = talk.extensions.members[0].memory
        assert memory is not None
        memory.stored.brings = ResourcePaths(skills=("cut",))
    client = ScriptedClient([Turn(calls=[Call("one", {})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        (member,) = talk.extensions.members
        assert member.found.brings
        assert await results(talk) == [("one works", False)]
        assert not member.found.brings


async def test_what_the_process_registers_differently_replaces_what_was_remembered(remembered: Remembered) -> None:
    await remembered.run()
    remembered.register("two", "three")
    client = ScriptedClient([Turn(calls=[Call("one", {})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        assert tools(talk) == ["one", "two"]
        with pytest.raises(CommandError, match="extension 'tools' does not have one any more"):
            await talk.command("one")
        assert tools(talk) == ["three", "two"]
        assert [each.name for each in talk.extensions.commands] == ["three", "two"]
        assert (await results(talk))[0][1]
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["three", "two"]


async def test_a_call_of_a_tool_that_is_gone_fails_with_a_line_for_the_model(remembered: Remembered) -> None:
    await remembered.run()
    remembered.register("two")
    client = ScriptedClient([Turn(calls=[Call("one", {}), Call("two", {})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        gone = "one cannot run: extension 'tools' does not have one any more"
        assert await results(talk) == [(gone, True), ("two works", False)]


ADDS = """
@ext.on("session_start")
def add(event):
    ext.tool(name="added", description="a tool", schema={"type": "object"})(lambda args: "added works")

@ext.intercept("tool_call")
def wait(call):
    return None
"""
"""Adds a tool when the session begins, and holds calls until it has."""


async def test_a_tool_that_is_added_after_ready_is_remembered_and_can_be_called(world: World) -> None:
    world.add("tools", ADDS)
    world.declare("tools", remember=True)
    async with world.running() as talk:
        await until(lambda: tools(talk) == ["added"])
    client = ScriptedClient([Turn(calls=[Call("added", {})]), "done"])
    async with world.running(client, **HASTE) as talk:
        assert tools(talk) == ["added"]
        assert await results(talk) == [("added works", False)]


@pytest.mark.parametrize("changed", ["program", "large program", "manifest"])
async def test_a_changed_program_is_not_remembered(remembered: Remembered, changed: str) -> None:
    program = remembered.world.root / "extensions" / "tools" / "main.py"
    if changed == "large program":
        program.write_text(program.read_text() + "#" * (1 << 20))
    await remembered.run()
    if changed.endswith("program"):
        program.write_text(program.read_text().replace("works", "still works"))
    else:
        remembered.world.declare("tools", version="2")
    remembered.register("three")
    async with remembered.world.running() as talk:
        assert tools(talk) == ["three"]
    assert remembered.starts == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"{}\n{}\n", b"\xff\xfe", b"[" * 100_000])
async def test_a_damaged_file_counts_as_missing_and_the_log_says_so(remembered: Remembered, damage: bytes) -> None:
    await remembered.run()
    (file,) = remembered.files
    file.write_bytes(damage)
    async with remembered.world.running() as talk:
        assert tools(talk) == ["one", "two"]
        assert remembered.starts == 2
        if damage != b"{}\n{}\n":  # that of another program
            assert "what it registered in its last run cannot be read" in talk.log("tools")
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["one", "two"]


async def test_a_changed_file_is_damage(remembered: Remembered) -> None:
    await remembered.run()
    (file,) = remembered.files
    file.write_bytes(file.read_bytes().replace(b"a tool", b"a spoon"))
    async with remembered.world.running() as talk:
        assert {each.description for each in talk.extensions.tools} == {"a tool"}
        assert "it has been changed" in talk.log("tools")


async def test_everything_about_a_tool_is_remembered(remembered: Remembered) -> None:
    remembered.world.add(
        "other",
        """
ext.tool(
    name="t", description="a tool", snippet="use t", parallel=True, seconds=5, read_only=True, deferred=True,
    schema={"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
    namespace="things", regex="a+",
)(lambda args: "x")
ext._requested += ("tools2",)
""",
    )
    remembered.world.declare("other", remember=True)
    remembered.register()
    async with remembered.world.running() as talk:
        (before,) = talk.extensions.tools
    async with remembered.world.running(**HASTE) as talk:
        (offer,) = talk.extensions.tools
        assert all(each.late is not None for each in talk.extensions.members)
    assert offer == before
    assert (offer.sampling, offer.seconds, offer.deferred) == (Sampling("regex", "a+"), 5, True)


async def test_only_the_owner_can_read_the_file_and_nothing_is_written_without_a_change(remembered: Remembered) -> None:
    await remembered.run()
    (file,) = remembered.files
    before = file.stat()
    assert before.st_mode & 0o777 == 0o600
    assert json.loads(file.read_bytes().split(b"\n")[0])["name"] == "tools"
    async with remembered.world.running(**HASTE) as talk:
        assert await talk.command("one") == "one says "
    assert file.stat().st_mtime_ns == before.st_mtime_ns


async def test_without_the_field_of_the_manifest_nothing_is_remembered(remembered: Remembered) -> None:
    remembered.world.declare("tools", remember=False)
    await remembered.run()
    assert not (remembered.world.root / "zot" / "remembered").exists()


async def test_a_file_that_cannot_be_written_costs_only_time(remembered: Remembered) -> None:
    (remembered.world.root / "zot").mkdir()
    (remembered.world.root / "zot" / "remembered").write_text("")
    async with remembered.world.running() as talk:
        assert tools(talk) == ["one", "two"]
        assert "cannot be kept for the next run" in talk.log("tools")


async def test_what_failed_to_start_in_the_last_run_is_not_offered_until_a_start_is_complete(
    remembered: Remembered,
) -> None:
    await remembered.run()
    (remembered.world.root / "names").unlink()  # its program fails
    for offered in (True, False, False):  # nobody can know it in the first of these runs
        client = ScriptedClient([Turn(calls=[Call("one", {})]), "done"])
        async with remembered.world.running(client, **HASTE if offered else {}) as talk:
            assert tools(talk) == (["one", "two"] if offered else [])
            ((text, failed),) = await results(talk)
            assert failed
            assert text.startswith("one cannot run: extension 'tools' exited with code 1 before it") or not offered
            assert tools(talk) == []
            assert talk.extensions.commands == []
            with pytest.raises(CommandError, match="there is no command /one"):
                await talk.command("one")
        (told,) = [each.text for each in client.requests[-1].messages if each.text.startswith("[the tools")]
        assert told == "[the tools of extension tools are not there]"
        assert ("one" in [spec.name for spec in client.requests[0].tools]) is offered
    remembered.register("one", "two")
    await remembered.run()
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["one", "two"]
        assert await talk.command("one", "hi") == "one says hi"


async def test_a_process_that_ends_after_its_start_is_offered_in_the_next_run(remembered: Remembered) -> None:
    body = "import os\next.tool(name='end', description='', schema={'type': 'object'})(lambda args: os._exit(3))\n"
    remembered.world.add("ends", body)
    remembered.world.declare("ends", remember=True)
    for _ in range(2):
        async with remembered.world.running(ScriptedClient([Turn(calls=[Call("end", {})]), "done"])) as talk:
            ((text, _),) = await results(talk)
            assert "exited with code 3" in text
    async with remembered.world.running(**HASTE) as talk:
        assert "end" in tools(talk)


async def test_a_program_that_is_gone_takes_its_registrations_with_it(remembered: Remembered) -> None:
    program = remembered.world.root / "extensions" / "tools" / "main.py"
    remembered.world.declare("tools", exec="./link")
    os.symlink(program, program.with_name("link"))
    await remembered.run()
    program.chmod(0o600)
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["one", "two"]
        with pytest.raises(CommandError, match="'tools'"):
            await talk.command("one")
        assert tools(talk) == []
        assert "is not executable" in talk.extensions.members[0].failure


async def test_a_guard_that_must_not_fail_open_refuses_if_its_program_does_not_start_any_more(world: World) -> None:
    world.add("guard", "@ext.intercept('tool_call', on_exit='block')\ndef guard(call):\n    pass\n")
    world.declare("guard", remember=True)
    async with world.running():
        pass
    (world.root / "extensions" / "guard" / "main.py").chmod(0o600)
    for _ in range(2):  # also in the run after that
        client = ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "done"])
        async with world.running(client, **HASTE) as talk:
            ((text, failed),) = await results(talk)
        assert failed
        assert text == "extension 'guard' cannot be started; see zot ext logs guard, so this is refused"
    assert not (world.root / "project" / "ran").exists()


WATCH = """
import os
seen = os.environ["STARTS"]
@ext.on("session_start")
@ext.on("turn_start")
@ext.on("session_end")
def saw(event):
    open(seen, "a").write(event.event + " ")
"""


async def test_a_process_gets_the_events_from_before_its_start_even_of_a_short_run(remembered: Remembered) -> None:
    remembered.world.add("watch", WATCH, groups="events2")
    remembered.world.declare("watch", remember=True)
    remembered.world.folders.pop(0)
    seen = remembered.world.root / "starts"
    async with remembered.world.running(ScriptedClient(["a"])) as talk:
        await results(talk)
    assert seen.read_text().split() == ["session_start", "turn_start", "session_end"]
    seen.unlink()
    limits = HASTE | {"ready_total_seconds": 60}
    async with remembered.world.running(ScriptedClient(["a"]), **limits) as talk:
        await results(talk)
    assert seen.read_text().split() == ["session_start", "turn_start", "session_end"]


async def test_of_too_many_events_from_before_the_start_the_first_are_kept(remembered: Remembered) -> None:
    remembered.world.add("watch", WATCH, groups="events2")
    remembered.world.declare("watch", remember=True)
    await remembered.run()
    async with remembered.world.running(ScriptedClient(["a", "b"]), **HASTE, queue_frames=1) as talk:
        await results(talk)
        await results(talk)
        assert "an event was dropped because the process is not ready yet" in talk.log("watch")


GUARD = """
import os
if os.path.exists(os.environ["NAMES"]):
    @ext.intercept("tool_call", on_timeout="block")
    def guard(call):
        return block("not that")
ext.command("other", "another command")(lambda args: "")
"""


async def test_a_guard_is_asked_although_its_process_starts_late(remembered: Remembered) -> None:
    remembered.world.add("guard", GUARD)
    remembered.world.declare("guard", remember=True)
    await remembered.run()
    client = ScriptedClient([Turn(calls=[Call("one", {})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        assert await results(talk) == [("not that", True)]
    (remembered.world.root / "names").unlink()
    remembered.world.folders.pop(0)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "echo hi"})]), "done"])
    async with remembered.world.running(client, **HASTE) as talk:
        assert [failed for _, failed in await results(talk)] == [False]
        assert talk.extensions.subscribers.interceptors("tool_call", "bash") == []


SLOW = """
import os
say(type="hello", name="slow", capabilities=["tools", "commands"])
if not os.path.exists("again"):
    open("again", "w").close()
    say(type="register_tool", name="go", description="", schema={})
    say(type="ready")
until("shutdown")
"""


async def test_a_call_waits_for_a_process_that_is_never_ready_only_so_long(world: World) -> None:
    world.add_raw("slow", RAW + SLOW)
    world.declare("slow", remember=True)
    async with world.running():
        pass
    client = ScriptedClient([Turn(calls=[Call("go", {})]), "done"])
    limits = HASTE | {"remembered_seconds": 0.05, "ready_idle_seconds": 600, "shutdown_seconds": 0.2}
    async with world.running(client, **limits) as talk:
        ((text, failed),) = await results(talk)
    assert (text, failed) == ("go cannot run: extension 'slow' was not ready within 0.05 s", True)


async def test_stopping_before_the_process_has_started_starts_nothing(remembered: Remembered) -> None:
    await remembered.run()
    async with remembered.world.running(**HASTE) as talk:
        member = talk.extensions.members[0]
        assert member.connection is not None
        assert member.connection.pid is None
    assert member.started.done()
    assert remembered.starts == 1


async def test_a_reload_waits_for_what_the_process_registers(remembered: Remembered) -> None:
    await remembered.run()
    remembered.register("three")
    async with remembered.world.running(start_delay_seconds=600.0) as talk:
        stats = await talk.extensions.reload()
        assert (stats.loaded, stats.ready) == (1, 1)
        assert tools(talk) == ["three"]


LATER = """
import os, threading
open(os.environ["STARTS"], "a").write("x")
@ext.command("more", "register another tool")
def more(args):
    ext.tool(name="late", description="a tool", schema={"type": "object"})(lambda args: "late works")
    ext.remove_tool("early")
ext.tool(name="early", description="a tool", schema={"type": "object"})(lambda args: "")
"""


async def test_what_is_registered_in_the_middle_of_a_run_is_remembered_too(remembered: Remembered) -> None:
    remembered.world.folders.clear()
    remembered.world.add("later", LATER, groups="tools2")
    remembered.world.declare("later", remember=True)
    async with remembered.world.running() as talk:
        assert tools(talk) == ["early"]
        await talk.command("more")
        await until(lambda: tools(talk) == ["late"])
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["late"]


async def test_a_file_that_zot_gives_to_the_program_counts_with_its_content_and_not_with_its_name(
    tmp_path: Path,
) -> None:
    def place(name: str, content: str) -> str:
        given = tmp_path / name
        given.write_text(content)
        manifest = Manifest("x", exec="x", args=("--file", str(given)))
        found = DiscoveredExtension("x", str(tmp_path), "bundled", manifest, reads=[str(given)])
        return RememberedRegistrations(found, str(tmp_path), DEFAULT_LIMITS, lambda line: None).path

    assert place("one", "servers") == place("two", "servers") != place("two", "other servers")


async def test_only_so_many_extensions_are_remembered(remembered: Remembered) -> None:
    folder = remembered.world.root / "zot" / "remembered"
    folder.mkdir(parents=True)
    for number in range(MOST_FILES + 10):
        path = folder / f"{number}.jsonl"
        path.touch()
        os.utime(path, (number, number))
    await remembered.run()
    assert len(remembered.files) == MOST_FILES
    assert not (folder / "10.jsonl").exists()
    assert (folder / "11.jsonl").exists()


async def test_two_runs_at_the_same_time_do_not_disturb_each_other(remembered: Remembered) -> None:
    await asyncio.gather(*(remembered.run() for _ in range(3)))
    async with remembered.world.running(**HASTE) as talk:
        assert tools(talk) == ["one", "two"]


BUSY = """
say(type="hello", name="busy", capabilities=["tools", "ready"])
open("go").read()
say(type="register_tool", name="go", description="", schema={})
say(type="ready")
until("shutdown")
"""


async def test_a_run_of_one_prompt_waits_longer_for_an_extension_that_still_registers(world: World) -> None:
    world.add_raw("busy", RAW + BUSY)
    gate = world.root / "extensions" / "busy" / "go"
    os.mkfifo(gate)
    limits = ExtensionLimits(ready_total_seconds=0.0, busy_seconds=600, ready_idle_seconds=0.0, hello_seconds=60)
    extensions = Extensions(
        world.find, lambda: AgentInfo(str(world.root), "", "", ""), ExtensionSetup(str(world.root / "zot"), limits)
    )
    extensions.start()
    try:
        await until(lambda: extensions.members[0].running)
        waiting = asyncio.create_task(extensions.ready())
        await asyncio.sleep(0.05)  # for longer than the silence after which another extension counts as ready
        assert extensions.tools == []
        assert not waiting.done()
        gate.write_text("")
        await waiting
        assert [offer.name for offer in extensions.tools] == ["go"]
    finally:
        await extensions.close()
