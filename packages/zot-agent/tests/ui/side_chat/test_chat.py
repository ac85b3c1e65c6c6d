import asyncio
import threading
from contextlib import aclosing
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.ui.side_chat.chat import INSTRUCTIONS, SideChat, without_tool_calls
from zot_core.errors import Busy
from zot_core.events import TextDelta
from zot_core.runtime.runtime import Runtime
from zot_core.testing import EventClient
from zot_provider.client.http import HttpClient
from zot_provider.errors import ProviderError, StatusError, StreamCut
from zot_provider.events import StreamEnd
from zot_provider.events import TextDelta as Delta
from zot_provider.messages import (
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.model import Model, Price
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import Call, Fault, ScriptedClient, ScriptedServer, Turn
from zot_provider.usage import Usage

MODEL = Model("m", "v", price=Price(1.0, 2.0))


async def asked(chat: SideChat, text: str) -> str:
    return "".join([delta async for delta in chat.ask(text)])


def texts(request: Request) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in request.messages]


async def test_a_side_question_sees_the_conversation_and_leaves_no_trace_in_it(tmp_path: Path) -> None:
    client = ScriptedClient(["main answer", Turn("side answer", usage=Usage(input=1_000_000, output=500_000))])
    path = tmp_path / "s.jsonl"
    async with Runtime(MODEL, client=client, cwd=tmp_path, session=path, system_prompt="be good") as runtime:
        await runtime.ask("main question")
        before, usage, written = runtime.messages, runtime.usage, path.read_bytes()
        chat = SideChat(runtime)
        assert await asked(chat, "by the way") == "side answer"
        assert (runtime.messages, runtime.usage, path.read_bytes()) == (before, usage, written)
        assert chat.usage.cost_usd == 2.0
        assert [message.text for message in chat.messages] == ["by the way", "side answer"]
    request = client.requests[1]
    assert texts(request) == [("user", "main question"), ("assistant", "main answer"), ("user", "by the way")]
    assert request.tools == []
    assert request.system.endswith(INSTRUCTIONS)
    assert "be good" in request.system


async def test_a_side_chat_goes_on_and_its_context_stays_as_it_was(tmp_path: Path) -> None:
    client = ScriptedClient(["one", "side one", "two", "side two"])
    async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
        await runtime.ask("first")
        chat = SideChat(runtime)
        await asked(chat, "q1")
        await runtime.ask("second")
        await asked(chat, "q2")
    assert [text for _, text in texts(client.requests[3])] == ["first", "one", "q1", "side one", "q2"]
    assert [text for _, text in texts(client.requests[2])] == ["first", "one", "second"]


async def test_a_busy_agent_is_not_disturbed(tmp_path: Path) -> None:
    """Over real sockets: the agent's answer hangs until the side chat is over."""

    over = threading.Event()

    def slow(request: object) -> Turn:
        assert over.wait(PATIENCE)
        return Turn("slow answer")

    with ScriptedServer([slow, "quick answer"]) as server:
        client = HttpClient(ModelRegistry().provider("local"), base_url=server.base_url("openai-chat"))
        async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
            run = runtime.prompt("long work")
            await asyncio.to_thread(server.wait_for, 1, 60.0)
            chat = SideChat(runtime)
            assert await asked(chat, "quick question") == "quick answer"
            assert runtime.busy
            over.set()
            assert "".join([event.delta async for event in run if isinstance(event, TextDelta)]) == "slow answer"
            assert [message.text for message in runtime.messages] == ["long work", "slow answer"]


async def test_a_question_that_is_stopped_keeps_what_was_said(tmp_path: Path) -> None:
    client = ScriptedClient([Turn("one two three", chunk=4, delay=0.01), "next"])
    async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
        chat = SideChat(runtime)
        async with aclosing(chat.ask("q")) as deltas:
            async for _ in deltas:
                break
        assert client.cancelled == 1
        assert [message.text for message in chat.messages] == ["q", "one "]
        assert await asked(chat, "again") == "next"
    assert texts(client.requests[1])[:2] == [("user", "q"), ("assistant", "one ")]


async def test_a_task_that_is_cancelled_before_the_answer_leaves_no_question(tmp_path: Path) -> None:
    client = EventClient([None], [Delta("yes"), StreamEnd("end_turn", [TextBlock("yes")])])
    async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
        chat = SideChat(runtime)
        work = asyncio.create_task(asked(chat, "q"))
        await client.hanging.wait()
        with pytest.raises(Busy):
            await asked(chat, "another")
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert chat.messages == []
        assert await asked(chat, "again") == "yes"


async def test_failures_are_told_and_the_chat_goes_on(tmp_path: Path) -> None:
    with ScriptedServer([Turn(fault=Fault(status=400)), "yes"]) as server:
        client = HttpClient(ModelRegistry().provider("local"), base_url=server.base_url("openai-chat"))
        async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
            chat = SideChat(runtime)
            with pytest.raises(StatusError):
                await asked(chat, "q")
            assert chat.messages == []
            assert await asked(chat, "again") == "yes"


async def test_an_answer_without_an_end_is_said_to_be_cut(tmp_path: Path) -> None:
    client = EventClient([Delta("half")], [ProviderError("no")])
    async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
        chat = SideChat(runtime)
        with pytest.raises(StreamCut):
            await asked(chat, "q")
        assert [message.text for message in chat.messages] == ["q", "half"]


async def test_where_only_the_server_knows_its_models_its_first_one_is_asked(tmp_path: Path) -> None:
    with ScriptedServer(["yes"], models=["served"]) as server:
        client = HttpClient(ModelRegistry().provider("local"), base_url=server.base_url("openai-chat"))
        async with Runtime(Model("", "local"), client=client, cwd=tmp_path) as runtime:
            chat = SideChat(runtime)
            assert await asked(chat, "q") == "yes"
            assert chat.model.id == "served"
            assert runtime.agent.model.id == ""


async def test_a_conversation_with_tools_is_asked_about_without_any(tmp_path: Path) -> None:
    """Every wire takes it, in the middle of a batch of calls too."""
    history = [
        Message("user", [TextBlock("read it")]),
        Message(
            "assistant",
            [
                ReasoningBlock("hm", signature="s", wire="anthropic-messages"),
                ToolCallBlock("c1", "read", '{"path": "a"}'),
                ToolCallBlock("c2", "bash", "{}"),
            ],
        ),
        Message(
            "tool", [ToolResultBlock("c1", [TextBlock("content"), ImageBlock("image/png", "AAAA")], is_error=True)]
        ),
    ]
    copy = without_tool_calls(history)
    assert [message.role for message in copy] == ["user", "assistant", "user"]
    assert copy[1].text == '[used the tool read: {"path": "a"}]\n[used the tool bash: {}]'
    assert copy[2].text == "[the tool read failed and gave:]\ncontent"
    assert copy[2].content[-1] == ImageBlock("image/png", "AAAA")
    assert history[1].tool_calls

    for provider in ("anthropic", "openai", "openai-responses"):
        with ScriptedServer(["yes"]) as server:
            base_url = server.base_url(ModelRegistry().provider(provider).wire)
            client = HttpClient(ModelRegistry().provider(provider), key="k", base_url=base_url)
            async with Runtime(MODEL, client=client, cwd=tmp_path, messages=history) as runtime:
                assert await asked(SideChat(runtime), "q") == "yes"


async def test_a_model_that_calls_a_tool_all_the_same_runs_none(tmp_path: Path) -> None:
    client = ScriptedClient([Turn("let me see", calls=[Call("bash", {"command": f"touch {tmp_path}/made"})]), "ok"])
    async with Runtime(MODEL, client=client, cwd=tmp_path) as runtime:
        chat = SideChat(runtime)
        assert await asked(chat, "q") == "let me see"
        assert await asked(chat, "and?") == "ok"
    assert not (tmp_path / "made").exists()
    assert not any(message.tool_calls for message in client.requests[1].messages)
