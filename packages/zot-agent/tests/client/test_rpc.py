"""`RpcClient` with real `zot rpc` processes and a scripted model, and with programs that are not zot."""

import asyncio
import gc
import os
import signal
import sys
from base64 import b64decode
from pathlib import Path
from typing import get_type_hints

import pytest
from extension_folder import write_extension, write_program
from processes import runs
from rpc_client import connect, events_of, text, types
from waiting import PATIENCE, read_fifo

from zot_agent.client import ClientLimits, Disconnected, Event, RpcClient, RpcError, image
from zot_agent.operations.names import FIELDS
from zot_core.testing import PIXEL
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

PNG = b64decode(PIXEL.data)


async def test_a_normal_end_logs_no_error(server: ScriptedServer, caplog: pytest.LogCaptureFixture) -> None:
    async with connect(server) as client:
        await client.ping()
    assert [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
    gc.collect()  # a task whose failure nobody has seen tells it then
    assert caplog.records == []


def test_there_is_a_method_for_every_command() -> None:
    names = {name.replace(".", "_") for name in FIELDS} - {"hello", "prompts_send", "control_compact"}
    assert [name for name in {*names, "prompt", "compact"} if not callable(getattr(RpcClient, name, None))] == []
    assert "hello" in get_type_hints(RpcClient)


async def test_the_commands_that_ask_and_change_the_state(server: ScriptedServer) -> None:
    server.add("one")
    async with connect(server) as client:
        await client.ping()
        await events_of(client.prompt("hi"))
        state = await client.control_state()
        assert (state["busy"], state["message_count"], state["usage"]["output"]) == (False, 2, 5)
        assert state["cwd"] == str(Path.cwd())
        assert [message["role"] for message in (await client.prompts_messages())["messages"]] == ["user", "assistant"]
        assert all(model["provider"] == "openai" for model in (await client.model_list())["models"])
        assert (await client.model_set("another"))["model"] == "another"
        await client.model_reasoning("low")
        assert (await client.tools_set(["read"]))["names"] == ["read"]
        await client.control_clear()
        state = await client.control_state()
        assert (state["model"], state["message_count"], state["reasoning"]) == ("another", 0, "low")
        assert await client.session_new() == {"session_id": "", "entry": None, "messages": 0}
        assert {model["provider"] for model in (await client.model_list(scope="all"))["models"]} > {
            "openai",
            "anthropic",
        }


async def test_a_client_goes_back_in_the_session(server: ScriptedServer) -> None:
    server.add("one", "the summary", "two")
    async with connect(server) as zot:
        await events_of(zot.prompt("a"))
        entry = (await zot.session_tree())["entries"][0]
        assert (entry["kind"], entry["text"], entry["parent"]) == ("user", "a", "")
        await zot.session_label(entry["id"], "start")
        context = await zot.control_context()
        assert [part["kind"] for part in context["parts"]] == ["system", "tools", "message", "message"]
        assert context["parts"][2]["text"] == "a"
        assert (await zot.session_navigate(entry["id"], position="before", summarise=True))["text"] == "a"
        await events_of(zot.prompt("b"))
        tree = await zot.session_tree()
        kinds = [each["kind"] for each in tree["entries"]]
        assert kinds == ["user", "assistant", "branch_summary", "user", "user", "assistant"]
        assert tree["entries"][4]["text"] == ""  # the mode, since the summary may tell of another one
        assert tree["entries"][0]["label"] == "start"
        assert (await zot.session_fork(tree["entries"][-1]["id"], position="before"))["messages"] == 3
        assert [message["role"] for message in (await zot.prompts_messages())["messages"]] == ["user"] * 3


async def test_a_model_of_another_provider_answers_the_next_prompt(server: ScriptedServer) -> None:
    server.add("from there")
    env = os.environ | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.base_url("openai-chat")}
    env |= {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": server.base_url("anthropic-messages")}
    async with connect(server, env=env) as client:
        assert (await client.model_set("claude-sonnet-4-5", provider="anthropic"))["provider"] == "anthropic"
        assert text(await events_of(client.prompt("hi"))) == "from there"
    assert [request.wire for request in server.requests] == ["anthropic-messages"]


TOY = """
from zot_ext import *
ext = Extension("toy")
ext.command("show", "show something")(lambda args: display(f"shown: {args}"))
ext.command("say", "have the agent say something")(lambda args: prompt(f"say {args}"))
panel = ext.panel("toy", "Toy")
panel.on_render(lambda: ["a line"])
panel.on_key(lambda key: None)
ext.command("open", "open the panel")(lambda args: panel.open())
ext.run()
"""


async def test_events_of_extensions_come_between_prompts_and_their_prompts_are_queued(
    server: ScriptedServer,
) -> None:
    server.add("mine", "theirs", "mine again")
    folder = write_program(Path("toy"), TOY)
    async with connect(server, "--no-skills", "--ext", str(folder.absolute())) as client:
        assert [command["name"] for command in (await client.control_commands())["commands"]][2:] == [
            "open",
            "say",
            "show",
        ]
        assert await client.control_run("show", args="it") == {"action": "display"}
        assert await client.events.next() == {"type": "ext_display", "extension": "toy", "text": "shown: it"}
        assert await client.control_run("open") == {"action": "open_panel"}
        await client.ext_panel_key("enter")
        await client.ext_panel_paste("ab")
        await client.ext_panel_size(100, 40)
        with pytest.raises(RpcError, match="no open panel 'x' of 'toy' wants the mouse"):
            await client.ext_panel_mouse("toy", "x", "press", 0, 0, button=1)
        await client.ext_panel_close()
        with pytest.raises(RpcError, match="no panel is open"):
            await client.ext_panel_close()
        assert await client.get_completions("/show it") == {"start": 8, "end": 8, "items": []}
        assert (await client.control_reload())["loaded"] == 1
        await client.control_commands()
        first = client.prompt("one")
        await client.control_run("say", args="hi")
        second = client.prompt("two")
        assert (text(await events_of(first)), text(await events_of(second))) == ("mine", "mine again")
        theirs: list[Event] = []
        while not theirs or theirs[-1]["type"] != "done":
            theirs.append(await client.events.next() or {})
        assert text(theirs) == "theirs"
        assert types(await events_of(client.prompt("/show it"))) == ["ext_display", "done"]


async def test_messages_can_be_added_to_a_running_prompt(server: ScriptedServer) -> None:
    os.mkfifo("go")
    server.add(Turn(calls=[Call("bash", {"command": "cat go"})]), "as you say", "and that")
    async with connect(server) as client:
        with pytest.raises(RpcError, match="no prompt"):
            await client.prompts_steer("too early")
        operation = client.prompt("work")
        server.wait_for(1, PATIENCE)
        await client.prompts_steer("rather this")
        await client.prompts_follow_up("then that")
        await asyncio.to_thread(Path("go").write_text, "on")
        assert text(await events_of(operation)) == "as you sayand that"
    assert "rather this" in str(server.requests[1].body)


async def test_an_image_goes_with_a_prompt(server: ScriptedServer) -> None:
    server.add("A dot.")
    async with connect(server) as client:
        events = await events_of(client.prompt("what is it?", [image(PNG, "image/png")]))
        (found,) = [each for each in events[0]["content"] if each["type"] == "image"]
        assert found["bytes"] == len(PNG)
        assert await client.get_image(found["id"]) == {"mime_type": "image/png", "data": PIXEL.data}
    assert "data:image/png;base64," in str(server.requests[0].body)


async def test_a_refusal_is_raised_for_its_prompt_and_the_others_continue(server: ScriptedServer) -> None:
    server.add("one", "two")
    async with connect(server) as client:
        first = client.prompt("one")
        wrong = client.prompt("", [{"mime_type": "image/png", "data": "?"}])
        last = client.prompt("two")
        with pytest.raises(RpcError) as raised:
            await events_of(wrong)
        assert raised.value.command == "prompt"
        with pytest.raises(RpcError):
            await wrong.started()
        assert [text(await events_of(each)) for each in (first, last)] == ["one", "two"]
        with pytest.raises(RpcError, match="unknown operation"):
            await client.request("no_such_command")


async def test_a_failure_of_the_model_is_an_event(server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=400, body={"error": {"message": "too bad"}})))
    async with connect(server) as client:
        events = await events_of(client.prompt("hi"))
    assert types(events)[-3:] == ["turn_end", "error", "done"]
    assert "too bad" in events[-2]["message"]


async def test_a_token_is_set_for_the_process_and_sent_by_the_client(server: ScriptedServer) -> None:
    async with connect(server, token="s3cret — §") as client:
        await client.ping()
        assert "s3cret" not in str(vars(client)["hello"])


async def test_leaving_the_block_lets_prompts_finish(server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "sleep 0.3; echo done > finished"})]), "ok")
    async with connect(server, limits=ClientLimits(close_seconds=60), new=True) as client:
        await client.prompt("hi").started()
        pid = client.pid
    assert Path("finished").read_text() == "done\n"
    assert not runs(pid)


async def test_a_failure_in_the_block_leaves_nothing_running(server: ScriptedServer) -> None:
    os.mkfifo("pid")
    server.add(Turn(calls=[Call("bash", {"command": "echo $$ > pid; sleep 600"})]))
    pids = []

    async def fail() -> None:
        async with connect(server, new=True) as client:
            client.prompt("hi")
            pids.extend([int(await asyncio.to_thread(read_fifo, Path("pid"))), client.pid])
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    assert not any(map(runs, pids))


async def test_cancelling_the_block_leaves_nothing_running(server: ScriptedServer) -> None:
    server.add(Turn("word " * 10_000, chunk=5, delay=0.02))
    pids = []
    streams = asyncio.Event()

    async def work() -> None:
        async with connect(server, new=True) as client:
            pids.append(client.pid)
            async for event in client.prompt("hi"):
                if event["type"] == "text_delta":
                    streams.set()

    task = asyncio.create_task(work())
    await streams.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not runs(pids[0])


async def test_every_waiting_call_fails_when_the_process_is_killed(server: ScriptedServer) -> None:
    server.add(Turn("word " * 10_000, chunk=5, delay=0.02))
    async with connect(server, new=True) as client:
        operation = client.prompt("hi")
        await operation.started()
        server.wait_for(1, PATIENCE)
        os.kill(client.pid, signal.SIGKILL)
        with pytest.raises(Disconnected, match="SIGKILL"):
            await events_of(operation)
        with pytest.raises(Disconnected):
            await client.events.next()
        with pytest.raises(Disconnected):
            await client.ping()
        with pytest.raises(Disconnected):
            client.prompt("hi")


async def test_a_closed_client_says_so(server: ScriptedServer) -> None:
    async with connect(server) as client:
        await client.close()
        with pytest.raises(Disconnected, match="exited with code 0"):
            await client.ping()


async def test_the_error_of_a_process_that_does_not_start_has_its_standard_error(server: ScriptedServer) -> None:
    with pytest.raises(Disconnected, match=r"exited with code 2.*--no-such-flag"):
        async with connect(server, "--no-such-flag"):
            pass
    with pytest.raises(Disconnected, match="cannot start /no/such/zot"):
        async with connect(server, command=["/no/such/zot"]):
            pass


DEAF = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('noise', flush=True)\n"


SAYS_HELLO = (
    "import json\nfor line in sys.stdin:\n"
    "    command = json.loads(line)\n"
    "    answer = dict(type='response', id=command['id'], command=command['type'], success=True, data={})\n"
    "    if command['type'] != 'ping': print(json.dumps(answer), flush=True)\n"
)


async def test_a_command_that_is_never_answered_has_a_limit(server: ScriptedServer) -> None:
    limits = ClientLimits(answer_seconds=0.2, close_seconds=0.2, kill_seconds=0.2)
    program = [sys.executable, "-c", DEAF + SAYS_HELLO + "time.sleep(600)"]
    async with connect(server, limits=limits.replace(answer_seconds=30), command=program) as client:
        client.limits = limits
        with pytest.raises(RpcError, match=r"ping: no answer in 0\.2 s"):
            await client.ping()
        pid = client.pid
    assert not runs(pid)


@pytest.mark.parametrize("waiting", [("control.wait_idle", {}), ("compact", {"wait": True})])
async def test_waiting_for_the_end_of_a_prompt_has_the_limit_of_what_waits_for_a_person(
    server: ScriptedServer, waiting: tuple[str, dict[str, bool]]
) -> None:
    server.add(Turn("one two three", chunk=1, delay=0.1))
    async with connect(server) as client:
        running = client.prompt("slow")
        await running.started()
        patient, client.limits = client.limits, client.limits.replace(answer_seconds=0.2)
        await client.request(waiting[0], **waiting[1])
        client.limits = patient
        assert (await events_of(running))[-1]["type"] == "done"


async def test_a_slash_command_that_asks_the_person_is_waited_for(server: ScriptedServer) -> None:
    asks = "ext.command('ask')(lambda _: display(str(ext.ui.confirm('go on?'))))"
    folder = write_extension(Path("asker"), asks, more="capabilities=('ui',)")
    async with connect(server, "--no-skills", "--ext", str(folder.absolute())) as client:
        await client.control_commands()
        usual, client.limits = client.limits, client.limits.replace(answer_seconds=0.0)
        running = asyncio.create_task(client.control_run("ask"))
        while (event := await client.events.next())["type"] != "ext_ui_request":
            pass
        client.limits = usual
        await client.ext_ui_response(event["request"], value=True)
        assert await running == {"action": "display"}


def test_what_has_events_is_no_plain_method() -> None:
    assert not hasattr(RpcClient, "prompts_send")
    assert not hasattr(RpcClient, "control_compact")


READS_NO_MORE = DEAF + SAYS_HELLO.replace("flush=True)", "flush=True); break") + "time.sleep(600)"


async def test_commands_that_are_not_read_are_bounded_and_do_not_block(server: ScriptedServer) -> None:
    limits = ClientLimits(unsent_bytes=1 << 20, close_seconds=0.2, kill_seconds=0.2)
    async with connect(server, limits=limits, command=[sys.executable, "-c", READS_NO_MORE]) as client:
        operation = client.prompt("x" * 15 * 1024 * 1024)
        with pytest.raises(RpcError, match="1048576 bytes wait for zot rpc, which does not read"):
            await client.ping()
        operation.cancel()
    with pytest.raises(Disconnected):
        await operation.started()


async def test_a_process_that_never_says_anything_is_ended(server: ScriptedServer) -> None:
    limits = ClientLimits(answer_seconds=0.2, close_seconds=0.2, kill_seconds=0.2)
    with pytest.raises(RpcError, match="hello: no answer"):
        async with connect(server, limits=limits, command=[sys.executable, "-c", DEAF + "time.sleep(600)"]):
            pass


async def test_a_line_that_would_not_be_read_is_not_sent(server: ScriptedServer) -> None:
    async with connect(server) as client:
        with pytest.raises(RpcError, match="longer than 16777216 bytes"):
            client.prompt("x" * 16 * 1024 * 1024)
        await client.ping()


async def test_one_reader_at_a_time(server: ScriptedServer) -> None:
    async with connect(server) as client:
        first = asyncio.create_task(client.events.next())
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="one reader"):
            await client.events.next()
        first.cancel()


async def test_a_client_undoes_and_redoes_a_prompt_with_its_files(server: ScriptedServer, alone: Path) -> None:
    server.add(Turn(calls=[Call("write", {"path": "a", "content": "new\n"})]), "done")
    async with connect(server) as zot:
        await events_of(zot.prompt("write it"))
        assert [(each["status"], each["diff"]) for each in (await zot.session_diff())["files"]] == [("created", "+new")]
        assert (await zot.session_undo())["text"] == "write it"
        assert not (alone / "a").exists()
        assert (await zot.session_redo(force=True))["restored"] == [str(alone / "a")]
        assert (alone / "a").read_text() == "new\n"
