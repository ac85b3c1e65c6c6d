"""`zot acp` as an editor uses it: the client side of the protocol's own package, over a socket or real pipes."""

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from acp import PROTOCOL_VERSION, RequestError, embedded_blob_resource, image_block, resource_block, text_block
from acp.helpers import embedded_text_resource, resource_link_block
from acp.schema import ClientCapabilities, McpServerStdio
from acp_talk import Talk, open_talk, start_talk
from command import Zot
from extension_folder import write_extension
from operation_faults import FAULTS
from waiting import PATIENCE

from zot_agent.rpc.limits import DEFAULT_LIMITS
from zot_agent.version import __version__
from zot_core.sessions.store import SessionStore
from zot_core.testing import PIXEL
from zot_ext.protocol.answers import MovedPlace, OpenedPlace, SessionPlace
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

PNG = PIXEL.data
LINE_BYTES = DEFAULT_LIMITS.line_bytes


async def test_a_client_learns_who_is_there_and_what_it_can_do(zot: Zot, server: ScriptedServer) -> None:
    async with start_talk(zot, *zot.at(server)) as (talk, _):
        said = await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        assert (said.protocol_version, said.auth_methods) == (1, [])
        assert (said.agent_info.name, said.agent_info.version) == ("zot", __version__)
        able = said.agent_capabilities
        prompts = able.prompt_capabilities
        assert (prompts.image, prompts.audio, prompts.embedded_context) == (True, False, True)
        assert (able.load_session, able.session_capabilities.close is not None) == (True, True)
        assert await talk.agent.authenticate(method_id="environment") is not None


async def test_without_sessions_none_can_be_loaded(zot: Zot, server: ScriptedServer) -> None:
    async with open_talk(zot, *zot.at(server), "--no-session") as talk:
        said = await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        assert (said.agent_capabilities.load_session, said.agent_capabilities.session_capabilities.resume) == (
            False, None,
        )  # fmt: skip
        able = said.agent_capabilities.session_capabilities
        assert (able.list, able.delete, able.fork) == (None, None, None)
        load = talk.agent.load_session(cwd=str(zot.cwd), session_id="x")
        for request in (load, talk.agent.list_sessions(), delete(talk, "x")):
            code, text = await talk.refusal(request)
            assert (code, "--no-session" in text) == (-32602, True)


async def test_without_a_key_the_variables_are_named(zot: Zot) -> None:
    env = zot.keyless_env
    async with open_talk(zot, env=env) as talk:
        said = await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        (method,) = said.auth_methods
        assert "ANTHROPIC_API_KEY" in method.description
        for request in (
            talk.agent.authenticate(method_id=method.id),
            talk.agent.new_session(cwd=str(zot.cwd)),
        ):
            code, text = await talk.refusal(request)
            assert (code, "ANTHROPIC_API_KEY" in text) == (-32000, True)


async def test_a_client_with_a_terminal_is_offered_a_sign_in_there_which_works_with_and_without_its_arguments(
    zot: Zot,
) -> None:
    env = zot.keyless_env
    for fields in ({"auth": {"terminal": True}}, {"_meta": {"terminal-auth": True}}):
        async with open_talk(zot, env=env) as talk:
            able = ClientCapabilities.model_validate(fields)
            said = await talk.agent.initialize(protocol_version=PROTOCOL_VERSION, client_capabilities=able)
            (terminal, environment) = said.auth_methods
            assert (terminal.type, environment.id) == ("terminal", "environment")
    for words in (terminal.args, ["acp", "--no-yolo", *terminal.args]):
        done = zot.run(*words, env=env)
        assert (done.code, "name a provider" in done.err) == (2, True), done.err


def test_the_check_of_the_editors_registry_finds_a_way_to_sign_in(zot: Zot) -> None:
    """As client.py of agentclientprotocol/registry does it: an empty home, few variables, one line in, one out."""
    entry = json.loads((Path(__file__).parents[2] / "packaging/acp-registry/zot/agent.json").read_text("utf-8"))
    able = {
        "terminal": True,
        "fs": {"readTextFile": True, "writeTextFile": True},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
    params = {"protocolVersion": 1, "clientInfo": {"name": "check", "version": "1.0.0"}, "clientCapabilities": able}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    env = {name: zot.env[name] for name in ("HOME", "PATH")} | {"TERM": "dumb"}
    (said,) = zot.run(*entry["distribution"]["uvx"]["args"], env=env, stdin=request.encode() + b"\n").objects
    assert said["result"]["agentInfo"]["version"] == __version__
    assert "rc" in __version__ or entry["version"] == __version__  # a candidate leaves the entry
    types = [method.get("type", "agent") for method in said["result"]["authMethods"]]
    assert types == ["terminal", "agent"]


async def test_text_and_thoughts_come_as_they_are_written(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("A tiny weather service.", reasoning="It is small.", chunk=6))
    async with start_talk(zot, *zot.at(server, "anthropic"), "--reasoning", "low") as (talk, _):
        session = await talk.begin(zot)
        assert await talk.prompt(session, "what is this?") == "end_turn"
        assert talk.editor.said("agent_thought_chunk") == "It is small."
        assert talk.editor.said() == "A tiny weather service."
        assert len(talk.editor.of("agent_message_chunk")) > 1
        assert talk.editor.of("user_message_chunk") == []
    assert zot.said() == [("user", "what is this?"), ("assistant", "A tiny weather service.")]


async def test_links_files_and_images_reach_the_model(zot: Zot, server: ScriptedServer) -> None:
    server.add("I see.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        await talk.prompt(
            session,
            "Compare ",
            resource_link_block("a b.py", f"file://{zot.cwd}/src/a%20b.py"),
            " with ",
            resource_block(embedded_text_resource(f"file://{zot.cwd}/c.py#L2:3", "x = 1\n")),
            image_block(PNG, "image/png"),
            resource_block(embedded_blob_resource("https://example.org/p.png", PNG, mime_type="image/png")),
        )
    (words, *images) = server.requests[0].body["messages"][-1]["content"]
    assert words["text"] == (
        'Compare src/a b.py with c.py (L2:3)https://example.org/p.png\n\n<file path="c.py (L2:3)">\nx = 1\n</file>'
    )
    assert [each["type"] for each in images] == ["image_url", "image_url"]


async def test_what_no_model_can_be_shown_is_refused_in_one_line(zot: Zot, server: ScriptedServer) -> None:
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        for blocks, why in (
            ([], "empty"),
            ([text_block("  ")], "empty"),
            ([image_block("AAAA", "image/png")], "not a PNG"),
            ([resource_block(embedded_blob_resource("file:///x.zip", "AAAA"))], "neither text nor an image"),
        ):
            code, text = await talk.refusal(talk.agent.prompt(session_id=session, prompt=blocks))
            assert (code, why in text) == (-32602, True), text
        assert (await talk.refusal(talk.agent.prompt(session_id="nobody", prompt=[])))[0] == -32002
        assert (await talk.refusal(talk.agent.new_session(cwd="src")))[0] == -32602
        code, text = await talk.refusal(talk.agent._conn.send_request("session/prompt", {"sessionId": session}))
        assert (code, text) == (-32602, "prompt: Field required")
        assert (await talk.refusal(talk.agent._conn.send_request("session/dance", {})))[0] == -32601
    assert server.requests == []


async def test_an_edit_is_a_diff_with_its_place(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "x.py").write_text("a = 1\nb = 2\n")
    edits = [{"oldText": "b = 2", "newText": "b = 3"}]
    server.add(Turn(calls=[Call("edit", {"path": "x.py", "edits": edits})]), "Done.")
    async with open_talk(zot, *zot.at(server)) as talk:
        assert await talk.prompt(await talk.begin(zot), "change it") == "end_turn"
        states = [each.status for each in talk.editor.of("tool_call") + talk.editor.of("tool_call_update")]
        assert [each for each in states if each] == ["pending", "in_progress", "completed"]
        call = talk.editor.call()
        path = str(zot.cwd / "x.py")
        assert (call["title"], call["kind"], call["rawInput"]) == (
            "edit x.py", "edit", {"path": "x.py", "edits": edits},
        )  # fmt: skip
        assert call["locations"] == [{"path": path, "line": 1}]
        assert call["content"] == [
            {"type": "diff", "path": path, "oldText": "a = 1\nb = 2\n", "newText": "a = 1\nb = 3\n"}
        ]


async def test_a_file_that_is_written_is_a_diff_of_what_it_was(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "old.txt").write_text("before\n")
    zot.home.mkdir(exist_ok=True)
    (zot.home / "config.json").write_text(json.dumps({"overwrite_check": False}))
    for name in ("old.txt", "new.txt"):
        server.add(Turn(calls=[Call("write", {"path": name, "content": "after\n"})]), "Done.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        for name, was in (("old.txt", {"oldText": "before\n"}), ("new.txt", {})):
            talk.editor.updates.clear()
            await talk.prompt(session, "write")
            call = talk.editor.call()
            assert call["kind"] == "edit"
            assert call["content"] == [{"type": "diff", "path": str(zot.cwd / name), "newText": "after\n", **was}]


async def test_a_command_is_shown_with_its_output_and_its_end(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "printf '\\033[31mred\\033[0m\\n'; exit 3"})]), "It failed.")
    async with open_talk(zot, *zot.at(server)) as talk:
        await talk.prompt(await talk.begin(zot), "run it")
        call = talk.editor.call()
        assert (call["kind"], call["status"]) == ("execute", "failed")
        (content,) = call["content"]
        assert content["content"]["text"] == (
            "```console\n$ printf '\\033[31mred\\033[0m\\n'; exit 3\nred\n```\nexit code 3"
        )
        assert talk.editor.said() == "It failed."


async def test_output_is_shown_while_a_command_runs(zot: Zot, server: ScriptedServer) -> None:
    os.mkfifo(zot.cwd / "go")
    server.add(Turn(calls=[Call("bash", {"command": "echo started; cat go"})]), "Done.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        prompt = asyncio.get_running_loop().create_task(talk.prompt(session, "run it"))
        shown = await talk.editor.until(lambda each: "started" in repr(getattr(each, "content", "")))
        assert (shown.status, shown.content[0].content.text) == (None, "```\nstarted\n```")
        (zot.cwd / "go").write_text("")
        assert await prompt == "end_turn"


async def test_a_session_that_asks_runs_what_is_allowed_and_nothing_else(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "x").write_text("a\n")
    edit = Call("edit", {"path": "x", "edits": [{"oldText": "a", "newText": "b"}]})
    server.add(Turn(calls=[edit]), "It was not allowed.", Turn(calls=[edit]), "Done.")
    async with open_talk(zot, *zot.at(server), "--no-yolo") as talk:
        session = await talk.begin(zot)
        talk.editor.answers += ["reject", "once"]
        assert await talk.prompt(session, "change it") == "end_turn"
        assert (zot.cwd / "x").read_text() == "a\n"
        assert talk.editor.call()["status"] == "failed"
        assert await talk.prompt(session, "change it") == "end_turn"
        assert (zot.cwd / "x").read_text() == "b\n"
        (asked, call, options), _ = talk.editor.asked
        assert (asked, call.title, call.kind, call.status) == (session, "edit x", "edit", "pending")
        assert [(each.option_id, each.kind) for each in options] == [
            ("once", "allow_once"), ("always", "allow_always"), ("reject", "reject_once"),
        ]  # fmt: skip
        assert [(each.old_text, each.new_text) for each in call.content] == [("a", "b")]
        assert call.locations[0].path == str(zot.cwd / "x")
    assert "did not allow" in json.dumps(server.requests[1].body)


async def test_a_hook_program_refuses_a_call(zot: Zot, server: ScriptedServer) -> None:
    zot.home.mkdir()
    hooks = {"tool_call": [{"command": "echo 'not here' >&2; exit 2"}]}
    (zot.home / "config.json").write_text(json.dumps({"hooks": hooks}))
    server.add(Turn(calls=[Call("bash", {"command": "touch made"})]), "I may not.")
    async with open_talk(zot, *zot.at(server)) as talk:
        assert await talk.prompt(await talk.begin(zot), "go") == "end_turn"
        assert talk.editor.call()["status"] == "failed"
    assert "not here" in json.dumps(server.requests[1].body)
    assert not (zot.cwd / "made").exists()


async def test_a_call_that_is_always_allowed_is_not_asked_about_again(zot: Zot, server: ScriptedServer) -> None:
    write = [Call("write", {"path": name, "content": name}) for name in ("a", "a")]
    server.add(Turn(calls=write), Turn(calls=[Call("bash", {"command": "touch c"})]), "Done.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        await talk.agent.set_session_mode(session_id=session, mode_id="ask")
        talk.editor.answers += ["always", ""]
        await talk.prompt(session, "write")
        assert [call.title for _, call, _ in talk.editor.asked] == ["write a", "bash touch c"]
        (diff,) = talk.editor.asked[0][1].content
        assert (diff.type, diff.old_text, diff.new_text) == ("diff", None, "a")
    assert sorted(each.name for each in zot.cwd.iterdir()) == ["a"]


async def test_modes_models_and_efforts_can_be_chosen(zot: Zot, server: ScriptedServer) -> None:
    server.add("Hello.")
    async with open_talk(zot, *zot.at(server, "anthropic")) as talk:
        await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        began = await talk.agent.new_session(cwd=str(zot.cwd))
        session = began.session_id
        assert began.modes.current_mode_id == "yolo"
        assert {each.id: each.current_value for each in began.config_options} == {
            "mode": "yolo", "model": "scripted", "reasoning": "off",
        }  # fmt: skip
        choose = talk.agent.set_config_option
        await choose(config_id="model", session_id=session, value="other")
        await choose(config_id="mode", session_id=session, value="ask")
        after = await choose(config_id="reasoning", session_id=session, value="high")
        assert {each.id: each.current_value for each in after.config_options} == {
            "mode": "ask", "model": "other", "reasoning": "high",
        }  # fmt: skip
        assert [each.current_mode_id for each in talk.editor.of("current_mode_update")] == ["ask"]
        for wrong in (
            choose(config_id="mode", session_id=session, value="never"),
            choose(config_id="colour", session_id=session, value="red"),
            choose(config_id="reasoning", session_id=session, value="immense"),
            talk.agent.set_session_mode(session_id=session, mode_id="never"),
        ):
            code, text = await talk.refusal(wrong)
            assert (code, text.startswith("unknown ")) == (-32602, True)
        await talk.prompt(session, "hi")
    assert server.requests[0].body["model"] == "other"


LOOK = Turn(
    calls=[Call("bash", {"command": "echo $ZOT_PROVIDER $ZOT_MODEL $ZOT_REASONING_LEVEL $ZOT_SESSION_ID >> seen"})]
)


async def test_a_model_of_another_provider_answers_from_there_and_children_know_it(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add(LOOK, "One.", LOOK, "Two.", LOOK, "Three.")
    env = zot.env | {"ANTHROPIC_BASE_URL": server.base_url("anthropic-messages")}
    sessions: list[str] = []
    async with open_talk(zot, *zot.at(server), env=env) as talk:
        await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        began = await talk.agent.new_session(cwd=str(zot.cwd))
        sessions.append(began.session_id)
        (models,) = [each for each in began.config_options if each.id == "model"]
        assert "anthropic/claude-sonnet-4-5" in [each.value for each in models.options]
        await talk.prompt(began.session_id, "look")
        choose = talk.agent.set_config_option
        await choose(config_id="reasoning", session_id=began.session_id, value="low")
        after = await choose(config_id="model", session_id=began.session_id, value="anthropic/claude-sonnet-4-5")
        (models,) = [each for each in after.config_options if each.id == "model"]
        values = [each.value for each in models.options]
        assert models.current_value == "claude-sonnet-4-5"
        assert {"claude-sonnet-4-5", "openai/scripted"} <= {*values}
        await talk.prompt(began.session_id, "look")
        await choose(config_id="model", session_id=began.session_id, value="openai/scripted")
        await talk.prompt(began.session_id, "look")
    wires = ["openai-chat"] * 2 + ["anthropic-messages"] * 2 + ["openai-chat"] * 2
    assert [request.wire for request in server.requests] == wires
    (id,) = sessions
    assert (zot.cwd / "seen").read_text().splitlines() == [
        f"openai scripted off {id}",
        f"anthropic claude-sonnet-4-5 low {id}",
        f"openai scripted low {id}",
    ]


async def test_models_of_providers_without_a_credential_are_not_offered(zot: Zot, server: ScriptedServer) -> None:
    env = {name: value for name, value in zot.env.items() if name != "ANTHROPIC_API_KEY"}
    async with open_talk(zot, *zot.at(server), env=env) as talk:
        await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        began = await talk.agent.new_session(cwd=str(zot.cwd))
        (models,) = [each for each in began.config_options if each.id == "model"]
        assert not [each.value for each in models.options if each.value.startswith("anthropic/")]
        choose = talk.agent.set_config_option
        wanted = choose(config_id="model", session_id=began.session_id, value="anthropic/claude-sonnet-4-5")
        assert "ANTHROPIC_API_KEY" in (await talk.refusal(wanted))[1]


async def test_a_model_of_the_persons_file_has_its_window_and_its_price_from_there(
    zot: Zot, server: ScriptedServer
) -> None:
    models = [
        {"id": "m1", "contextWindow": 1000, "priceInput": 1.0, "priceOutput": 1.0},
        {"id": "m2", "contextWindow": 200_000, "priceInput": 1_000_000.0, "priceOutput": 1_000_000.0},
    ]
    corp = {"baseUrl": server.base_url("openai-chat"), "models": models}
    zot.home.mkdir()
    (zot.home / "models.json").write_text(json.dumps({"providers": {"corp": corp}}))
    server.add("Hello.")
    env = zot.env | {"CORP_API_KEY": zot.env["OPENAI_API_KEY"]}
    async with open_talk(zot, "--provider", "corp", "--model", "m1", env=env) as talk:
        session = await talk.begin(zot)
        await talk.agent.set_config_option(config_id="model", session_id=session, value="m2")
        await talk.prompt(session, "hi")
        (used,) = talk.editor.of("usage_update")
        assert used.size == 200_000
        assert used.cost.amount == used.used > 0


async def test_what_is_said_of_a_choice_comes_with_the_next_prompt(zot: Zot, server: ScriptedServer) -> None:
    env = zot.env | {"ANTHROPIC_BASE_URL": server.base_url("anthropic-messages")}
    server.add("Hello.")
    async with open_talk(zot, "--model", "anthropic/claude-sonnet-4-5", env=env) as talk:
        session = await talk.begin(zot)
        await talk.agent.set_config_option(config_id="model", session_id=session, value="claude-99")
        assert talk.editor.said() == ""
        await talk.prompt(session, "hi")
        note, answer = talk.editor.said().split("\n\n")
        assert "claude-99 is not among the models of Anthropic" in note
        assert answer == "Hello."


def running_pid(zot: Zot) -> int:
    """The process that a command has written to the fifo `pid`, which this waits for."""
    return int((zot.cwd / "pid").read_text())


def ended(pid: int) -> bool:
    """Whether a process has gone, once it has had the time for it."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)


SLEEP = Turn("Now. ", calls=[Call("bash", {"command": "echo $$ > pid; sleep 600"})])


async def test_cancelling_stops_the_prompt_and_its_children(zot: Zot, server: ScriptedServer) -> None:
    os.mkfifo(zot.cwd / "pid")
    server.add(SLEEP, "Again.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        prompt = asyncio.get_running_loop().create_task(talk.prompt(session, "sleep"))
        pid = await asyncio.to_thread(running_pid, zot)
        await talk.agent.cancel(session_id=session)
        assert await prompt == "cancelled"
        assert await asyncio.to_thread(ended, pid)
        assert talk.editor.call()["status"] == "failed"
        assert await talk.prompt(session, "go on") == "end_turn"


async def test_cancelling_while_the_person_is_asked_runs_nothing(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "touch done"})]))
    async with open_talk(zot, *zot.at(server), "--no-yolo") as talk:
        session = await talk.begin(zot)
        talk.editor.answers.append("wait")
        prompt = asyncio.get_running_loop().create_task(talk.prompt(session, "touch"))
        async with asyncio.timeout(PATIENCE), talk.editor.more:
            await talk.editor.more.wait_for(lambda: talk.editor.asked)
        await talk.agent.cancel(session_id=session)
        assert await prompt == "cancelled"
    assert list(zot.cwd.iterdir()) == []


async def test_a_second_prompt_of_a_session_is_refused_while_the_first_is_answered(
    zot: Zot, server: ScriptedServer
) -> None:
    os.mkfifo(zot.cwd / "pid")
    server.add(SLEEP, "From the other.")
    async with open_talk(zot, *zot.at(server)) as talk:
        one = await talk.begin(zot)
        other = (await talk.agent.new_session(cwd=str(zot.cwd))).session_id
        prompt = asyncio.get_running_loop().create_task(talk.prompt(one, "sleep"))
        await asyncio.to_thread(running_pid, zot)
        code, text = await talk.refusal(talk.agent.prompt(session_id=one, prompt=[text_block("more")]))
        assert (code, "another prompt" in text) == (-32600, True)
        choice = talk.agent.set_config_option(config_id="model", session_id=one, value="other")
        assert (await talk.refusal(choice))[0] == -32600
        assert await talk.prompt(other, "hi") == "end_turn"
        assert (talk.editor.said(session=one), talk.editor.said(session=other)) == ("Now. ", "From the other.")
        await talk.agent.close_session(session_id=one)
        assert await prompt == "cancelled"
        assert (await talk.refusal(talk.agent.prompt(session_id=one, prompt=[])))[0] == -32002


async def test_a_session_that_is_loaded_again_keeps_its_mode(zot: Zot, server: ScriptedServer) -> None:
    server.add("Hello.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        await talk.prompt(session, "hi")
        await talk.agent.set_session_mode(session_id=session, mode_id="ask")
        for _ in range(2):
            loaded = await talk.agent.load_session(cwd=str(zot.cwd), session_id=session)
            assert loaded.modes.current_mode_id == "ask"
        await talk.agent.close_session(session_id=session)
        loaded = await talk.agent.load_session(cwd=str(zot.cwd), session_id=session)
        assert loaded.modes.current_mode_id == "ask"


async def test_a_session_is_loaded_with_all_that_was_said_and_done(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "x").write_text("a\n")
    edit = Call("edit", {"path": "x", "edits": [{"oldText": "a", "newText": "b"}]})
    server.add(Turn("I will.", reasoning="Easy.", calls=[edit]), "Done.", "Still here.", "Here too.")
    arguments = zot.at(server, "anthropic")

    async with open_talk(zot, *arguments, "--reasoning", "low") as talk:
        session = await talk.begin(zot)
        await talk.prompt(session, "change it")
    async with open_talk(zot, *arguments) as talk:
        await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)
        loaded = await talk.agent.load_session(cwd=str(zot.cwd), session_id=session)
        assert loaded.modes.current_mode_id == "yolo"
        assert talk.editor.said("user_message_chunk") == "change it"
        assert talk.editor.said("agent_thought_chunk") == "Easy."
        assert talk.editor.said() == "I will.Done."
        call = talk.editor.call()
        assert (call["status"], call["kind"], call["content"][0]["newText"]) == ("completed", "edit", "b\n")
        talk.editor.updates.clear()
        assert await talk.prompt(session, "are you there?") == "end_turn"
        assert talk.editor.said() == "Still here."
        talk.editor.updates.clear()
        await talk.agent.resume_session(cwd=str(zot.cwd), session_id=session)
        assert talk.editor.of("user_message_chunk") == []
        copy = (await talk.agent.fork_session(cwd=str(zot.cwd), session_id=session)).session_id
        assert await talk.prompt(copy, "and you?") == "end_turn"
        assert talk.editor.said() == "Here too."
        for id in ("nobody", " "):
            assert (await talk.refusal(talk.agent.load_session(cwd=str(zot.cwd), session_id=id)))[0] == -32002
    assert "change it" in json.dumps(server.requests[2].body)


async def delete(talk: Talk, session: str) -> Any:
    """`session/delete`, for which the package's client has no method."""
    return await talk.agent._conn.send_request("session/delete", {"sessionId": session})


async def test_earlier_sessions_are_listed_loaded_and_removed(zot: Zot, server: ScriptedServer) -> None:
    server.add("A shed.", "So it is.", "A boat.", "Still a shed.")
    elsewhere = zot.cwd.parent / "elsewhere"
    elsewhere.mkdir()

    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        await talk.prompt(session, "what is\x1b[2J this?\nand why?")
        await talk.prompt(session, "and?")
        assert [each.title for each in talk.editor.of("session_info_update")] == ["what is this?"]
        other = await talk.agent.new_session(cwd=str(elsewhere))
        await talk.prompt(other.session_id, "and that?")
        await talk.agent.new_session(cwd=str(elsewhere))  # nothing is said in it: there is none
    async with open_talk(zot, *zot.at(server)) as talk:
        able = (await talk.agent.initialize(protocol_version=PROTOCOL_VERSION)).agent_capabilities
        assert None not in (able.session_capabilities.list, able.session_capabilities.delete)
        found = await talk.agent.list_sessions()
        assert [(each.title, each.cwd) for each in found.sessions] == [
            ("and that?", str(elsewhere)), ("what is this?", str(zot.cwd)),
        ]  # fmt: skip
        assert found.next_cursor is None
        (here,) = (await talk.agent.list_sessions(cwd=f"{zot.cwd}/")).sessions
        assert abs(datetime.fromisoformat(here.updated_at).timestamp() - time.time()) < 10 * PATIENCE
        await talk.agent.load_session(cwd=here.cwd, session_id=here.session_id)
        assert talk.editor.said() == "A shed.So it is."
        assert await talk.prompt(here.session_id, "still?") == "end_turn"
        assert talk.editor.of("session_info_update") == []  # the list has told
        assert (await talk.agent.list_sessions()).sessions[0].session_id == here.session_id
        assert await delete(talk, here.session_id) == {}  # it was open here
        assert (await talk.refusal(talk.agent.prompt(session_id=here.session_id, prompt=[])))[0] == -32002
        for id in (here.session_id, "nobody", "", found.sessions[0].session_id[:8], "../x"):
            assert await delete(talk, id) == {}
        assert [each.title for each in (await talk.agent.list_sessions()).sessions] == ["and that?"]
        for request in (talk.agent.list_sessions(cursor="tomorrow"), talk.agent.list_sessions(cwd="src")):
            assert (await talk.refusal(request))[0] == -32602


async def test_a_session_loaded_by_the_beginning_of_its_id_is_the_same_by_all_of_it(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("Hello.", "Again.", "And again.", Turn("word " * 20_000, chunk=5, delay=0.02))

    async with open_talk(zot, *zot.at(server)) as talk:
        whole = await talk.begin(zot)
        await talk.prompt(whole, "hi")
    short = whole[:8]
    async with open_talk(zot, *zot.at(server)) as talk:
        await talk.agent.load_session(cwd=str(zot.cwd), session_id=short)
        assert await talk.prompt(short, "by its beginning") == "end_turn"
        assert await talk.prompt(whole, "by all of it") == "end_turn"
        assert talk.editor.said(session=short) == "Hello.Again.And again."  # under the name that was asked for
        await talk.agent.load_session(cwd=str(zot.cwd), session_id=whole)
        assert talk.editor.said(session=whole) == "Hello.Again.And again."
        stuck = asyncio.ensure_future(talk.prompt(whole, "wait"))
        await talk.editor.until(lambda update: "word" in str(update))
        code, text = await talk.refusal(talk.agent.load_session(cwd=str(zot.cwd), session_id=short))
        assert (code, f"is open here as '{whole}'" in text) == (-32600, True)
        await talk.agent.cancel(session_id=whole)
        assert await stuck == "cancelled"
        await delete(talk, whole)
        assert (await talk.agent.list_sessions()).sessions == []


def test_parameters_may_be_left_out_where_none_is_needed(zot: Zot, server: ScriptedServer) -> None:
    lines = [
        b'{"jsonrpc": "2.0", "id": 1, "method": "session/list"}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": []}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "session/new"}',
    ]

    done = zot.run("acp", *zot.at(server), stdin=b"\n".join(lines))

    answers = {answer["id"]: answer for answer in map(json.loads, done.out.splitlines())}
    assert answers[1]["result"]["sessions"] == []
    assert (answers[2]["error"]["code"], answers[2]["error"]["message"]) == (-32602, "params must be an object")
    assert answers[3]["error"]["code"] == -32602
    assert answers[3]["error"]["message"].startswith("cwd: ")


async def test_a_session_that_another_zot_has_open_is_not_removed(zot: Zot, server: ScriptedServer) -> None:
    server.add("Hello.")
    async with open_talk(zot, *zot.at(server)) as one, open_talk(zot, *zot.at(server)) as other:
        session = await one.begin(zot)
        await one.prompt(session, "hi")
        code, text = await other.refusal(delete(other, session))
        assert (code, "in use by another zot" in text) == (-32603, True)
        assert [each.session_id for each in (await other.agent.list_sessions()).sessions] == [session]


async def test_many_sessions_are_listed_page_by_page(zot: Zot, server: ScriptedServer) -> None:
    store = SessionStore(str(zot.home / "sessions"))
    for number in range(250):
        session = store.create(str(zot.cwd), "m", "v", "0")
        session.append(Message("user", [TextBlock(f"prompt {number}")]))
        session.close()
        os.utime(session.path, (10_000 + number, 10_000 + number))
    odd = {"id": "2", "cwd": "somewhere", "started": ""}
    for number, meta in enumerate(({**odd, "cwd": "/\ud800"}, odd, {**odd, "id": "", "cwd": "/"})):
        name = os.path.join(os.path.dirname(session.path), f"odd-{number}.jsonl")
        with open(name, "w") as file:
            file.write(json.dumps({"type": "meta", "meta": meta}) + "\n")
    async with open_talk(zot, *zot.at(server)) as talk:
        titles: list[str] = []
        pages = 0
        cursor = None
        while pages == 0 or cursor:
            page = await talk.agent.list_sessions(cursor=cursor)
            titles += [each.title for each in page.sessions]
            cursor, pages = page.next_cursor, pages + 1
        assert (pages, titles) == (3, [f"prompt {number}" for number in reversed(range(250))])


async def test_a_failure_is_an_error_and_a_cut_answer_is_not(zot: Zot, server: ScriptedServer) -> None:
    server.add(
        Turn(fault=Fault(status=400, body={"error": {"message": "no such\nmodel"}})),
        Turn("Long", stop="length"),
        Turn(calls=[Call("ls")]),
        Turn(calls=[Call("ls")]),
    )
    async with open_talk(zot, *zot.at(server), "--max-steps", "2") as talk:
        session = await talk.begin(zot)
        code, text = await talk.refusal(talk.agent.prompt(session_id=session, prompt=[text_block("hi")]))
        assert (code, "no such model" in text) == (-32603, True)
        assert await talk.prompt(session, "again") == "max_tokens"
        assert await talk.prompt(session, "look") == "max_turn_requests"


COMMANDS = """
@ext.command('show', 'show what it was told')
def show(args):
    return display('shown ' + args)

@ext.command('ask', 'ask the model')
def ask(args):
    return prompt('question ' + args)

@ext.command('fail', 'fail')
def fail(args):
    raise ValueError('no such thing')

@ext.command('type', 'suggest')
def type_(args):
    return insert(args)

ext.command('key', 'run by a key', hidden=True)(lambda args: display('pressed'))
panel = ext.panel('p', title='Keys')
ext.command('open', 'open a panel')(lambda args: panel.open())
panel.on_render(lambda: ['up', 'down'])
"""


async def test_commands_of_extensions_are_told_and_run(zot: Zot, server: ScriptedServer) -> None:
    server.add("The answer.", "Of a path.")
    folder = str(write_extension(zot.cwd.parent / "speaker", COMMANDS, name="speaker"))
    async with open_talk(zot, *zot.at(server), "--ext", folder) as talk:
        session = await talk.begin(zot)
        told = await talk.editor.until(lambda each: each.session_update == "available_commands_update")
        commands = {each.name: each.description for each in told.available_commands}
        assert commands["ask"] == "ask the model"
        own = sorted(name for name in commands if not name.startswith("skill:"))
        assert own == ["ask", "compact", "fail", "init", "open", "review", "show", "type"]
        hints = {each.name: each.input.root.hint for each in told.available_commands if each.input is not None}
        assert hints["review"] == "[branch | commit]"
        assert "skill:write-zot-extension" in commands
        for typed, said in (
            ("/show me  ", "*[speaker]* shown me"),
            ("/key", "*[speaker]* pressed"),
            ("/ask what?", "The answer."),
            ("/type a word", "*[speaker]* suggests to say: a word"),
            ("/usr/bin is a path", "Of a path."),
        ):
            talk.editor.updates.clear()
            assert await talk.prompt(session, typed) == "end_turn"
            assert talk.editor.said().strip() == said
            assert talk.editor.said("user_message_chunk") == ("question what?" if typed.startswith("/ask") else "")
        code, text = await talk.refusal(talk.agent.prompt(session_id=session, prompt=[text_block("/fail")]))
        assert (code, "no such thing" in text) == (-32603, True)
        await talk.prompt(session, "/open")
        await talk.editor.until(lambda each: "Keys" in repr(each))
    assert len(server.requests) == 2


async def test_a_skill_is_loaded_by_its_command(zot: Zot, server: ScriptedServer) -> None:
    folder = zot.home / "skills/release"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: release\ndescription: d\n---\nTag $ARGUMENTS first, then push.\n")
    server.add("Done.")
    async with open_talk(zot, *zot.at(server)) as talk:
        session = await talk.begin(zot)
        assert await talk.prompt(session, "/skill:release v1") == "end_turn"
        assert talk.editor.said() == "Done."
        assert talk.editor.of("user_message_chunk") == []
        refused = talk.agent.prompt(session_id=session, prompt=[text_block("/skill:relaese v1")])
        assert "did you mean release" in (await talk.refusal(refused))[1]
    assert "Tag v1 first, then push." in server.requests[0].body["messages"][-1]["content"]


async def test_a_turn_that_is_refused_ends_with_the_reason(zot: Zot, server: ScriptedServer) -> None:
    body = """
@ext.intercept('turn_start')
def never(turn):
    return TurnStartDecision(block=True, reason='not today')
"""
    folder = str(write_extension(zot.cwd.parent / "guard", body, name="speaker"))
    async with open_talk(zot, *zot.at(server), "--ext", folder) as talk:
        session = await talk.begin(zot)
        done = await talk.agent.prompt(session_id=session, prompt=[text_block("hi")])
        assert (done.stop_reason, done.field_meta) == ("end_turn", {"zot": {"end": "refused"}})
        assert "not today" in talk.editor.said()
    assert server.requests == []


async def test_text_that_an_extension_replaces_is_never_told(zot: Zot, server: ScriptedServer) -> None:
    server.add("a SECRET")
    body = (
        "@ext.intercept('assistant_message')\n"
        "def hide(message):\n"
        "    return AssistantMessageDecision(replace_text=message.text.replace('SECRET', '***'))\n"
    )
    folder = str(write_extension(zot.cwd.parent / "redact", body, name="speaker"))
    async with open_talk(zot, *zot.at(server), "--ext", folder) as talk:
        await talk.prompt(await talk.begin(zot), "hi")
        assert talk.editor.said() == "a ***"
        assert "SECRET" not in repr(talk.editor.updates)


async def test_extensions_of_a_project_do_not_start_unasked_and_servers_need_their_packages(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("Hello.", "Again.")
    write_extension(zot.cwd / ".zot/extensions/speaker", "open('started', 'w').close()")
    async with open_talk(zot, *zot.at(server)) as talk:
        servers = [McpServerStdio(name="files", command="/bin/false", args=[], env=[])]
        session = await talk.begin(zot, mcp_servers=servers)
        await talk.prompt(session, "hi")
        assert "needs Python packages that are not installed; run: zot ext setup mcp" in talk.editor.said()
        assert "speaker" in talk.editor.said()
        assert talk.editor.said().endswith("\n\nHello.")
        talk.editor.updates.clear()
        await talk.prompt(session, "again")
        assert talk.editor.said() == "Again."
    assert [each.name for each in zot.cwd.iterdir()] == [".zot"]


@pytest.mark.parametrize("closed", ["input", "output"])
async def test_when_the_editor_goes_nothing_stays(zot: Zot, server: ScriptedServer, closed: str) -> None:
    os.mkfifo(zot.cwd / "pid")
    server.add(SLEEP, SLEEP)
    async with start_talk(zot, *zot.at(server)) as (talk, process):
        session = await talk.begin(zot)
        sending = {"sessionId": session, "prompt": [{"type": "text", "text": "sleep"}]}
        request = {"jsonrpc": "2.0", "id": 99, "method": "session/prompt", "params": sending}
        talk.writer.write(json.dumps(request).encode() + b"\n")
        pid = await asyncio.to_thread(running_pid, zot)
        if closed == "output":
            process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        else:
            talk.writer.close()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
        assert ended(pid)


def test_a_signal_stops_everything(zot: Zot, server: ScriptedServer) -> None:
    os.mkfifo(zot.cwd / "pid")
    server.add(SLEEP)
    process = zot.start("acp", *zot.at(server), stdin=subprocess.PIPE)

    def call(id: int, method: str, **params: Any) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        return {} if method == "session/prompt" else dict(json.loads(process.stdout.readline())["result"])

    session = call(1, "session/new", cwd=str(zot.cwd), mcpServers=[])["sessionId"]
    call(2, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "sleep"}])
    pid = running_pid(zot)
    process.terminate()
    done = zot.finish(process)

    assert ended(pid)
    assert (done.code, done.err) == (143, "")
    last = json.loads(done.out.splitlines()[-1])
    assert (last["id"], last["result"]["stopReason"]) == (2, "cancelled")


def test_what_is_no_message_is_answered_and_the_next_one_is_read(zot: Zot, server: ScriptedServer) -> None:
    lines = [
        b"{nonsense", b"[1, 2]", b'{"jsonrpc": "2.0", "id": {}, "method": "x"}',
        b'{"jsonrpc": "2.0", "id": 3, "error": "none"}', b"", b"\xff",
        b'{"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 1}}',
    ]  # fmt: skip

    done = zot.run("acp", *zot.at(server), stdin=b"\n".join(lines))

    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [(each["id"], each.get("error", {}).get("code")) for each in answers] == [
        (None, -32700), (None, -32600), (None, -32600), (None, -32600), (None, -32700), (7, None),
    ]  # fmt: skip
    assert (done.code, done.err) == (0, "")


async def test_an_operation_with_a_field_that_is_missing_wrong_or_too_large_is_refused_as_over_other_transports(
    zot: Zot, server: ScriptedServer
) -> None:
    assert {code for _, _, code, _ in FAULTS} == {"invalid", "too_large"}
    async with start_talk(zot, *zot.at(server), "--no-session") as (talk, _):
        session = await talk.begin(zot)
        for name, fields, code, words in FAULTS:
            with pytest.raises(RequestError) as caught:
                await talk.agent.ext_method(f"zot/{name}", {"sessionId": session, **fields})
            assert (caught.value.data, str(caught.value)) == ({"code": code}, words), name
        code, text = await talk.refusal(
            talk.agent.ext_method("zot/session.rename", {"sessionId": session, "title": "x" * LINE_BYTES})
        )
        assert (code, text) == (-32600, f"the message is longer than {LINE_BYTES} bytes and was passed over")
        assert await talk.agent.ext_method("zot/control.abort", {"sessionId": session}) == {}


def test_wrong_words_on_the_command_line_are_refused(zot: Zot) -> None:
    for words in (["do it"], ["--print"], ["--session", "x"], ["--cwd", "/"], ["--nonsense"]):
        done = zot.run("acp", *words)
        assert (done.code, done.out) == (2, "")
        assert done.line()
    assert zot.run("acp", "--help").out.startswith("usage: zot acp [options of zot]")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--provider", "nope"], "unknown provider 'nope'"),
        (["--model", "opnai/gpt-5.1"], "unknown provider 'opnai'"),
        (["--tools", "foo"], "unknown tool 'foo'"),
        (["--provider", "openai", "--base-url", "foo"], "must begin with http://"),
    ],
)
@pytest.mark.parametrize("key", [True, False])
def test_words_with_which_no_session_could_begin_are_refused_at_the_start(
    zot: Zot, words: list[str], told: str, key: bool
) -> None:
    env = zot.env if key else zot.keyless_env
    done = zot.run("acp", *words, env=env)
    assert (done.code, done.out) == (2, "")
    assert told in done.line()


def test_an_extension_that_is_not_there_is_an_error_at_the_start(zot: Zot) -> None:
    done = zot.run("acp", "--ext", "/nowhere/at/all")
    assert (done.code, done.line()) == (2, "--ext /nowhere/at/all: there is no such folder")


def test_without_the_package_of_the_protocol_it_is_named(zot: Zot) -> None:
    program = "import sys; sys.modules['acp'] = None; from zot_agent.entry import main; sys.exit(main())"
    zot.command = (sys.executable, "-c", program)

    done = zot.run("acp")

    assert (done.code, done.out) == (2, "")
    assert "needs the package agent-client-protocol" in done.line()


def test_standard_output_is_the_protocols_alone(zot: Zot, server: ScriptedServer) -> None:
    program = (
        "import atexit, sys; from zot_agent.entry import main; "
        "atexit.register(print, 'from a library'); sys.exit(main())"
    )
    zot.command = (sys.executable, "-c", program)
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}\n'

    done = zot.run("acp", *zot.at(server), stdin=request)

    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1]
    assert done.err == "from a library\n"


async def test_what_only_reads_is_not_asked_about_and_what_cannot_be_judged_is_in_yolo(
    zot: Zot, server: ScriptedServer
) -> None:
    look, hide = (Turn(calls=[Call("bash", {"command": each})]) for each in ("ls -a | head -3", "echo touch made | sh"))
    server.add(look, "I see.", hide, "Well.")
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps({"permissions": {"deny": ["bash(touch *)"]}}))
    async with open_talk(zot, *zot.at(server), "--no-yolo") as talk:
        assert await talk.prompt(await talk.begin(zot), "look") == "end_turn"
        assert (talk.editor.asked, talk.editor.call()["status"]) == ([], "completed")
    async with open_talk(zot, *zot.at(server), "--permission-mode", "yolo") as talk:
        session = await talk.begin(zot)
        talk.editor.answers += ["reject"]
        assert await talk.prompt(session, "go") == "end_turn"
        assert len(talk.editor.asked) == 1
    assert not (zot.cwd / "made").exists()


async def operation(talk: Talk, id: str, name: str, /, **fields: Any) -> Any:
    """The answer to an operation."""
    async with asyncio.timeout(PATIENCE):
        return await talk.agent.ext_method(f"zot/{name}", {"sessionId": id, **fields})


async def test_a_conversation_goes_on_in_a_copy_and_the_first_session_stays_as_it_was(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("One.", "Two.", "Three.")
    async with start_talk(zot, *zot.at(server)) as (talk, _):
        first = await talk.begin(zot)
        assert [await talk.prompt(first, each) for each in ("a", "b")] == ["end_turn"] * 2
        entries = (await operation(talk, first, "session.tree"))["entries"]
        place = await operation(talk, first, "session.fork", entry=entries[1]["id"])
        copy = place["session_id"]
        assert copy != first
        assert (sorted(place), place["messages"]) == (["entry", "messages", "session_id"], 2)
        told = [each for each in talk.editor.of("session_info_update", first) if each.field_meta]
        assert [each.field_meta["zot"] for each in told] == [
            {"type": "session_start", "session_id": copy, "reason": "fork"}
        ]
        assert await talk.prompt(first, "c") == "end_turn"
        assert "*[zot]* the conversation continues in another session; messages of it so far: 2" in talk.editor.said()
        assert [each["content"] for each in server.requests[-1].body["messages"][1:]] == ["a", "One.", "c"]
        listed = (await talk.agent.list_sessions()).sessions
        assert {each.session_id for each in listed} == {first, copy}
        talk.editor.updates.clear()
        await talk.agent.load_session(cwd=str(zot.cwd), session_id=copy)
        assert talk.editor.said("user_message_chunk", copy) == "ac"
        await talk.agent.load_session(cwd=str(zot.cwd), session_id=first)
        assert talk.editor.said("user_message_chunk", first) == "ab"


async def test_every_change_of_the_session_has_the_answer_that_clients_of_rpc_get_and_waits_for_no_prompt(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("One.", "Two.", Turn("Slowly.", delay=60.0))
    async with start_talk(zot, *zot.at(server)) as (talk, _):
        session = await talk.begin(zot)
        for text in ("a", "b"):
            assert await talk.prompt(session, text) == "end_turn"
        entry = (await operation(talk, session, "session.tree"))["entries"][1]["id"]
        place, moved = SessionPlace.__required_keys__, MovedPlace.__required_keys__
        changes: list[tuple[str, dict[str, Any], frozenset[str], int]] = [
            ("session.undo", {}, moved, 2),
            ("session.redo", {}, moved, 4),
            ("session.navigate", {"entry": entry, "label": "here"}, moved, 2),
            ("session.fork", {"entry": entry, "position": "before"}, place, 1),
            ("session.new", {"messages": [{"text": "c"}, {"text": "d", "role": "assistant"}]}, place, 2),
            ("session.open", {"session": session}, OpenedPlace.__required_keys__, 2),
        ]
        for name, fields, keys, messages in changes:
            answer = await operation(talk, session, name, **fields)
            assert (answer.keys(), answer["messages"]) == (keys, messages), name
            told = talk.editor.of("session_info_update", session)[-1].field_meta["zot"]
            assert (told["type"], told["session_id"]) == (
                "session_tree" if keys == moved else "session_start", answer["session_id"],
            )  # fmt: skip
        assert answer["session_id"] == session
        assert await operation(talk, session, "control.clear") == {}
        assert talk.editor.of("session_info_update", session)[-1].title is None
        prompt = asyncio.create_task(talk.prompt(session, "slow"))
        await asyncio.sleep(0)  # it is sent, and not in the queue of the conversation yet
        for name, fields, _, _ in (*changes, ("control.clear", {}, place, 0)):
            with pytest.raises(RequestError, match="the agent is busy; wait for done, or abort") as refused:
                await operation(talk, session, name, **fields)
            assert refused.value.data == {"code": "busy"}
        await talk.agent.cancel(session_id=session)
        assert await prompt == "cancelled"
