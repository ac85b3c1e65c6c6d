import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zot_core.errors import Busy, Closed
from zot_core.runtime import Runtime
from zot_core.sessions.file import load
from zot_core.state import OtherVendor, State
from zot_core.testing import EventClient, FakeShell, MemoryFiles
from zot_core.tools.base import tool
from zot_provider.client import Client, HttpClient
from zot_provider.errors import ConfigError, ConnectError, UnknownName
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, ScriptedServer
from zot_provider.usage import Usage
from zot_provider.vendors import VENDORS

CHANGES: list[Any] = [
    pytest.param(lambda rt: rt.set_model("other"), id="set_model"),
    pytest.param(lambda rt: rt.set_reasoning("low"), id="set_reasoning"),
    pytest.param(lambda rt: rt.set_tools([]), id="set_tools"),
    pytest.param(lambda rt: rt.set_messages([]), id="set_messages"),
    pytest.param(lambda rt: rt.clear(), id="clear"),
    pytest.param(lambda rt: rt.new_session(), id="new_session"),
]


@tool
async def lookup(city: str) -> str:
    return city


def runtime(client: Client, model: str | Model = "m", **options: Any) -> Runtime:
    return Runtime(model, client=client, files=MemoryFiles(), shell=FakeShell(), **options)


def vendor(id: str, base_url: str = "") -> HttpClient:
    """A client of a vendor, which is asked nothing."""
    return HttpClient(next(each for each in VENDORS if each.id == id), key="sk-x", base_url=base_url)


def said(*texts: str) -> list[Message]:
    return [Message(role, [TextBlock(text)], "") for role, text in zip(["user", "assistant"] * 9, texts, strict=False)]  # type: ignore[arg-type]


def words(client: ScriptedClient, number: int = -1) -> list[str]:
    """What the model was told with a request."""
    return [message.text for message in client.requests[number].messages]


def test_the_state_is_a_snapshot(tmp_path: Path) -> None:
    async def main() -> None:
        rt = runtime(ScriptedClient(["hi"]), Model("m", "acme"), cwd=tmp_path, session=tmp_path / "kept.jsonl")
        async with rt:
            rt.follow_up("later")
            assert rt.state == State("acme", "m", str(tmp_path), 0, False, Usage(), "off", "kept", 1)
            run = rt.prompt("hello")
            assert rt.state.busy
            await run.task
            state = rt.state
            assert (state.message_count > 1, state.busy, state.queued) == (True, False, 0)
            assert state.usage == rt.usage

    asyncio.run(main())


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_for_an_idle_and_open_agent(change: Callable[[Runtime], None]) -> None:
    async def main() -> None:
        async with runtime(EventClient([None])) as rt:
            rt.prompt("hello")
            with pytest.raises(Busy):
                change(rt)
        with pytest.raises(Closed):
            change(rt)

    asyncio.run(main())


@pytest.mark.parametrize("change", CHANGES[:3])
def test_a_change_has_the_system_prompt_made_anew(change: Callable[[Runtime], None]) -> None:
    async def main() -> None:
        client = ScriptedClient(["one", "two", "three"])
        asked: list[str] = []
        async with runtime(client) as rt:
            rt.hooks.before_run.add(asked.append)
            await rt.ask("1")
            await rt.ask("2")
            assert len(asked) == 1
            change(rt)
            await rt.ask("3")
            assert len(asked) == 2

    asyncio.run(main())


def test_a_model_of_a_client_of_one_s_own_is_any_name(tmp_path: Path) -> None:
    async def main() -> None:
        client = ScriptedClient(["one", "two"])
        async with runtime(client, session=tmp_path / "s.jsonl") as rt:
            await rt.ask("1")
            rt.set_model("another")
            await rt.ask("2")
        assert [request.model.id for request in client.requests] == ["m", "another"]
        assert load(str(tmp_path / "s.jsonl")).meta.model == "another"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-99-unheard-of", "claude-99-unheard-of"),
    ],
)
def test_a_model_is_found_in_the_catalogue_or_taken_as_it_is(name: str, id: str) -> None:
    async def main() -> None:
        async with runtime(vendor("anthropic"), Model("claude-opus-4-5", "anthropic")) as rt:
            rt.set_model(name)
            assert (rt.state.model, rt.state.provider) == (id, "anthropic")

    asyncio.run(main())


@pytest.mark.parametrize("name", ["openai/gpt-4o", "gpt-4o", "", "anthropic/"])
def test_a_model_of_another_vendor_is_refused_and_so_is_none(name: str) -> None:
    async def main() -> None:
        async with runtime(vendor("anthropic"), Model("claude-opus-4-5", "anthropic")) as rt:
            with pytest.raises(ConfigError):
                rt.set_model(name)
            assert rt.state.model == "claude-opus-4-5"

    asyncio.run(main())


@pytest.mark.parametrize("name", ["claude-sonnet-4-5", "anthropic/something-else", "gpt"])
def test_a_server_with_names_of_its_own_takes_every_name(name: str) -> None:
    async def main() -> None:
        async with runtime(vendor("openai", "http://127.0.0.1:9/v1"), Model("local-llm", "openai")) as rt:
            rt.set_model(name)
            assert (rt.state.model, rt.state.provider) == (name, "openai")
            with pytest.raises(OtherVendor, match="anthropic"):
                rt.set_model("anthropic/claude-sonnet-4-5")

    asyncio.run(main())


def test_models_are_those_of_the_catalogue_or_of_the_server() -> None:
    async def main() -> None:
        async with runtime(vendor("anthropic"), Model("claude-opus-4-5", "anthropic")) as rt:
            found = await rt.list_models()
            assert "claude-sonnet-4-5" in [model.id for model in found]
        with ScriptedServer(models=["one", "two"]) as server:
            client = vendor("openai", server.base_url("openai-chat"))
            async with runtime(client, Model("scripted", "openai")) as rt:
                assert [model.id for model in await rt.list_models()] == ["scripted", "one", "two"]
        async with runtime(vendor("openai", "http://127.0.0.1:9/v1"), Model("local-llm", "openai")) as rt:
            with pytest.raises(ConnectError):
                await rt.list_models()
        async with runtime(ScriptedClient()) as rt:
            assert [model.id for model in await rt.list_models()] == ["m"]

    asyncio.run(main())


def test_how_much_a_model_thinks_can_be_changed() -> None:
    async def main() -> None:
        client = ScriptedClient(["ok"])
        async with runtime(client) as rt:
            rt.set_reasoning("high")
            await rt.ask("1")
            assert client.requests[0].reasoning == "high"
            with pytest.raises(UnknownName, match="did you mean high"):
                rt.set_reasoning("hihg")  # type: ignore[arg-type]

    asyncio.run(main())


def test_tools_can_be_changed_and_those_of_others_stay() -> None:
    async def main() -> None:
        client = ScriptedClient(["one", "two"])
        async with runtime(client, tools=[lookup], builtin_tools=["read"]) as rt:
            stranger = lookup
            rt.agent.tools["stranger"] = stranger
            rt.set_tools(["bash"])
            await rt.ask("1")
            assert sorted(rt.agent.tools) == ["bash", "stranger"]
            rt.set_tools(["lookup", "stranger"])
            await rt.ask("2")
            assert sorted(rt.agent.tools) == ["lookup", "stranger"]
            with pytest.raises(UnknownName, match="did you mean read"):
                rt.set_tools(["raed"])
            assert sorted(rt.agent.tools) == ["lookup", "stranger"]

    asyncio.run(main())


def test_a_cleared_conversation_is_gone_in_its_file_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    async def main() -> None:
        client = ScriptedClient(["one", "two", "three"])
        async with runtime(client, session=path) as rt:
            await rt.ask("my name is Ada")
            rt.steer("left over")
            usage = rt.usage
            rt.clear()
            assert (rt.messages, rt.usage, rt.state.queued) == ([], usage, 0)
            await rt.ask("who am I?")
        assert words(client) == ["who am I?"]
        async with runtime(client, session=path) as rt:
            assert [message.text for message in rt.messages] == ["who am I?", "two"]
            rt.clear()
        async with runtime(client, session=path) as rt:
            assert rt.messages == []
            await rt.ask("still there?")
        assert words(client) == ["still there?"]

    asyncio.run(main())
    assert "Ada" in path.read_text("utf-8")  # what was said is never edited


def test_clearing_what_was_never_begun_writes_no_file(tmp_path: Path) -> None:
    async def main() -> None:
        async with runtime(ScriptedClient(), session=tmp_path / "s.jsonl") as rt:
            rt.clear()

    asyncio.run(main())
    assert not (tmp_path / "s.jsonl").exists()


def test_a_cleared_conversation_can_be_compacted(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    async def main() -> None:
        client = ScriptedClient(["one", *["yes"] * 4, "the notes", "ok"])
        async with runtime(client, session=path) as rt:
            await rt.ask("before")
            rt.clear()
            for number in range(4):
                await rt.ask(str(number))
            assert await rt.compact().task == "completed"
            kept = rt.messages
        async with runtime(client, session=path) as rt:
            assert [message.text for message in rt.messages] == [message.text for message in kept]

    asyncio.run(main())


def test_a_conversation_can_be_put_in_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    async def main() -> None:
        client = ScriptedClient(["one", "two"])
        async with runtime(client, session=path) as rt:
            await rt.ask("before")
            rt.set_messages(said("I am Ada", "hello Ada"))
            await rt.ask("who am I?")
        assert words(client) == ["I am Ada", "hello Ada", "who am I?"]
        async with runtime(client, session=path) as rt:
            assert [message.text for message in rt.messages] == ["I am Ada", "hello Ada", "who am I?", "two"]

    asyncio.run(main())


def test_a_new_session_is_a_new_file_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    async def main() -> None:
        client = ScriptedClient(["one", "two"])
        async with runtime(client, session=path) as rt:
            await rt.ask("first")
            rt.new_session()
            assert rt.session is not None
            fresh = rt.session.path
            assert (rt.messages, rt.usage) == ([], Usage())
            assert not Path(fresh).exists()
            await rt.ask("second")
            assert client.requests[1].cache_key == rt.state.session_id
            usage = rt.usage
        stored = load(fresh)
        assert [message.text for message in stored.messages] == ["second", "two"]
        assert (stored.meta.id, stored.usage) == (rt.state.session_id, usage)
        assert [message.text for message in load(str(path)).messages] == ["first", "one"]
        async with runtime(client, session=path):
            pass  # and it can be opened

    asyncio.run(main())


def test_without_a_file_a_new_session_is_a_new_conversation() -> None:
    async def main() -> None:
        client = ScriptedClient(["one", "two"])
        async with runtime(client) as rt:
            await rt.ask("first")
            rt.new_session()
            assert (rt.usage, rt.state.session_id) == (Usage(), "")
            await rt.ask("second")
        assert words(client) == ["second"]

    asyncio.run(main())
