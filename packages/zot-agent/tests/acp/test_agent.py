"""The methods of the protocol, without a connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp.schema import ClientCapabilities, TextContentBlock
from acp_editor import Editor
from extension_folder import write_extension
from waiting import until

from zot_agent.acp.agent import AcpAgent
from zot_agent.host.options import HostOptions
from zot_core.aio import spawn
from zot_core.errors import SessionLocked, SessionNotFound
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.testing import Call, ScriptedServer, Turn


@asynccontextmanager
async def agent_of(server: ScriptedServer, editor: Editor | None = None, **more: Any) -> AsyncIterator[AcpAgent]:
    """An agent whose sessions use the scripted server. `more` are options of the host."""
    named = {"provider": "openai", "model": "scripted", "api_key": "k", "base_url": server.base_url("openai-chat")}
    agent = AcpAgent(HostOptions(**named | more), editor or Editor())
    try:
        yield agent
    finally:
        await agent.close()


async def ask(agent: AcpAgent, session: str) -> str:
    """Send a prompt; the stop reason."""
    return (await agent.prompt(session, [TextContentBlock(type="text", text="hi")])).stop_reason


async def begin(agent: AcpAgent, cwd: Path) -> str:
    """Start a session; its id."""
    return (await agent.new_session(str(cwd))).session_id


async def test_sessions_that_are_not_stored_have_different_ids(server: ScriptedServer, alone: Path) -> None:
    server.add("One.", "Two.")
    async with agent_of(server, no_session=True) as agent:
        ids = [await begin(agent, alone) for _ in range(2)]
        assert list(agent.sessions) == ids
        assert [await ask(agent, id) for id in ids] == ["end_turn", "end_turn"]


@pytest.mark.parametrize(
    ("cwd", "why"), [("src", "absolute path"), ("/nowhere/at/all", "no directory"), (__file__, "no directory")]
)
async def test_a_session_needs_a_directory(server: ScriptedServer, cwd: str, why: str) -> None:
    async with agent_of(server) as agent:
        with pytest.raises(ConfigError, match=why):
            await agent.new_session(cwd)
        assert agent.sessions == {}


async def test_an_open_session_stays_open_when_it_cannot_be_loaded_again(server: ScriptedServer, alone: Path) -> None:
    server.add("One.", "Two.")
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        await ask(agent, session)
        for reopen in (agent.load_session, agent.resume_session):
            with pytest.raises(ConfigError, match="no directory"):
                await reopen("/nowhere/at/all", session)
        assert await ask(agent, session) == "end_turn"


async def test_an_open_session_without_a_message_is_not_stored_and_stays_open(
    server: ScriptedServer, alone: Path
) -> None:
    server.add("One.")
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        with pytest.raises(SessionNotFound, match="nothing of it is stored yet"):
            await agent.resume_session(str(alone), session)
        assert await ask(agent, session) == "end_turn"


async def test_a_session_continues_in_the_directory_that_the_client_names(
    server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    server.add("One.")
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        await ask(agent, session)
        await agent.load_session(str(tmp_path), session)
        runtime = agent.sessions[session].host.runtime
        assert (runtime.cwd, len(runtime.messages)) == (str(tmp_path), 2)


async def test_a_copy_of_a_session_is_a_session_of_its_own(server: ScriptedServer, alone: Path, tmp_path: Path) -> None:
    server.add("One.", "Two.", "Three.")
    async with agent_of(server) as one, agent_of(server) as other:
        assert (await one.initialize(1)).agent_capabilities.session_capabilities.fork is not None
        session = await begin(one, alone)
        await ask(one, session)
        copies = [(await each.fork_session(str(tmp_path), session)).session_id for each in (one, other)]
        assert len({session, *copies}) == 3
        assert [await ask(one, session), await ask(one, copies[0])] == ["end_turn", "end_turn"]
        texts = [one.sessions[id].host.runtime.messages for id in (session, copies[0])]
        assert [messages[1].text + messages[-1].text for messages in texts] == ["One.Two.", "One.Three."]
        assert one.sessions[copies[0]].host.runtime.cwd == str(tmp_path)
        assert len(other.sessions[copies[1]].host.runtime.messages) == 2


@pytest.mark.parametrize("id", ["", "  ", "nothing-of-this-name"])
async def test_what_is_not_there_cannot_be_copied(server: ScriptedServer, alone: Path, id: str) -> None:
    async with agent_of(server) as agent, agent_of(server, no_session=True) as forgetful:
        began = await begin(agent, alone)
        for session in (id, began):
            with pytest.raises(SessionNotFound):
                await agent.fork_session(str(alone), session)
        assert [*agent.sessions] == [began]
        with pytest.raises(ConfigError, match="--no-session"):
            await forgetful.fork_session(str(alone), began)


async def test_a_session_is_locked_until_it_is_closed(server: ScriptedServer, alone: Path) -> None:
    server.add("One.", "Two.")
    async with agent_of(server) as one, agent_of(server) as other:
        session = await begin(one, alone)
        await ask(one, session)
        with pytest.raises(SessionLocked):
            await other.load_session(str(alone), session)
        assert other.sessions == {}
        await one.close_session(session)
        await other.load_session(str(alone), session)
        assert await ask(other, session) == "end_turn"


async def test_a_session_that_was_never_stored_or_is_closed_is_not_found(server: ScriptedServer, alone: Path) -> None:
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        await agent.close_session(session)
        for request in (agent.load_session(str(alone), session), agent.close_session(session), ask(agent, session)):
            with pytest.raises(SessionNotFound):
                await request


async def test_settings_that_cannot_be_read_are_reported_by_the_session_and_not_as_a_missing_key(
    server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    (tmp_path / "zot-home").mkdir()
    (tmp_path / "zot-home" / "models.json").write_text("{")
    async with agent_of(server) as agent:
        assert (await agent.initialize(1)).auth_methods == []
        await agent.authenticate("environment")
        with pytest.raises(ConfigError, match=r"models\.json"):
            await begin(agent, alone)


async def test_a_mode_is_shown_as_an_option_too_and_an_option_as_a_mode(server: ScriptedServer, alone: Path) -> None:
    editor = Editor()
    async with agent_of(server, editor, permission_mode="ask") as agent:
        began = await agent.new_session(str(alone))
        assert began.modes is not None
        assert began.modes.current_mode_id == "ask"
        await agent.set_session_mode(began.session_id, "yolo")
        (update,) = editor.of("config_option_update")
        assert [each["currentValue"] for each in update["configOptions"] if each["id"] == "mode"] == ["yolo"]
        await agent.set_config_option("reasoning", began.session_id, "high")
        await agent.set_config_option("mode", began.session_id, "ask")
        assert [each["currentModeId"] for each in editor.of("current_mode_update")] == ["yolo", "ask"]


async def test_the_editor_hears_of_a_mode_or_model_that_an_operation_has_chosen(
    server: ScriptedServer, alone: Path
) -> None:
    editor = Editor()
    async with agent_of(server, editor, permission_mode="ask") as agent:
        session = (await agent.new_session(str(alone))).session_id
        await agent.ext_method("zot/permissions.mode", {"sessionId": session, "mode": "yolo"})
        assert [each["currentModeId"] for each in editor.of("current_mode_update")] == ["yolo"]
        await agent.ext_method("zot/model.set", {"sessionId": session, "model": "another"})
        told = editor.of("config_option_update")[-1]["configOptions"]
        assert any("another" in each["currentValue"] for each in told if each["id"] == "model")
        before = len(editor.of("config_option_update"))
        await agent.ext_method("zot/ping", {"sessionId": session})
        assert len(editor.of("config_option_update")) == before


async def test_the_editor_hears_of_another_title(server: ScriptedServer, alone: Path) -> None:
    server.add("One.")
    editor = Editor()
    async with agent_of(server, editor) as agent:
        session = await begin(agent, alone)
        await ask(agent, session)
        for title, shown in (("Tea", "Tea"), ("", "hi")):
            await agent.ext_method("zot/session.rename", {"sessionId": session, "title": title})
            assert editor.of("session_info_update")[-1]["title"] == shown


async def test_the_editor_hears_of_a_model_and_a_level_that_an_extension_has_chosen(
    server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    body = "@ext.command('swap')\ndef swap(args):\n    ext.model.set('another')\n    ext.model.reasoning('high')"
    folder = str(write_extension(tmp_path / "swapper", body, more="capabilities=('model',)"))
    editor = Editor()
    async with agent_of(server, editor, extensions=[folder]) as agent:
        session = await begin(agent, alone)
        await agent.prompt(session, [TextContentBlock(type="text", text="/swap")])
        await agent.sessions[session].choices.settled()
        told = {each["id"]: each["currentValue"] for each in editor.of("config_option_update")[-1]["configOptions"]}
        assert (told["model"], told["reasoning"]) == ("another", "high")
        assert editor.of("current_mode_update") == []


async def test_an_id_names_the_conversation_for_prompts_and_a_stored_session_for_loading(
    server: ScriptedServer, alone: Path
) -> None:
    server.add("One.", "Two.")
    async with agent_of(server) as agent:
        first = await begin(agent, alone)
        await ask(agent, first)
        copy = (await agent.ext_method("zot/session.fork", {"sessionId": first}))["session_id"]
        assert await ask(agent, first) == "end_turn"
        another = (await agent.fork_session(str(alone), first)).session_id  # of what the editor shows
        assert [len(agent.sessions[id].host.runtime.messages) for id in (first, another)] == [4, 4]
        await agent.load_session(str(alone), copy)
        assert [*agent.sessions] == [another, copy]
        await agent.load_session(str(alone), first)
        assert {id: len(each.host.runtime.messages) for id, each in agent.sessions.items()} == {
            another: 4, copy: 4, first: 2,
        }  # fmt: skip
        with pytest.raises(SessionLocked):
            await agent.ext_method("zot/session.open", {"sessionId": first, "session": copy})
        await agent.ext_method("zot/session.fork", {"sessionId": first})
        await agent.delete_session(first)
        assert [*agent.sessions] == [another, copy]
        with pytest.raises(SessionNotFound):
            await agent.load_session(str(alone), first)


async def test_an_id_is_loaded_if_it_is_stored_and_the_conversation_that_has_it_is_not(
    server: ScriptedServer, alone: Path
) -> None:
    server.add("One.", "Two.")
    async with agent_of(server) as agent:
        stored, fresh = await begin(agent, alone), await begin(agent, alone)
        await ask(agent, stored)
        await agent.ext_method("zot/session.new", {"sessionId": stored})
        with pytest.raises(SessionNotFound, match="nothing of it is stored yet"):
            await agent.fork_session(str(alone), stored)
        await agent.load_session(str(alone), stored)
        copy = await agent.ext_method("zot/session.fork", {"sessionId": stored})
        await agent.ext_method("zot/session.open", {"sessionId": fresh, "session": stored})
        with pytest.raises(SessionNotFound, match="nothing of it is stored yet"):
            await agent.load_session(str(alone), fresh)
        assert [each.full_id for each in agent.sessions.values()] == [stored, copy["session_id"]]
        assert await ask(agent, fresh) == "end_turn"


async def test_a_session_of_another_folder_is_opened_with_its_paths_and_its_commands(
    server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".zot" / "skills" / "tea").mkdir(parents=True)
    (other / ".zot" / "skills" / "tea" / "SKILL.md").write_text("---\nname: tea\ndescription: How to.\n---\nBoil.")
    server.add("One.", Turn(calls=[Call("write", {"path": "a", "content": "x"})]), "Two.")
    editor = Editor()
    async with agent_of(server, editor, trust=True) as agent:
        away, here = await begin(agent, other), await begin(agent, alone)
        await ask(agent, away)
        await agent.close_session(away)
        await until(lambda: len(editor.of("available_commands_update")) == 2)
        await agent.ext_method("zot/session.open", {"sessionId": here, "session": away})
        await until(lambda: len(editor.of("available_commands_update")) == 3)
        names = [each["name"] for each in editor.of("available_commands_update")[-1]["availableCommands"]]
        assert "skill:tea" in names
        await ask(agent, here)
        (place,) = [each["locations"] for each in editor.of("tool_call_update") if each.get("status") == "completed"]
        assert [each["path"] for each in place] == [str(other / "a")]
        assert (other / "a").read_text() == "x"


async def test_the_person_reads_that_a_command_of_an_extension_has_begun_another_session(
    server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    body = "@ext.command('afresh')\ndef afresh(args):\n    ext.session.new()\n    return prompt('go')"
    folder = str(write_extension(tmp_path / "starter", body, more="capabilities=('session',)"))
    server.add("One.", "Two.")
    editor = Editor()
    async with agent_of(server, editor, extensions=[folder]) as agent:
        session = await begin(agent, alone)
        await ask(agent, session)
        done = await agent.prompt(session, [TextContentBlock(type="text", text="/afresh")])
        assert done.stop_reason == "end_turn"
        note = "*[zot]* the conversation continues in another session; messages of it so far: 0"
        assert editor.said() == f"One.{note}Two."
        assert [each["title"] for each in editor.of("session_info_update")] == ["hi", None, "go"]


@pytest.mark.needs("bwrap")
async def test_the_sandbox_is_an_option_while_it_is_on(server: ScriptedServer, alone: Path) -> None:
    async with agent_of(server, Editor(), sandbox="on") as agent:
        began = await agent.new_session(str(alone))
        shown = [each.current_value for each in began.config_options or [] if each.id == "sandbox"]
        assert shown == ["on"]
        with pytest.raises(UnknownName, match="maybe"):
            await agent.set_config_option("sandbox", began.session_id, "maybe")
        changed = await agent.set_config_option("sandbox", began.session_id, "off")
        assert changed is not None
        assert not [each for each in changed.config_options if each.id == "sandbox"]


async def test_the_mode_can_change_while_a_prompt_runs(server: ScriptedServer, alone: Path) -> None:
    server.add(Turn("word " * 1000, delay=0.05))
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        prompt = spawn(ask(agent, session), "prompt")
        await asyncio.to_thread(server.wait_for, 1)
        await agent.set_session_mode(session, "ask")
        assert agent.sessions[session].mode == "ask"
        await agent.cancel(session)
        assert await prompt == "cancelled"


async def test_closing_the_agent_ends_the_prompts_of_all_sessions(server: ScriptedServer, alone: Path) -> None:
    server.add(*[Turn("word " * 1000, delay=0.05)] * 2)
    async with agent_of(server) as agent:
        prompts = [spawn(ask(agent, await begin(agent, alone)), "prompt") for _ in range(2)]
        await asyncio.to_thread(server.wait_for, 2)
        await agent.close()
        assert [await prompt for prompt in prompts] == ["cancelled", "cancelled"]
        assert agent.sessions == {}


async def test_nothing_is_stopped_in_a_session_that_is_not_open(server: ScriptedServer, alone: Path) -> None:
    server.add("One.")
    async with agent_of(server) as agent:
        session = await begin(agent, alone)
        await agent.cancel("nobody")
        await agent.cancel(session)
        assert await ask(agent, session) == "end_turn"


@pytest.mark.parametrize(
    ("meta", "shows"), [({"zot": {"widgets": True}}, True), ({"zot": {}}, False), ({"zot": 1}, False), (None, False)]
)
async def test_an_editor_says_whether_it_shows_widgets(
    server: ScriptedServer, alone: Path, meta: dict[str, Any] | None, shows: bool
) -> None:
    async with agent_of(server) as agent:
        await agent.initialize(1, ClientCapabilities.model_validate({"_meta": meta}))
        assert agent.shows is shows
