"""What is open when an extension dies, zot reloads or ends it, or the conversation continues in another session."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from calling_extension import RAW, Person, World
from processes import runs
from waiting import until

from zot_core.conversation.commands import CommandError
from zot_provider.testing import Call, ScriptedClient, Turn

DIES = "import os, signal, threading\nthreading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
"""Makes a program kill itself a moment later."""


async def test_a_dialog_closes_when_its_owner_dies_and_who_waits_learns_of_it(world: World) -> None:
    body = "".join(f"    {line}\n" for line in DIES.splitlines())
    world.add("dying", f"@ext.command('ask')\ndef ask(_):\n{body}    ext.ui.confirm('stay?')\n")
    world.add("other", "@ext.command('other')\ndef other(_):\n    return 'here'\n", "")
    person = Person()
    async with world.running(ask=person) as talk:
        with pytest.raises(CommandError, match="'dying' was ended by SIGKILL"):
            await talk.command("ask")
        await until(lambda: person.closed == ["stay?"])
        assert await talk.command("other") == "here"


@pytest.mark.parametrize(("policy", "ran"), [("allow", True), ("block", False)])
async def test_a_guard_that_dies_while_it_asks_the_person_does_what_it_asked_for(
    world: World, policy: str, *, ran: bool
) -> None:
    body = "".join(f"    {line}\n" for line in DIES.splitlines())
    guard = f"def guard(call):\n{body}    ext.ui.confirm('may it?')\n"
    world.add("guard", f"@ext.intercept('tool_call', on_exit={policy!r})\n{guard}")
    person = Person()
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "done"])
    async with world.running(client, ask=person) as talk:
        assert await talk.conversation.prompt("go") == "completed"
        await until(lambda: person.closed == ["may it?"])
        assert Path(talk.runtime.cwd, "ran").exists() == ran


async def test_a_dialog_outlives_a_change_of_the_session_but_writes_nothing_into_the_other_one(world: World) -> None:
    world.add(
        "asking",
        "@ext.command('ask')\ndef ask(_):\n"
        "    with ext.session.only(ext.session.info()['id']):\n"
        "        try:\n"
        "            answer = ext.ui.input('which?')\n"
        "            ext.session.append('answer', answer)\n"
        "        except HostError as error:\n            return error.code\n"
        "    return answer\n",
    )
    asked, answered = asyncio.Event(), asyncio.Event()

    class Slow(Person):
        async def __call__(self, dialog: object) -> object:  # type: ignore[override]
            asked.set()
            await answered.wait()
            return await super().__call__(dialog)  # type: ignore[arg-type]

    async with world.running(ask=Slow("this"), session=True) as talk:  # type: ignore[arg-type]
        command = asyncio.create_task(talk.command("ask"))
        await asked.wait()
        await talk.conversation.new_session()
        answered.set()
        assert await command == "stale_session"
        assert (await talk.conversation.branches.tree()).ids == []


OPEN = """
@ext.command("dialog")
def dialog(_):
    ext.ui.confirm("stay?")

@ext.command("program")
def program(_):
    ext.programs.run(["sh", "-c", "echo $$ > pid; exec sleep 1000"])

@ext.command("model")
def model(_):
    ext.model.complete("say")

@ext.command("stream")
def stream(_):
    ext.model.complete("say", progress=lambda text: ext.log("streamed", text))

@ext.command("tool")
def tool(_):
    ext.tools.call("bash", command="echo $$ > pid; exec sleep 1000")

@ext.command("time")
def time(_):
    ext.more_time(600)
    idle(_)

@ext.command("idle")
def idle(_):
    import time
    ext.log("idle")
    time.sleep(1000)

@ext.command("here")
def here(_):
    return "here"
"""


@pytest.mark.parametrize("what", ["dialog", "program", "model", "stream", "tool", "time", "idle"])
async def test_a_reload_ends_what_is_open_and_the_new_process_works(world: World, what: str) -> None:
    world.add("busy", OPEN, "ui model exec call_tool cancel")
    person, client = Person(), ScriptedClient([Turn("never", delay=600)])
    async with world.running(client, ask=person, kill_seconds=0.2, shutdown_seconds=0.2) as talk:
        open_one = asyncio.create_task(talk.command(what))
        pid = Path(talk.runtime.cwd, "pid")
        begun = {
            "dialog": lambda: bool(person.shown),
            "program": lambda: pid.exists() and pid.read_text() != "",
            "tool": lambda: pid.exists() and pid.read_text() != "",
            "model": lambda: bool(client.requests),
            "stream": lambda: bool(client.requests),
            "time": lambda: "idle" in talk.log("busy"),
            "idle": lambda: "idle" in talk.log("busy"),
        }
        await until(lambda: open_one.done() or begun[what]())
        assert not open_one.done()
        tasks = asyncio.all_tasks()
        assert (await talk.extensions.reload()).ready == 1
        with suppress(CommandError):
            await open_one
        assert await talk.command("here") == "here"
        await until(lambda: person.closed == (["stay?"] if what == "dialog" else []))
        await until(lambda: client.cancelled == len(client.requests))
        await until(lambda: {task for task in asyncio.all_tasks() if "extension" in task.get_name()}.isdisjoint(tasks))
        if what in ("program", "tool"):
            await until(lambda: not runs(int(pid.read_text())))


@pytest.mark.parametrize(("policy", "ran"), [("allow", True), ("block", False)])
async def test_a_reload_while_a_guard_is_asked_does_what_the_guard_asked_for(
    world: World, policy: str, *, ran: bool
) -> None:
    guard = "def guard(call):\n    import time\n    ext.log('asked')\n    time.sleep(1000)\n"
    world.add("guard", f"@ext.intercept('tool_call', on_exit={policy!r})\n{guard}")
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "touch ran"})]), "done"])
    async with world.running(client, kill_seconds=0.2, shutdown_seconds=0.2) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: "asked" in talk.log("guard"))
        assert (await talk.extensions.reload()).ready == 1
        assert await run == "completed"
        assert Path(talk.runtime.cwd, "ran").exists() == ran


async def test_a_reload_while_an_extension_waits_for_the_run_or_its_message_leaves_both(world: World) -> None:
    waits = "@ext.command('idle')\ndef idle(_):\n    ext.log('idle')\n    ext.control.wait_idle()\n"
    waits += "@ext.command('send')\ndef send(_):\n    ext.messages.send('late', deliver_as='follow_up', wait=True)\n"
    world.add("waits", waits, "control messages")
    client = ScriptedClient([Turn("one two", delay=600)])
    async with world.running(client, kill_seconds=0.2, shutdown_seconds=0.2) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: bool(client.requests))
        commands = [asyncio.create_task(talk.command(name)) for name in ("idle", "send")]
        await until(lambda: talk.conversation.unread == ["late"] and "idle" in talk.log("waits"))
        assert (await talk.extensions.reload()).ready == 1
        for each in commands:
            with pytest.raises(CommandError):
                await each
        assert talk.conversation.busy
        run.cancel()
        assert await run == "aborted"
        assert talk.conversation.unread == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("ui.confirm", "{'title': '?'}"),
        ("exec.run", "{'argv': ['touch', 'ran']}"),
        ("messages.send", "{'text': 'hello'}"),
        ("model.complete", "{'prompt': 'hello'}"),
        ("session.append", "{'custom_type': 'late', 'data': 1}"),
    ],
)
async def test_nothing_is_done_for_an_extension_after_its_shutdown(world: World, method: str, params: str) -> None:
    groups = "['ui', 'exec', 'messages', 'model', 'session']"
    raw = RAW + f"say(type='hello', name='raw', capabilities={groups})\nsay(type='ready')\nuntil('shutdown')\n"
    raw += f"ask('1', {method!r}, params={params})\nsay(type='shutdown_ack')\n"
    world.add_raw("raw", raw)
    person, client = Person(), ScriptedClient()
    async with world.running(client, ask=person) as talk:
        await talk.extensions.close()
        await talk.conversation.idle()
        assert (person.shown, client.requests, (await talk.conversation.branches.tree()).ids) == ([], [], [])
        assert not Path(talk.runtime.cwd, "ran").exists()


async def test_a_command_while_all_extensions_are_being_stopped_says_that_there_is_none(world: World) -> None:
    world.add("busy", OPEN, "")
    async with world.running() as talk:
        reload = asyncio.create_task(talk.extensions.reload())
        await until(lambda: not talk.extensions.members)
        with pytest.raises(CommandError, match="there is no command /here"):
            await talk.command("here")
        await reload
        assert await talk.command("here") == "here"
