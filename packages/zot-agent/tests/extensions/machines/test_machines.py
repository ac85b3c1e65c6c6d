"""zot's own tools on the machine of an extension, which is a real process; the machine is a folder."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from calling_extension import PATIENT
from waiting import TIME_LIMITS, until

from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.log import log_path
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup
from zot_core import Runtime
from zot_core.conversation import events
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ExtensionEvent
from zot_core.conversation.shell_command import ShellCommand
from zot_core.events import ToolProgress, ToolResultEvent
from zot_ext.limits import ExtensionLimits
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

PROGRAM = Path(__file__).parents[1] / "programs" / "machine.py"


def patient(**named: float) -> ExtensionLimits:
    """Limits that a slow machine does not reach, but for those that are named."""
    return ExtensionLimits(**(PATIENT | named))


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c63f80f00010101001bb6ee560000000049454e44ae426082"
)


class World:
    """A project here, machines, and the extensions that offer them."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.project = root, root / "home", root / "project"
        self.project.mkdir()
        self.folders: list[str] = []
        self.told: list[ExtensionEvent] = []

    def offer(self, *options: str, name: str = "machine", **manifest: Any) -> Path:
        """Make an extension, and return the folder that is its machine."""
        folder, machine = self.root / name, self.root / f"{name}-files"
        for each in (folder, machine / "srv", machine / "home/me"):
            each.mkdir(parents=True, exist_ok=True)
        about = {"name": name, "exec": sys.executable, "args": [str(PROGRAM), str(machine), f"name={name}", *options]}
        (folder / "extension.json").write_text(json.dumps(about | manifest))
        if str(folder) not in self.folders:
            self.folders.append(str(folder))
        return machine / "srv"

    @asynccontextmanager
    async def open(self, limits: ExtensionLimits | None = None, **flags: bool | int | str) -> AsyncIterator["Work"]:
        client = ScriptedClient()
        async with Conversation(Runtime("scripted", client=client, cwd=self.project)) as conversation:
            extensions = Extensions(
                lambda: discover(self.folders, str(self.project), str(self.home)),
                lambda: AgentInfo(str(self.project), "scripted", "scripted", ""),
                ExtensionSetup(str(self.home), limits or patient(), flags=flags),
                ExtensionOwner(conversation),
            )
            extensions.events.add(self.told.append)
            extensions.attach(conversation.runtime.agent)
            conversation.attach(extensions)
            extensions.start()
            try:
                await extensions.ready()
                yield Work(conversation, client, extensions)
            finally:
                await extensions.close()

    def notes(self) -> list[str]:
        return [each.message for each in self.told if isinstance(each, events.Notify)]

    def log(self, name: str = "machine") -> str:
        return Path(log_path(str(self.home), name)).read_text()


def text_of(result: ToolResultEvent) -> str:
    return "".join(each.text for each in result.content if isinstance(each, TextBlock)).removesuffix("\n")


class Work:
    """A conversation whose model calls what it is given."""

    def __init__(self, conversation: Conversation, client: ScriptedClient, extensions: Extensions) -> None:
        self.conversation, self.client, self.extensions = conversation, client, extensions
        self.agent = conversation.runtime.agent
        self.result: ToolResultEvent | None = None

    async def call(self, tool: str, **arguments: object) -> str:
        """What the model reads when it calls `tool`, without the last line break."""
        self.client.add(Turn(calls=[Call(tool, arguments)]), "done")
        found = [each async for each in self.conversation.prompt("go") if isinstance(each, ToolResultEvent)]
        self.result = found[0]
        return text_of(found[0])

    async def fails(self, tool: str, **arguments: object) -> str:
        text = await self.call(tool, **arguments)
        assert self.result is not None
        assert self.result.is_error, text
        return text


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_every_file_tool_and_bash_work_there_and_nothing_happens_here(world: World) -> None:
    there = world.offer()
    (there / "sub").mkdir()
    (there / "sub" / "a.py").write_text("one\ntwo\n")
    (there / "odd 'name'\n\u2028.txt").write_text("odd two\n")
    (there / ".gitignore").write_text("*.log\n")
    (there / "x.log").write_text("two\n")
    (there / "image.png").write_bytes(PNG)
    (there.parent / "home/me/notes").write_text("from home")
    (world.project / "here.py").write_text("two\n")
    async with world.open() as work:
        assert await work.call("read", path="sub/a.py") == "one\ntwo"
        assert await work.call("read", path="~/notes") == "from home"
        assert await work.call("read", path="odd 'name'\n\u2028.txt") == "odd two"
        await work.call("read", path="image.png")
        assert work.result is not None
        assert isinstance(work.result.content[0], ImageBlock)
        wrote = await work.call("write", path="new/deep/b.txt", content="b\n")
        assert wrote == "wrote 1 line (2 bytes) to new/deep/b.txt"
        edited = await work.call("edit", path="sub/a.py", edits=[{"oldText": "two", "newText": "three"}])
        assert edited == "changed sub/a.py\n@@ -2,+2 @@"
        assert (there / "sub" / "a.py").read_text() == "one\nthree\n"
        assert (await work.call("ls")).startswith(".gitignore\nimage.png\nnew/\nodd")
        assert await work.call("glob", pattern="*.txt") == "new/deep/b.txt\nodd 'name'\n\u2028.txt"
        assert await work.call("find", pattern="*.py") == "sub/a.py"
        assert await work.call("grep", pattern="two|three") == "odd 'name'\n\u2028.txt:1: odd two\nsub/a.py:2: three"
        assert "no such file: nothing" in await work.fails("read", path="nothing")
        assert await work.call("read", path="sub") == "a.py"
        printed = await work.call("bash", command="cat sub/a.py; pwd; echo $AI_AGENT")
        assert f"one\nthree\n{there}\nzot\n\n[exit 0]" in printed
        assert "[exit 7]" in await work.fails("bash", command="exit 7")
        ended: list[str] = []
        work.conversation.events.add(lambda e: ended.append(e.result.text) if isinstance(e, events.ShellEnd) else None)
        await work.conversation.shell(ShellCommand("cat sub/a.py"))
        assert "one\nthree" in ended[0]
        system = work.client.requests[-1].system
        assert "another machine, me@machine" in system
        assert "/srv" in system
    assert [each.name for each in world.project.iterdir()] == ["here.py"]
    assert world.notes()[0] == "the tools use me@machine: /srv; /undo does not cover what they change there"


async def test_large_files_are_read_and_written_in_pieces(world: World) -> None:
    there = world.offer()
    (there / "large").write_bytes(b"0123456789abcde\n" * 40_000 + b"end\n")
    async with world.open() as work:
        files = work.agent.context.files
        assert await files.read("/srv/large") == (there / "large").read_bytes()
        assert await files.read("/srv/large", 300_000) == (there / "large").read_bytes()[:300_000]
        data = bytes(range(256)) * 40_000
        await files.write("/srv/binary", data)
        assert (there / "binary").read_bytes() == data
        with pytest.raises(OSError, match="more than 32 MiB"):
            await files.write("/srv/huge", bytes(33 << 20))
        assert await work.call("read", path="large", offset=40_001) == "end\n[line 40001 of 40001]"


async def test_a_long_output_is_kept_here_and_can_be_read(world: World) -> None:
    world.offer()
    async with world.open() as work:
        text = await work.call("bash", command="seq 1 30000")
        assert work.result is not None
        path = work.result.details["full_output_path"]
        assert path in text
        assert await work.call("read", path=path, offset=15_000, limit=1) == "15000\n[line 15000 of 30000]"
        assert "15000" in await work.call("grep", pattern="^15000$", path=path)
        assert "permission denied" in await work.fails("write", path=path, content="x")
    assert not Path(path).exists()


async def test_a_command_is_ended_at_its_time_limit_and_when_the_person_stops_it(world: World) -> None:
    there = world.offer()
    async with world.open() as work:
        for limit in TIME_LIMITS:
            text = await work.fails("bash", command="echo begun; sleep 600", timeout=limit)
            assert f"timed out after {limit:g} s" in text
            if "begun\n" in text:
                break
        else:
            pytest.fail(text)
        work.client.add(Turn(calls=[Call("bash", {"command": "echo $$ > pid; echo begun; exec sleep 600"})]), "done")
        run = work.conversation.prompt("go")
        async for event in run:
            if isinstance(event, ToolProgress):
                run.cancel()
        pid = int((there / "pid").read_text())
        await until(lambda: not Path(f"/proc/{pid}").exists())


async def test_an_extension_that_does_not_end_a_command_is_not_waited_for(world: World) -> None:
    world.offer("stubborn")
    async with world.open(patient(op_cancel_seconds=0.2)) as work:
        text = await work.fails("bash", command="sleep 5", timeout=0.2)
        assert "did not confirm that the command was ended after 0.2 s" in text


async def test_a_job_runs_there_and_its_end_is_reported(world: World) -> None:
    world.offer()
    async with world.open() as work:
        assert "job 1" in await work.call("bash", command="echo hi; hostname >/dev/null", background=True)
        assert "hi" in await work.call("job", action="output", id="1", wait=60)


async def test_commands_alone_can_run_elsewhere(world: World) -> None:
    there = world.offer("exec")
    (world.project / "here.py").write_text("here")
    (there.parent / str(world.project).lstrip("/")).mkdir(parents=True)
    async with world.open() as work:
        assert await work.call("read", path="here.py") == "here"
        assert str(there.parent) in await work.call("bash", command="pwd")
        assert "commands of `bash` run on another machine" in work.client.requests[-1].system
    assert world.notes()[0].startswith("commands run on me@machine;")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("bash", {"command": "die"}), ("write", {"path": "die", "content": "x"}), ("read", {"path": "die"})],
)
async def test_after_the_owner_has_died_tools_fail_until_the_person_reloads(
    world: World, tool: str, arguments: dict[str, object]
) -> None:
    there = world.offer()
    (there / "die").write_text("")
    (world.project / "here").write_text("here")
    async with world.open() as work:
        assert "me@machine cannot be used any more: extension 'machine' " in await work.fails(tool, **arguments)
        for later, more in (
            ("bash", {"command": "touch here2"}),
            ("grep", {"pattern": "x"}),
            ("read", {"path": "here"}),
        ):
            assert "cannot be used any more" in await work.fails(later, **more)
        assert [each.name for each in world.project.iterdir()] == ["here"]
        assert "the tools cannot use its machine any more; run /reload-ext" in world.notes()
        world.offer("later")
        await work.extensions.reload()
        assert world.notes()[-1] == "the tools use this machine again"
        assert await work.call("read", path="here") == "here"


async def test_a_write_into_which_the_machine_vanishes_says_that_the_content_is_unknown(world: World) -> None:
    world.offer()
    async with world.open() as work:
        text = await work.fails("write", path="lost", content="x")
        assert text == (
            "me@machine cannot be used: the cable was cut. It is not known whether /srv/lost has the old or the new "
            "content"
        )
        assert await work.call("write", path="found", content="x") == "wrote 1 line (1 byte) to found"


async def test_an_operation_without_an_answer_fails_after_a_time(world: World) -> None:
    there = world.offer()
    (there / "hang").write_text("x")
    async with world.open(patient(op_seconds=0.3)) as work:
        assert "did not answer within 0.3 s" in await work.fails("read", path="hang")
        assert "did not answer within" in await work.fails("grep", pattern="x")
        assert await work.call("bash", command="true")


async def test_a_flood_of_output_leaves_the_program_usable(world: World) -> None:
    world.offer()
    async with world.open() as work:
        text = await work.call("bash", command="flood")
        assert "full output: " in text
        assert work.result is not None
        assert Path(work.result.details["full_output_path"]).stat().st_size == 4000 * 8192


async def test_frames_that_fit_nothing_are_dropped_and_those_that_are_wrong_fail_their_call(world: World) -> None:
    world.offer()
    async with world.open() as work:
        assert "data is not base64" in (await work.fails("bash", command="garbage")).replace("field 'data'", "data")
        assert "[exit 0]" in await work.call("bash", command="stray")
        assert "which runs no command" in world.log()
        assert "nobody asked for it" in world.log()


@pytest.mark.parametrize(
    ("option", "call", "words"),
    [
        ("climbs", ("ls", {}), "'../../secret' is not the name of a file"),
        ("greedy", ("read", {"path": "large"}), "were asked for"),
        ("unreal", ("read", {"path": "large"}), "'nowhere' is no absolute path"),
    ],
)
async def test_what_no_machine_would_answer_is_refused(
    world: World, option: str, call: tuple[str, dict[str, object]], words: str
) -> None:
    there = world.offer(option)
    (there / "large").write_bytes(bytes(300_000))
    async with world.open() as work:
        assert words in await work.fails(call[0], **call[1])


async def test_of_two_extensions_the_first_has_the_tools_until_it_gives_them_back(world: World) -> None:
    for name in ("alpha", "beta"):
        (world.offer("later", name=name) / "who").write_text(name)
    (world.project / "who").write_text("here")
    async with world.open() as work:

        async def run(command: str) -> None:
            await work.conversation.run_command(command)

        await run("alpha-on")
        await until(lambda: "the tools use me@alpha: /srv" in "\n".join(world.notes()))
        await run("beta-on")
        await until(
            lambda: world.notes()[-1] == "the tools do not use me@beta: they use the machine of extension alpha"
        )
        assert "me@beta" in world.log("beta")
        assert await work.call("read", path="who") == "alpha"
        await run("beta-off")
        assert await work.call("read", path="who") == "alpha"
        await run("alpha-off")
        await until(lambda: world.notes()[-1] == "the tools use this machine again")
        assert await work.call("read", path="who") == "here"
        await run("beta-on")
        await until(lambda: "the tools use me@beta: /srv" in "\n".join(world.notes()))
        assert await work.call("read", path="who") == "beta"
        await work.extensions.close()
        assert await work.call("read", path="who") == "here"


async def test_a_change_during_a_run_waits_for_the_next_model_call(world: World) -> None:
    (world.offer("later") / "who").write_text("there")
    (world.project / "who").write_text("here")
    async with world.open() as work:
        switched = asyncio.Event()

        async def switch(call: Any) -> None:
            if not switched.is_set():
                switched.set()
                await work.extensions.run_command("machine-on")
                await until(lambda: bool(world.notes()))

        work.agent.hooks.tool_run.add(switch)
        read = Call("read", {"path": "who"})
        work.client.add(Turn(calls=[read]), Turn(calls=[read]), "done")
        found = [each async for each in work.conversation.prompt("go") if isinstance(each, ToolResultEvent)]
        assert [text_of(each) for each in found] == ["here", "there"]


async def test_a_reload_during_a_run_does_not_move_the_rest_of_it_here(world: World) -> None:
    world.offer()
    async with world.open() as work:

        async def reload(call: Any) -> None:
            world.offer("later")
            await work.extensions.reload()

        remove = work.agent.hooks.tool_run.add(reload)
        assert "cannot be used any more" in await work.fails("bash", command="touch here")
        remove()
        assert not (world.project / "here").exists()
        await work.call("bash", command="touch here")
        assert (world.project / "here").exists()


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"name": "me", "cwd": "srv"}, "cwd must be an absolute path"),
        ({"name": "me", "cwd": "/srv/../etc"}, "cwd must be an absolute path"),
        ({"name": "me", "cwd": "/srv", "home": "~"}, "home must be an absolute path"),
        ({"name": "a\u001b[31mb", "cwd": "/srv"}, "characters that can be read"),
        ({"name": " ", "cwd": "/srv"}, "characters that can be read"),
        ({"name": "me", "cwd": "/srv", "ops": ["dance"]}, "there are no operations 'dance'"),
    ],
)
async def test_a_machine_that_cannot_be_used_is_refused(world: World, frame: dict[str, object], words: str) -> None:
    folder = world.root / "raw"
    folder.mkdir()
    lines = [
        {"type": "hello", "name": "raw", "capabilities": ["tool_ops"]},
        {"type": "register_tool_ops", **frame},
        {"type": "ready"},
    ]
    program = "import sys\nfor each in %r: print(each, flush=True)\nsys.stdin.read()" % [
        json.dumps(each) for each in lines
    ]
    (folder / "extension.json").write_text(json.dumps({"name": "raw", "exec": sys.executable, "args": ["-c", program]}))
    world.folders.append(str(folder))
    async with world.open() as work:
        await until(world.notes)
        assert words in world.notes()[0]
        assert work.agent.place.machine is None


async def test_an_extension_without_the_permission_or_the_group_is_refused(world: World) -> None:
    world.offer(permissions={"commands": True, "read": True, "write": True, "network": True, "exec": True})
    async with world.open() as work:
        assert "the permissions of its manifest do not have tool_ops" in world.notes()[0]
        assert work.agent.place.machine is None
    world.told.clear()
    world.offer(
        permissions={"tool_ops": True, "commands": True, "read": True, "write": True, "network": True, "exec": True}
    )
    async with world.open() as work:
        assert work.agent.place.machine is not None


async def test_without_the_extension_whose_flag_is_given_nothing_runs(world: World) -> None:
    world.offer("later", flags=[{"name": "far", "type": "string", "default": ""}])
    async with world.open(far="me@far") as work:
        assert await work.call("bash", command="true")
    world.offer(exec="/no/such/program", flags=[{"name": "far", "type": "string", "default": ""}])
    async with world.open(far="me@far") as work:
        work.client.add("never")
        run = work.conversation.prompt("go")
        assert await run == "refused"
        assert work.client.requests == []
    async with world.open() as work:
        assert await work.call("bash", command="true")
