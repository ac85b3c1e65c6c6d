"""Other sessions and other entries: what a slash command of an extension changes."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from calling_extension import CALLER, RAW, Talk, World
from waiting import until

from zot_agent.config.paths import sessions_root
from zot_core.conversation.events import Display, SessionStart, SessionTreeMove
from zot_core.conversation.extensions import FrontEndActions
from zot_core.sessions.branch import first_meta
from zot_core.sessions.file import load
from zot_provider.testing import Call, ScriptedClient, Turn


async def changed(talk: Talk, method: str, **params: Any) -> dict[str, Any]:
    """The result of a call that must work."""
    answer = await talk.call(method, **params)
    assert "result" in answer, answer
    return dict(answer["result"])


def texts(talk: Talk) -> list[str]:
    return [message.text for message in talk.runtime.messages]


async def test_a_command_begins_a_new_session_with_its_first_messages(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(ScriptedClient(["one", "two"]), session=True) as talk:
        await talk.conversation.prompt("first")
        old = talk.runtime.session
        assert old is not None
        messages = [
            {"text": "Known so far: nothing", "display_text": "handed over"},
            {"role": "assistant", "text": "ok"},
        ]
        place = await changed(talk, "session.new", parent=True, messages=messages)
        new = talk.runtime.session
        assert new is not None
        assert new.path != old.path
        assert place == {"session_id": new.meta.session_id, "entry": talk.runtime.messages[-1].id, "messages": 2}
        assert talk.told[-1] == SessionStart(new.meta.session_id)
        await talk.conversation.prompt("second")
        assert texts(talk) == ["Known so far: nothing", "ok", "second", "two"]
        assert texts(talk) == [message.text for message in load(new.path).messages]
        assert [message.text for message in load(old.path).messages] == ["first", "one"]
        meta = first_meta(new.path)
        assert meta is not None
        assert meta.other == {"parent": old.meta.id}
        for wrong in ([5], [{}], [{"text": ""}], [{"text": "x", "role": "tool"}]):
            assert (await talk.call("session.new", messages=wrong))["code"] == "invalid"
        assert (await talk.call("session.new", messages=[{"text": "x"}] * 1001))["code"] == "too_large"


async def test_a_command_forks_clones_and_moves_in_the_tree(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["one", "two", "what was left"])
    async with world.running(client, session=True) as talk:
        for text in ("first", "second"):
            await talk.conversation.prompt(text)
        ids = [message.id for message in talk.runtime.messages]
        begun = talk.runtime.state.session_id
        assert (await changed(talk, "session.fork", entry=ids[2], position="before"))["messages"] == 2
        assert texts(talk) == ["first", "one"]
        assert talk.runtime.state.session_id != begun
        assert (await changed(talk, "session.fork"))["messages"] == 2
        await changed(talk, "session.navigate", entry=ids[0], summarise=True, instructions="the names", label="here")
        assert isinstance(talk.told[-1], SessionTreeMove)
        assert texts(talk)[0] == "first"
        assert texts(talk)[1].endswith("what was left")
        assert "the names" in client.requests[-1].messages[-1].text
        tree = await talk.conversation.branches.tree()
        assert tree.labels == {talk.runtime.messages[-1].id: "here"}
        branch = await changed(talk, "session.entries", to=ids[1], content=True)
        assert [each["content"][0]["text"] for each in branch["entries"]] == ["first", "one"]
        assert (await talk.call("session.navigate", entry="no"))["code"] == "not_found"
        assert (await talk.call("session.fork", entry="no"))["code"] == "not_found"
        assert (await talk.call("session.fork", entry=ids[0], position="after"))["code"] == "invalid"
        assert (await talk.call("session.entries", to="no"))["code"] == "not_found"


async def test_a_summary_that_is_stopped_is_cancelled_and_nothing_has_changed(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient(["one", Turn("too late", delay=60)])
    async with world.running(client, session=True) as talk:
        await talk.conversation.prompt("first")
        first, before = talk.runtime.messages[0].id, texts(talk)
        moving = asyncio.ensure_future(talk.call("session.navigate", entry=first, summarise=True))
        await until(lambda: len(client.requests) == 2)
        talk.conversation.interrupt()
        assert await moving == {"code": "cancelled", "error": "the summary was stopped, so nothing has changed"}
        assert texts(talk) == before


async def test_a_command_that_moves_restores_files_unless_they_were_edited_since(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("write", {"path": "a", "content": "two"})]), "done"])
    async with world.running(client, session=True, saves=True) as talk:
        file = Path(talk.runtime.cwd) / "a"
        file.write_text("one")
        await talk.conversation.prompt("change it")
        assert file.read_text() == "two"
        file.write_text("mine")
        move = {"entry": talk.runtime.messages[0].id, "position": "before", "restore": "both"}
        refused = await changed(talk, "session.navigate", **move)
        assert (refused["edited"], refused["messages"]) == ([str(file)], 4)
        moved = await changed(talk, "session.navigate", **move, force=True)
        assert (moved["restored"], moved["messages"], file.read_text()) == ([str(file)], 0, "one")
        assert (await talk.call("session.navigate", **{**move, "restore": "all"}))["code"] == "invalid"


async def test_an_undo_is_refused_while_a_job_runs_and_can_stop_it(world: World) -> None:
    world.add("caller", CALLER)
    job = Call("bash", {"command": "exec sleep 1000", "background": True})
    client = ScriptedClient([Turn(calls=[job, Call("write", {"path": "a", "content": "1"})]), "done"])
    async with world.running(client, session=True, saves=True) as talk:
        file = Path(talk.runtime.cwd) / "a"
        await talk.conversation.prompt("change it")
        refused = "job 1 runs in the background and may change files; stop it first: exec sleep 1000"
        assert await talk.call("session.undo") == {"code": "jobs_running", "error": refused}
        assert file.read_text() == "1"
        assert (await changed(talk, "session.undo", stop_jobs=True))["restored"] == [str(file)]
        assert not file.exists()
        assert talk.runtime.agent.context.jobs.running == []


async def test_a_command_that_runs_as_a_prompt_changes_the_session_and_prompts_it(world: World) -> None:
    body = (
        "@ext.command('hand')\ndef hand(args):\n"
        "    ext.model.set('other')\n    place = ext.session.new(['about it'])\n"
        "    ext.session.navigate(place['entry'], position='before', summarise=True)\n    return prompt(args)\n"
    )
    world.add("caller", body)
    client = ScriptedClient(["one", "the summary", "two"])
    async with world.running(client, session=True) as talk:
        await talk.conversation.prompt("first")
        assert await talk.conversation.prompt("/hand go on") == "completed"
        assert texts(talk)[0].endswith("the summary")
        assert texts(talk)[1:] == ["go on", "[Mode yolo from here on: every call runs.]", "two"]
        assert client.requests[-1].model.id == "other"


async def test_prompts_that_wait_keep_a_command_from_changing_the_session(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(ScriptedClient(["one"]), session=True) as talk:
        run = talk.conversation.prompt("/call " + json.dumps({"method": "session.new", "params": {}}))
        talk.conversation.prompt("later")
        await run
        shown = next(event for event in talk.told if isinstance(event, Display))
        assert json.loads(shown.text)["code"] == "busy"


async def test_the_session_stays_while_a_tool_runs(world: World) -> None:
    world.add("caller", CALLER)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "sleep 3600"})])])
    async with world.running(client, session=True) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(event, "type", "") == "tool_call" for event in talk.told))
        entry = talk.runtime.messages[0].id
        for method, params in (
            ("session.new", {}),
            ("session.fork", {}),
            ("session.fork", {"entry": entry}),
            ("session.undo", {}),
            ("session.navigate", {"entry": entry, "summarise": True}),
        ):
            assert (await talk.call(method, **params))["code"] == "busy"
        run.cancel()
        assert await run == "aborted"
        assert texts(talk)[0] == "go"


async def test_only_the_handler_of_a_command_changes_the_session(world: World) -> None:
    body = (
        "def code(act):\n    try:\n        act()\n    except HostError as error:\n        return error.code\n"
        "@ext.tool\ndef work() -> str:\n    'Work.'\n    return code(ext.session.new)\n"
        "@ext.on('turn_start')\ndef turn(_):\n    ext.log('event', code(ext.session.fork))\n"
    )
    world.add("worker", body)
    client = ScriptedClient([Turn(calls=[Call("work", {})]), "b"])
    async with world.running(client, session=True) as talk:
        await talk.conversation.prompt("go")
        assert texts(talk)[2:] == ["", "b"]
        assert "denied" in str(talk.runtime.messages[2].content)
        await until(lambda: "event denied" in talk.log("worker"))


async def test_where_the_session_cannot_change_the_reason_says_so(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(session=True, front_end="print") as talk:
        talk.conversation.actions = FrontEndActions(fixed_session="it answers one prompt")
        for method in ("session.new", "session.fork"):
            assert await talk.call(method) == {
                "code": "unavailable",
                "error": "the session cannot change in the mode print: it answers one prompt",
            }


async def test_a_call_for_the_session_before_a_switch_is_stale(world: World) -> None:
    body = (
        "@ext.command('go')\ndef go(_):\n    old = ext.session.info()['id']\n    found = []\n"
        "    with ext.session.only(old):\n        ext.session.append('mark', 1)\n        ext.session.new()\n"
        "        for act in (ext.session.fork, lambda: ext.session.append('mark', 2)):\n            try:\n"
        "                act()\n            except HostError as error:\n                found.append(error.code)\n"
        "    ext.session.append('mark', 3)\n    return str(found)\n"
    )
    world.add("caller", body)
    async with world.running(session=True) as talk:
        assert await talk.command("go") == "['stale_session', 'stale_session']"


async def test_a_command_lists_reads_and_opens_stored_sessions(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(ScriptedClient(["one"]), session=True) as talk:
        root = Path(sessions_root())
        root.mkdir(parents=True)
        (root / "a").mkdir()
        await talk.conversation.prompt("first")
        session = talk.runtime.session
        assert session is not None
        stored = root / "a" / os.path.basename(session.path)
        stored.write_bytes(Path(session.path).read_bytes())
        listed = await changed(talk, "session.list", scope="all")
        assert [each["title"] for each in listed["sessions"]] == ["first"]
        assert (await changed(talk, "session.list"))["sessions"] == []
        read = await changed(talk, "session.read", session=str(stored), content=True, kinds=["assistant"])
        assert [each["content"] for each in read["entries"]] == [[{"type": "text", "text": "one"}]]
        assert (await talk.call("session.read", session=session.path))["code"] == "not_found"
        assert (await talk.call("session.read", session="nothing"))["code"] == "not_found"
        assert (await talk.call("session.list", scope="moon"))["code"] == "invalid"
        assert (await talk.call("session.list", after="moon"))["code"] == "invalid"
        assert (await talk.call("session.list", limit=0))["code"] == "invalid"
        assert (await talk.call("session.open", session=str(stored)))["code"] == "unavailable"
        opened: list[str] = []

        async def open_session(path: str, *, fork: bool = False) -> list[str]:
            assert not fork
            opened.append(path)
            talk.conversation.open_session(path)
            return ["a line"]

        talk.conversation.actions = FrontEndActions(open_session)
        assert (await talk.call("session.open", session=session.path))["code"] == "not_found"
        place = await changed(talk, "session.open", session=str(stored))
        assert (place["notes"], place["messages"], opened) == (["a line"], 2, [str(stored)])
        assert (await talk.call("session.open", session=str(stored)))["code"] == "invalid"


@pytest.mark.parametrize("method", ["session.fork", "session.navigate", "session.undo"])
async def test_a_command_that_dies_in_the_middle_of_a_change_leaves_whole_sessions(world: World, method: str) -> None:
    body = RAW + (
        "say(type='hello', name='dying', capabilities=['session'])\nuntil('hello_ack')\nframe = command('die')\n"
        f"ask('1', {method!r}, params={{'entry': frame['args']}}, parent_id=frame['id'])\nsys.exit(1)\n"
    )
    world.add_raw("dying", body)
    async with world.running(ScriptedClient(["one", "two", "three"]), session=True) as talk:
        for text in ("first", "second"):
            await talk.conversation.prompt(text)
        before = talk.runtime.session
        assert before is not None
        entry = talk.runtime.messages[1].id
        await talk.conversation.prompt(f"/die {entry}")
        await until(lambda: talk.runtime.session is not before)
        await asyncio.sleep(0)
        await talk.conversation.prompt("third")
        after = talk.runtime.session
        assert after is not None
        assert texts(talk)[-2:] == ["third", "three"]
        files = sorted(Path(before.path).parent.glob("*.jsonl"))
        assert len(files) == 2
        assert [message.text for message in load(after.path).messages] == texts(talk)
