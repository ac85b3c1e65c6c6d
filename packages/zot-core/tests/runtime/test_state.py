from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zot_core.agent import user_message
from zot_core.errors import Busy, Closed, SessionLocked
from zot_core.events import AgentEvent, Notice
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.state import RuntimeState
from zot_core.runtime.workspace import Workspace
from zot_core.sessions.file import load
from zot_core.testing import EventClient, FakeShell, MemoryFiles
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import ConfigError, ConnectError, MissingKey, UnknownName
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, ScriptedServer, Turn
from zot_provider.usage import Usage

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


def said(*texts: str) -> list[Message]:
    return [Message(role, [TextBlock(text)], "") for role, text in zip(["user", "assistant"] * 9, texts, strict=False)]  # type: ignore[arg-type]


def words(client: ScriptedClient, number: int = -1) -> list[str]:
    """What the model was told with a request."""
    return [message.text for message in client.requests[number].messages]


async def test_the_state_is_a_snapshot(tmp_path: Path) -> None:
    rt = runtime(ScriptedClient(["hi"]), Model("m", "acme"), cwd=tmp_path, session=tmp_path / "kept.jsonl")
    async with rt:
        rt.follow_up("later")
        assert rt.state == RuntimeState("acme", "m", str(tmp_path), 0, False, Usage(), "off", "kept", 1)
        run = rt.prompt("hello")
        assert rt.state.busy
        await run
        state = rt.state
        assert (state.message_count > 1, state.busy, state.queued) == (True, False, 0)
        assert state.usage == rt.usage


@pytest.mark.parametrize("change", CHANGES)
async def test_changes_are_for_an_idle_and_open_agent(change: Callable[[Runtime], None]) -> None:
    async with runtime(EventClient([None])) as rt:
        rt.prompt("hello")
        with pytest.raises(Busy):
            change(rt)
    with pytest.raises(Closed):
        change(rt)


@pytest.mark.parametrize("change", CHANGES[:3])
async def test_a_change_builds_the_system_prompt_again(change: Callable[[Runtime], None]) -> None:
    client = ScriptedClient(["one", "two", "three"])
    asked: list[str] = []
    async with runtime(client) as rt:
        rt.hooks.system_prompt.add(asked.append)
        await rt.ask("1")
        await rt.ask("2")
        assert len(asked) == 1
        change(rt)
        await rt.ask("3")
        assert len(asked) == 2


async def test_a_model_of_a_client_of_one_s_own_is_any_name(tmp_path: Path) -> None:
    client = ScriptedClient(["one", "two"])
    async with runtime(client, session=tmp_path / "s.jsonl") as rt:
        await rt.ask("1")
        rt.set_model("another")
        await rt.ask("2")
    assert [request.model.id for request in client.requests] == ["m", "another"]
    assert load(str(tmp_path / "s.jsonl")).meta.model == "another"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-oai")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("name", "provider", "id"),
    [
        ("claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("claude-99-unheard-of", "anthropic", "claude-99-unheard-of"),
        ("openai/gpt-4o", "openai", "gpt-4o"),
        ("gpt-4o", "openai", "gpt-4o"),
    ],
)
async def test_a_model_of_any_provider_with_a_key_is_taken(name: str, provider: str, id: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with Runtime("anthropic/claude-opus-4-5", session=path) as rt:
        rt.set_model(name)
        assert (rt.state.provider, rt.state.model) == (provider, id)
        assert rt.session is not None
        assert (rt.session.meta.provider, rt.session.meta.model) == (provider, id)


@pytest.mark.usefixtures("keys")
async def test_without_a_key_for_the_other_provider_the_model_stays_and_the_error_names_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    async with Runtime("anthropic/claude-opus-4-5") as rt:
        with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
            rt.set_model("openai/gpt-4o")
        with pytest.raises(ConfigError):
            rt.set_model("anthropic/")
        assert (rt.state.provider, rt.state.model) == ("anthropic", "claude-opus-4-5")


@pytest.mark.usefixtures("keys")
async def test_a_model_that_the_catalogue_does_not_know_is_taken_with_a_warning() -> None:
    async with Runtime("anthropic/claude-opus-4-5") as rt:
        told: list[AgentEvent] = []
        rt.hooks.event.add(told.append)
        rt.set_model("claude-sonnet-4-5")
        assert told == []
        rt.set_model("claude-99-unheard-of")
        (notice,) = told
        assert isinstance(notice, Notice)
        assert "claude-99-unheard-of is not among the models" in notice.message


async def test_one_conversation_goes_from_one_provider_s_server_to_another_s_and_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ScriptedServer(["one", "three"]) as first, ScriptedServer(["two"]) as second:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", second.base_url("anthropic-messages"))
        base_url = first.base_url("openai-chat")
        async with Runtime("gpt-4o", provider="openai", api_key="sk-oai", base_url=base_url) as rt:
            assert str(await rt.ask("1")) == "one"
            rt.set_model("anthropic/claude-opus-4-5")
            assert str(await rt.ask("2")) == "two"
            rt.set_model("openai/gpt-4o")
            assert str(await rt.ask("3")) == "three"
    assert [request.body["model"] for request in first.requests] == ["gpt-4o", "gpt-4o"]
    assert [len(request.body["messages"]) for request in second.requests] == [3]


async def test_a_conversation_that_does_not_fit_the_new_model_is_compacted_before_it_is_asked() -> None:
    client = ScriptedClient([Turn("a long story", usage=Usage(input=450, output=50)), "the notes", "and on"])
    messages = [user_message("x " * 200), *said("a", "b", "c", "d", "e")]
    async with runtime(client, Model("large", "acme", context_window=100_000), messages=messages) as rt:
        await rt.ask("1")
        rt.set_model(Model("small", "acme", context_window=500))
        told = [event.type async for event in rt.prompt("2")]
    assert told.index("compact_done") < told.index("turn_start")
    assert [request.model.id for request in client.requests] == ["large", "small", "small"]


@pytest.mark.usefixtures("keys")
async def test_models_are_those_of_the_catalogue_or_of_the_server() -> None:
    async with Runtime("anthropic/claude-opus-4-5") as rt:
        found = await rt.list_models("current")
        assert "claude-sonnet-4-5" in [model.id for model in found.models]
        assert {model.provider for model in found.models} == {"anthropic"}
    with ScriptedServer(models=["one", "two"]) as server:
        async with Runtime("scripted", provider="openai", base_url=server.base_url("openai-chat")) as rt:
            found = await rt.list_models("current")
            assert [model.id for model in found.models] == ["scripted", "one", "two"]
    async with Runtime("local-llm", provider="openai", base_url="http://127.0.0.1:9/v1") as rt:
        found = await rt.list_models("current")
        assert isinstance(found.problems["openai"], ConnectError)
        assert [model.id for model in found.models] == ["local-llm"]
    async with runtime(ScriptedClient()) as rt:
        assert [model.id for model in (await rt.list_models()).models] == ["m"]


async def test_how_much_a_model_thinks_can_be_changed() -> None:
    client = ScriptedClient(["ok"])
    async with runtime(client) as rt:
        rt.set_reasoning("high")
        await rt.ask("1")
        assert client.requests[0].reasoning == "high"
        with pytest.raises(UnknownName, match="did you mean high"):
            rt.set_reasoning("hihg")  # type: ignore[arg-type]


async def test_tools_can_be_changed_and_those_of_others_stay() -> None:
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


async def test_a_cleared_conversation_is_cleared_in_its_file_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
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
    assert "Ada" in path.read_text("utf-8")  # what was said is never edited


async def test_clearing_an_empty_conversation_writes_no_file(tmp_path: Path) -> None:
    async with runtime(ScriptedClient(), session=tmp_path / "s.jsonl") as rt:
        rt.clear()
    assert not (tmp_path / "s.jsonl").exists()


async def test_a_cleared_conversation_can_be_compacted(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    client = ScriptedClient(["one", *["yes"] * 4, "the notes", "ok"])
    async with runtime(client, session=path) as rt:
        await rt.ask("before")
        rt.clear()
        for number in range(4):
            await rt.ask(str(number))
        assert await rt.compact() == "completed"
        kept = rt.messages
    async with runtime(client, session=path) as rt:
        assert [message.text for message in rt.messages] == [message.text for message in kept]


async def test_a_conversation_can_be_put_in_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    client = ScriptedClient(["one", "two"])
    async with runtime(client, session=path) as rt:
        await rt.ask("before")
        rt.set_messages(said("I am Ada", "hello Ada"))
        await rt.ask("who am I?")
    assert words(client) == ["I am Ada", "hello Ada", "who am I?"]
    async with runtime(client, session=path) as rt:
        assert [message.text for message in rt.messages] == ["I am Ada", "hello Ada", "who am I?", "two"]


async def test_a_new_session_is_a_new_file_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
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


async def test_without_a_file_a_new_session_is_a_new_conversation() -> None:
    client = ScriptedClient(["one", "two"])
    async with runtime(client) as rt:
        await rt.ask("first")
        rt.new_session()
        assert (rt.usage, rt.state.session_id) == (Usage(), "")
        await rt.ask("second")
    assert words(client) == ["second"]


async def test_another_session_is_continued_in_another_place_with_its_messages_and_usage(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    client = ScriptedClient(["one", "two", "three"])
    async with runtime(client, session=tmp_path / "other.jsonl") as rt:
        await rt.ask("before")
        usage = rt.usage
    async with runtime(client, session=tmp_path / "s.jsonl") as rt:
        await rt.ask("first")
        rt.open_session(tmp_path / "other.jsonl", workspace=Workspace(str(tmp_path / "there"), "Be there."))
        assert [message.text for message in rt.messages] == ["before", "one"]
        assert rt.usage == usage
        await rt.ask("second")
        assert client.requests[2].system.startswith("Be there.")
        assert rt.cwd == rt.agent.context.cwd == str(tmp_path / "there")
    assert [message.text for message in load(str(tmp_path / "other.jsonl")).messages][-3::2] == ["second", "three"]
    assert [message.text for message in load(str(tmp_path / "s.jsonl")).messages] == ["first", "two"]


async def test_a_session_that_is_in_use_elsewhere_changes_nothing(tmp_path: Path) -> None:
    async with runtime(ScriptedClient(["one"]), session=tmp_path / "other.jsonl") as rt:
        await rt.ask("before")
        async with runtime(ScriptedClient(["two"]), session=tmp_path / "s.jsonl") as second:
            await second.ask("first")
            with pytest.raises(SessionLocked):
                second.open_session(tmp_path / "other.jsonl")
            assert second.state.session_id == "s"
            assert [message.text for message in second.messages] == ["first", "two"]
