import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from zot_core.agent import user_message
from zot_core.agent.run import Run
from zot_core.errors import Busy, Closed, Refused, SessionLocked
from zot_core.events import AgentEvent, Done, ErrorEvent, TextDelta, TurnEnd, UserMessage
from zot_core.hooks import Refusal, ToolRequest
from zot_core.runtime.answer import RunFailed
from zot_core.runtime.resolve import builtin_tools_named
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.file import load
from zot_core.testing import PIXEL, EventClient, FakeShell, MemoryFiles, types
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import ConfigError, MissingKey, ModelError, UnknownName, ZotError
from zot_provider.events import StreamEnd, UsageReport
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model, Price
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn
from zot_provider.usage import Usage

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@tool
def lookup(city: str) -> str:
    """Current temperature for a city."""
    return city


def hanging(*then: str) -> EventClient:
    """Says "half a" and hangs; later prompts get the other answers."""
    ends = [[TextDelta(text), StreamEnd("end_turn", [TextBlock(text)])] for text in then]
    return EventClient([TextDelta("half a"), None], *ends)


def runtime(client: Client, **options: Any) -> Runtime:
    return Runtime("m", client=client, files=MemoryFiles(), shell=FakeShell(), **options)


async def collect(run: Run) -> list[AgentEvent]:
    return [event async for event in run]


async def test_a_prompt_is_iterated_over_up_to_done_and_the_agent_is_idle_afterwards() -> None:
    async with runtime(ScriptedClient(["hello", "again"])) as rt:
        for text in ("hi", "hi again"):
            run = rt.prompt(text)
            assert rt.busy
            events = await collect(run)
            assert types(events)[0] == "user_message"
            assert events[-1] == Done("completed")
            assert not rt.busy
            assert run.end == await run == "completed"


async def test_a_prompt_may_follow_in_the_very_moment_done_is_seen() -> None:
    async with runtime(ScriptedClient(["a", "b"])) as rt:
        iterator = aiter(rt.prompt("one"))
        while not isinstance(await anext(iterator), Done):
            pass
        assert (await collect(rt.prompt("two")))[-1] == Done("completed")


async def test_images_go_with_a_prompt() -> None:
    client = ScriptedClient(["nice"])
    image = PIXEL
    async with runtime(client) as rt:
        await rt.ask("look", [image])
    assert client.requests[0].messages[0].content == [TextBlock("look"), image]


async def test_the_display_text_of_a_prompt_is_in_its_message_and_session_and_no_model_reads_it(
    tmp_path: Path,
) -> None:
    client = ScriptedClient(["nice"])
    path = tmp_path / "talk.jsonl"
    async with runtime(client, session=path) as rt:
        await rt.prompt(user_message("$ ls\n\na\n\nlook", display_text="look"))
        said = rt.messages
    assert (said[0].text, said[0].display_text) == ("$ ls\n\na\n\nlook", "look")
    assert client.requests[0].messages[0].text == said[0].text
    assert load(str(path)).messages[0].display_text == "look"


async def test_a_run_continues_without_an_iterator() -> None:
    async with runtime(ScriptedClient(["hello"])) as rt:
        assert await rt.prompt("hi") == "completed"
        assert [message.text for message in rt.messages] == ["hi", "hello"]


async def test_two_readers_get_the_same_events() -> None:
    async with runtime(ScriptedClient(["hello"])) as rt:
        run = rt.prompt("hi")
        first, second = await asyncio.gather(collect(run), collect(run))
        assert first == second
        assert first[-1] == Done("completed")


async def test_a_run_that_nobody_iterates_keeps_no_event() -> None:
    async with runtime(ScriptedClient([Turn(text="word " * 4000)])) as rt:
        run = rt.prompt("hi")
        assert await run == "completed"
        assert [event async for event in run] == []


async def test_a_prompt_during_another_one_is_refused() -> None:
    client = hanging()
    async with runtime(client) as rt:
        run = rt.prompt("one")
        with pytest.raises(Busy):
            rt.prompt("two")
        await client.hanging.wait()
        with pytest.raises(Busy):
            rt.prompt("two")
        rt.cancel()
        await run


async def test_leaving_the_loop_cancels_the_run_and_the_next_prompt_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with runtime(hanging("whole"), session=path) as rt:
        told: list[AgentEvent] = []
        rt.hooks.event.add(told.append)
        async for event in rt.prompt("one"):
            if isinstance(event, TextDelta):
                break
        events = await collect(rt.prompt("two"))
        assert events[0] == next(
            event for event in told if isinstance(event, UserMessage) and event.message.text == "two"
        )
        assert events[-1] == Done("completed")
        assert [event for event in told if isinstance(event, Done)] == [Done("aborted"), Done("completed")]
    stored = load(str(path))
    assert [(message.role, message.text) for message in stored.messages] == [
        ("user", "one"),
        ("assistant", "half a"),
        ("user", "two"),
        ("assistant", "whole"),
    ]
    assert not stored.torn


async def test_an_exception_in_the_body_of_the_loop_cancels_the_run() -> None:
    async def fail(run: Run) -> None:
        async for event in run:
            if isinstance(event, TextDelta):
                raise ValueError("mine")

    async with runtime(hanging("whole")) as rt:
        run = rt.prompt("one")
        with pytest.raises(ValueError, match="mine"):
            await fail(run)
        assert await run == "aborted"
        assert str(await rt.ask("two")) == "whole"


async def test_dropping_the_iterator_cancels_the_run_even_in_another_thread() -> None:
    client = hanging("whole")
    async with runtime(client) as rt:
        run = rt.prompt("one")
        holder: list[AsyncIterator[AgentEvent]] = [aiter(run)]
        await anext(holder[0])
        await client.hanging.wait()
        await asyncio.to_thread(holder.clear)
        gc.collect()
        assert await run == "aborted"


async def test_cancelling_the_iterating_task_cancels_the_run() -> None:
    client = hanging("whole")
    async with runtime(client) as rt:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await rt.ask("one")
        assert not rt.busy  # nothing of it outlives the call
        assert str(await rt.ask("two")) == "whole"


async def test_a_prompt_cancelled_at_once_ends_with_done() -> None:
    async with runtime(hanging()) as rt:
        run = rt.prompt("hi")
        rt.cancel()
        rt.cancel()
        assert (await collect(run))[-1] == Done("aborted")
        assert await run == "aborted"
        rt.cancel()


async def test_a_prompt_cancelled_while_it_waits_for_the_one_before_ends_after_it() -> None:
    told: list[AgentEvent] = []
    client = hanging("third")
    async with runtime(client) as rt:
        rt.hooks.event.add(told.append)
        first = rt.prompt("first")
        await client.hanging.wait()
        first.cancel()
        second = rt.prompt("second")
        second.cancel()
        assert await collect(second) == [Done("aborted")]
        assert first.end == "aborted"
        assert str(await rt.ask("third")) == "third"
        assert [event.message.text for event in told if isinstance(event, UserMessage)] == ["first", "third"]


async def test_a_limit_reached_while_the_run_is_being_cancelled_stays_the_reason() -> None:
    client = hanging()
    async with runtime(client, deadline=0.01) as rt:
        run = rt.prompt("hi")
        rt.hooks.event.add(lambda event: rt.cancel() if isinstance(event, TurnEnd) else None)
        assert (await collect(run))[-1] == Done("deadline")
        assert await run == run.end == "deadline"


async def test_a_server_without_models_is_an_error_and_the_prompt_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    with ScriptedServer(models=[]) as server:
        rt = Runtime(provider="openai", api_key="k", base_url=server.base_url("openai-chat"))
        rt.agent.model = Model("", "openai")
        events = await collect(rt.prompt("hi"))
        await rt.close()
    assert types(events) == ["user_message", "turn_start", "turn_end", "error", "done"]
    failure = events[3]
    assert isinstance(failure, ErrorEvent)
    assert "no model" in failure.message
    assert [message.text for message in rt.messages] == ["hi"]
    assert caplog.records == []


async def test_without_a_model_name_the_server_s_first_model_is_used_and_recorded_in_the_session(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.jsonl"
    with ScriptedServer(["hello"], models=["first", "second"]) as server:
        base = server.base_url("openai-chat")
        async with Runtime(base_url=base, session=path, files=MemoryFiles()) as rt:
            assert str(await rt.ask("hi")) == "hello"
        assert server.requests[-1].body["model"] == "first"
    assert load(str(path)).meta.model == "first"


async def test_asking_gives_the_last_words() -> None:
    @tool
    async def echo(text: str) -> str:
        return text

    client = ScriptedClient([Turn("let me see", calls=[Call("echo", {"text": "a"})]), "it is a"])
    async with runtime(client, tools=[echo]) as rt:
        assert str(await rt.ask("what is it?")) == "it is a"


@pytest.mark.parametrize(
    ("client", "options", "message", "code"),
    [
        (EventClient([ModelError("overloaded")]), {}, "overloaded", 1),
        (hanging(), {"deadline": 0.01}, "the deadline has passed", 4),
    ],
)
async def test_asking_raises_where_the_run_failed(
    client: Client, options: dict[str, Any], message: str, code: int
) -> None:
    async def main() -> None:
        async with runtime(client, **options) as rt:
            await rt.ask("hi")

    with pytest.raises(RunFailed, match=f"^{message}$") as caught:
        await main()
    assert caught.value.exit_code == code
    assert caught.value.end == ("deadline" if code == 4 else "error")


async def test_asking_raises_where_the_prompt_was_refused_or_stopped() -> None:
    client = hanging()
    async with runtime(client) as rt:
        remove = rt.hooks.before_model_call.add(lambda step: Refusal("not today"))
        with pytest.raises(ZotError, match=r"^not today$"):
            await rt.ask("one")
        remove()
        rt.hooks.event.add(lambda event: rt.cancel() if isinstance(event, TextDelta) else None)
        with pytest.raises(ZotError, match=r"^the prompt was not answered: aborted$"):
            await rt.ask("two")


async def test_an_answer_without_words_is_an_empty_text() -> None:
    async with runtime(ScriptedClient([Turn()])) as rt:
        assert str(await rt.ask("hi")) == ""


async def test_closing_stops_the_run_and_releases_everything(tmp_path: Path) -> None:
    client = hanging()
    rt = runtime(client, session=tmp_path / "s.jsonl")
    run = rt.prompt("hi")
    await client.hanging.wait()
    await rt.close()
    await rt.close()
    assert run.end == "aborted"
    assert client.closed
    with pytest.raises(Closed):
        rt.prompt("again")
    runtime(ScriptedClient(), session=tmp_path / "s.jsonl").session.close()  # type: ignore[union-attr]
    assert [message.text for message in load(str(tmp_path / "s.jsonl")).messages] == ["hi", "half a"]


async def test_several_runtimes_work_in_one_loop() -> None:
    runtimes = [runtime(ScriptedClient([Turn(f"answer {number}", delay=0.001, chunk=2)])) for number in range(3)]
    answers = await asyncio.gather(*(rt.ask("hi") for rt in runtimes))
    for rt in runtimes:
        await rt.close()
    assert list(map(str, answers)) == ["answer 0", "answer 1", "answer 2"]


def test_a_runtime_whose_loop_was_closed_in_the_middle_works_in_the_next_one() -> None:
    client = hanging("whole")
    rt = runtime(client)
    loop = asyncio.new_event_loop()

    async def begin() -> AsyncIterator[AgentEvent]:
        iterator = aiter(rt.prompt("one"))
        await anext(iterator)
        await client.hanging.wait()
        return iterator

    iterator = loop.run_until_complete(begin())
    loop.close()
    assert not rt.busy
    rt.cancel()
    del iterator

    async def main() -> str:
        async with rt:
            return str(await rt.ask("two"))

    assert asyncio.run(main()) == "whole"


def test_a_runtime_can_be_closed_after_its_loop() -> None:
    client = hanging()
    rt = runtime(client)
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        rt.prompt("one")
        await client.hanging.wait()

    loop.run_until_complete(begin())
    loop.close()
    asyncio.run(rt.close())
    assert client.closed


def test_outside_of_a_loop_a_prompt_is_refused_and_nothing_is_left_behind() -> None:
    rt = runtime(ScriptedClient(["hello"]))
    with pytest.raises(RuntimeError, match="no running event loop"):
        rt.prompt("hi")
    assert not rt.busy
    assert str(asyncio.run(rt.ask("hi"))) == "hello"


async def test_steering_and_follow_ups_reach_the_model() -> None:
    async with runtime(ScriptedClient(["a", "b", "c"])) as rt:
        rt.steer("by the way")
        rt.follow_up("and then?")
        await rt.ask("hi")
        assert [message.text for message in rt.messages if message.role == "user"] == ["hi", "by the way", "and then?"]


async def test_usage_and_cost_are_those_of_the_session(tmp_path: Path) -> None:
    model = Model("m", "v", price=Price(input=100_000, output=0))
    path = tmp_path / "s.jsonl"
    async with Runtime(model, client=ScriptedClient(["a", "b"], repeat=True), session=path) as rt:
        await rt.ask("one")
    async with Runtime(model, client=ScriptedClient(["a", "b"], repeat=True), session=path) as rt:
        await rt.ask("two")
        assert rt.usage.input == 20
        assert rt.cost == pytest.approx(2.0)


async def test_the_cost_is_none_if_the_price_of_the_model_is_unknown() -> None:
    async with runtime(ScriptedClient(["a"])) as rt:
        await rt.ask("one")
        assert rt.cost is None
        rt.set_model(Model("m", "v", price=Price(input=0, output=0)))
        assert rt.cost == 0


async def test_confirm_decides_on_each_call() -> None:
    asked: list[ToolRequest] = []

    def decide(call: ToolRequest) -> str:
        asked.append(call)
        return "not in this folder"

    client = ScriptedClient([Turn(calls=[Call("ls", {"path": "."})]), "ok"])
    async with runtime(client, confirm=decide) as rt:
        await rt.ask("hi")
    assert asked == [ToolRequest("call_1", "ls", {"path": "."}, '{"path": "."}')]
    assert "not in this folder" in str(client.requests[1].messages[-1])


async def test_limits_are_those_of_the_run() -> None:
    client = ScriptedClient([Turn(calls=[Call("ls", {})])], repeat=True)
    async with runtime(client, max_steps=2) as rt:
        assert (await collect(rt.prompt("hi")))[-2:] == [
            ErrorEvent("max steps (2) exceeded", exit_code=4),
            Done("max_steps"),
        ]


async def test_the_system_prompt_is_replaced_and_added_to(tmp_path: Path) -> None:
    client = ScriptedClient(["a", "b"])
    async with runtime(client, cwd=tmp_path, system_prompt="be kind", append_system_prompt=["be brief"]) as rt:
        await rt.ask("hi")
    async with runtime(client, cwd=tmp_path, system_prompt="be kind", append_system_prompt="be brief") as rt:
        await rt.ask("hi")
    assert client.requests[0].system == client.requests[1].system
    assert client.requests[0].system.startswith("be kind\n\nbe brief\n\n")
    assert client.requests[0].system.endswith(f"\nCurrent working directory: {tmp_path}")


def test_own_tools_stand_beside_the_built_in_ones_that_were_picked() -> None:
    assert sorted(runtime(ScriptedClient(), tools=[lookup], builtin_tools=["read"]).agent.tools) == ["lookup", "read"]
    assert len(runtime(ScriptedClient(), tools=[lookup]).agent.tools) == len(builtin_tools_named(None)) + 1
    assert runtime(ScriptedClient(), builtin_tools=[]).agent.tools == {}


async def test_a_session_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "s.jsonl"
    async with runtime(ScriptedClient(["a"]), session=path, cwd=tmp_path) as rt:
        await rt.ask("one")
    client = ScriptedClient(["b"])
    async with Runtime("another", client=client, session=path, cwd=tmp_path) as rt:
        await rt.ask("two")
    assert [message.text for message in client.requests[0].messages] == ["one", "a", "two"]
    assert client.requests[0].cache_key == "s"
    stored = load(str(path))
    assert (stored.meta.id, stored.meta.model) == ("s", "another")
    assert len(stored.messages) == 4


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cwd": "/no/such/folder"}, ConfigError, "the working directory /no/such/folder does not exist"),
        ({"builtin_tools": ["reed"]}, UnknownName, "unknown tool 'reed'; did you mean read?"),
        ({"builtin_tools": ["xyz"]}, UnknownName, r"unknown tool 'xyz'; known: bash, .*, write, skill, agent$"),
        ({"builtin_tools": "ls"}, ConfigError, r"tools are named in a list, not in a string: \['ls'\], not 'ls'"),
        ({"tools": [print]}, ConfigError, "print is not a tool: put @tool above the function"),
        ({"tools": ["read"]}, ConfigError, "'read' is not a tool: it must be a zot_core.Tool"),
        ({"tools": lookup}, ConfigError, r"tools must be a list: tools=\[lookup\]"),
        ({"reasoning": "hard"}, UnknownName, "unknown reasoning 'hard'; known: off, minimum, low"),
        ({"max_cost": 1.0}, ConfigError, "max_cost cannot be enforced"),
        ({"max_steps": 0}, ConfigError, "max_steps must be greater than 0"),
    ],
)
async def test_invalid_options_are_refused_before_the_session_is_opened(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    path = tmp_path / "s.jsonl"
    async with runtime(ScriptedClient(["a"]), session=path) as rt:
        await rt.ask("one")
    before = path.read_bytes()
    with pytest.raises(error, match=message):
        runtime(ScriptedClient(), session=path, **options)
    assert path.read_bytes() == before
    runtime(ScriptedClient(), session=path).session.close()  # type: ignore[union-attr]  # nobody holds its lock


def test_without_a_key_there_is_no_provider() -> None:
    with pytest.raises(MissingKey):
        Runtime("anthropic/claude-sonnet-4-5")


async def test_a_session_in_use_is_not_opened_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with runtime(ScriptedClient(["a"]), session=path) as rt:
        await rt.ask("one")
        with pytest.raises(SessionLocked):
            runtime(ScriptedClient(), session=path)


async def test_a_session_that_cannot_be_written_fails_the_prompt_and_not_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    async with runtime(ScriptedClient(["a"]), session=tmp_path / "file" / "s.jsonl") as rt:
        for text in ("hi", "again"):
            events = await collect(rt.prompt(text))
            assert types(events) == ["error", "done"]
            assert isinstance(events[0], ErrorEvent)
            assert events[0].message.startswith(f"cannot write session {tmp_path}/file/s.jsonl: ")


async def test_ask_returns_the_text_that_the_user_sees() -> None:
    def guard(text: str) -> str:
        if text == "secret":
            raise Refused("it holds a key")
        return "***"

    async with runtime(ScriptedClient(["password", "secret"])) as rt:
        rt.hooks.assistant_message.add(guard)
        assert [str(await rt.ask("one")), str(await rt.ask("two"))] == ["***", ""]


# Compaction.


def chat(length: int) -> list[Message]:
    return [
        Message("assistant", [TextBlock(f"{number}")]) if number % 2 else user_message(f"{number}")
        for number in range(length)
    ]


async def test_a_conversation_is_compacted_and_continued(tmp_path: Path) -> None:
    client = ScriptedClient(["one", "two", "three", "the notes", "four"])
    path = tmp_path / "s.jsonl"
    async with runtime(client, session=path) as rt:
        for text in ("a", "b", "c"):
            await rt.ask(text)
        run = rt.compact("mind the roof")
        assert rt.busy
        events = await collect(run)
        assert not rt.busy
        assert types(events) == ["compact_start", "usage", "compact_done", "done"]
        assert events[-1] == Done("completed")
        assert run.end == await run == "completed"
        assert "mind the roof" in client.requests[3].messages[0].text
        assert [message.text for message in rt.messages][1:] == ["b", "two", "c", "three"]
        assert str(await rt.ask("d")) == "four"
        kept = rt.messages
        assert rt.usage.output == 25
    stored = load(str(path))
    assert stored.messages == kept
    assert stored.usage.output == 25
    async with runtime(ScriptedClient(["five"]), session=path) as rt:
        assert rt.messages == kept


@pytest.mark.parametrize("length", [0, 3])
async def test_where_there_is_nothing_to_compact_an_error_says_so_before_done(length: int) -> None:
    async with runtime(ScriptedClient(), messages=chat(length)) as rt:
        error, done = await collect(rt.compact())
        assert isinstance(error, ErrorEvent)
        assert error.message.startswith("nothing to compact")
        assert done == Done("error")
        assert len(rt.messages) == length


async def test_a_summary_that_fails_is_an_error_before_done_and_everything_is_as_it_was() -> None:
    async with runtime(ScriptedClient([Turn(error=ModelError("overloaded"))]), messages=chat(9)) as rt:
        before = rt.messages
        events = await collect(rt.compact())
        assert types(events) == ["compact_start", "error", "done"]
        assert events[1:] == [ErrorEvent("overloaded"), Done("error")]
        assert rt.messages == before


async def test_a_compaction_is_stopped_like_a_prompt_and_everything_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    client = EventClient(
        *([StreamEnd("end_turn", [TextBlock(f"{number}")])] for number in range(3)),
        [UsageReport(Usage(700, 7)), None],
        [StreamEnd("end_turn", [TextBlock("again")])],
    )
    async with runtime(client, session=path) as rt:
        for text in ("a", "b", "c"):
            await rt.ask(text)
        before = rt.messages
        collecting = asyncio.ensure_future(collect(rt.compact()))
        await client.hanging.wait()
        rt.cancel()
        events = await collecting
        assert types(events) == ["compact_start", "usage", "done"]
        assert events[-1] == Done("aborted")
        assert rt.messages == before
        assert str(await rt.ask("d")) == "again"
    stored = load(str(path))
    assert stored.messages == rt.messages
    assert stored.usage == rt.usage
    assert stored.usage.output == 7  # what was spent on it was spent


async def test_a_compaction_stopped_before_it_began_still_ends_with_done() -> None:
    async with runtime(EventClient([None]), messages=chat(9)) as rt:
        run = rt.compact()
        run.cancel()
        assert (await collect(run))[-1] == Done("aborted")
        assert len(rt.messages) == 9


async def test_one_prompt_or_compaction_runs_at_a_time() -> None:
    client = hanging("the notes")
    async with runtime(client, messages=chat(9)) as rt:
        prompt = rt.prompt("hi")
        await client.hanging.wait()
        with pytest.raises(Busy):
            rt.compact()
        prompt.cancel()
        compaction = rt.compact()  # waits for the one that was given up
        with pytest.raises(Busy):
            rt.prompt("hi")
        assert (await collect(compaction))[-1] == Done("completed")
    with pytest.raises(Closed):
        rt.compact()


async def test_a_model_that_the_server_names_is_asked_for_its_name_before_a_compaction() -> None:
    with ScriptedServer(["the notes"], models=["local"]) as server:
        async with Runtime(provider="local", base_url=server.base_url("openai-chat"), messages=chat(9)) as rt:
            assert rt.agent.model.id == ""
            assert (await collect(rt.compact()))[-1] == Done("completed")
    assert server.requests[-1].body["model"] == "local"


async def test_a_result_has_the_usage_and_messages_of_its_own_run() -> None:
    client = ScriptedClient(["one", Turn(calls=[Call("lookup", {"city": "Berlin"})]), "two"])
    async with runtime(client, tools=[lookup]) as rt:
        await rt.ask("first")
        answer = await rt.ask("second")
    assert (str(answer), answer.text, answer.end) == ("two", "two", "completed")
    assert (answer.usage.input, rt.usage.input) == (20, 30)
    assert [message.role for message in answer.messages] == ["user", "assistant", "tool", "assistant"]
    assert answer.messages == rt.messages[2:]


async def test_a_failed_run_has_its_partial_result() -> None:
    async with runtime(EventClient([TextDelta("half a"), ModelError("overloaded")])) as rt:
        with pytest.raises(RunFailed) as caught:
            await rt.ask("hi")
        assert caught.value.result.end == "error"
        assert [message.text for message in caught.value.result.messages] == ["hi", "half a"]


async def test_text_comes_as_it_is_streamed_with_a_line_break_between_two_answers() -> None:
    client = ScriptedClient([Turn("let me see", chunk=3, calls=[Call("lookup", {"city": "x"})]), "done"])
    async with runtime(client, tools=[lookup]) as rt:
        pieces = [piece async for piece in rt.stream_text("hi")]
    assert "".join(pieces) == "let me see\ndone"
    assert len(pieces) > 3


async def test_text_that_a_hook_may_change_comes_whole_and_a_failure_is_raised_at_the_end() -> None:
    client = ScriptedClient([Turn("a secret", chunk=1), Turn("half", error=ModelError("overloaded"))])
    async with runtime(client) as rt:
        rt.hooks.assistant_message(lambda text: text.replace("secret", "***"))
        assert [piece async for piece in rt.stream_text("one")] == ["a ***"]
        with pytest.raises(RunFailed, match="overloaded"):
            [piece async for piece in rt.stream_text("two")]
        assert not rt.busy


async def test_leaving_the_text_early_cancels_the_run() -> None:
    async with runtime(ScriptedClient([Turn("a long story", chunk=1, delay=0.01), "yes"])) as rt:
        pieces = rt.stream_text("tell me a story")
        await anext(pieces)
        await pieces.aclose()
        assert str(await rt.ask("still there?")) == "yes"


async def test_tools_find_the_deps_of_the_runtime() -> None:
    @tool
    async def city(context: ToolContext) -> str:
        return str(context.deps["city"])

    client = ScriptedClient([Turn(calls=[Call("city", {})]), "done"])
    async with runtime(client, tools=[city], deps={"city": "Berlin"}) as rt:
        await rt.ask("where?")
    assert "Berlin" in str(client.requests[1].messages[-1])


async def test_a_hook_point_is_a_decorator_that_gives_the_function_back() -> None:
    async with runtime(ScriptedClient(["hello"])) as rt:

        @rt.hooks.assistant_message
        def shout(text: str) -> str:
            return text.upper()

        assert shout("a") == "A"
        assert str(await rt.ask("hi")) == "HELLO"


async def test_a_tool_brings_a_line_for_the_system_prompt_while_it_is_enabled() -> None:
    @tool(prompt_line="Look at `weather` before a walk.")
    async def weather() -> str:
        """The weather."""
        return "rain"

    client = ScriptedClient(["one", "two"])
    async with runtime(client, tools=[weather], builtin_tools=["read"], system_prompt="be kind") as rt:
        await rt.ask("hi")
        rt.set_tools(["read"])
        await rt.ask("hi")
    assert client.requests[0].system.endswith("\n\nLook at `weather` before a walk.")
    assert "`weather`" not in client.requests[1].system
    assert client.requests[1].system.startswith("be kind\n\nCurrent date: ")


def offered(client: ScriptedClient) -> list[list[str]]:
    """The names of the tools of each request."""
    return [[tool.name for tool in request.tools] for request in client.requests]


async def test_tools_on_demand_are_not_in_requests_and_can_be_called(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    calls = [Call("ls", {}), Call("find", {"pattern": "*.txt"}), Call("list_dir", {})]
    client = ScriptedClient([Turn(calls=calls), "done"])
    async with Runtime("any", client=client, cwd=tmp_path) as rt:
        await rt.ask("hi")
    assert offered(client)[0] == ["bash", "edit", "fetch", "grep", "job", "read", "todo", "write"]
    texts = [block.content[0].text for block in client.requests[1].messages[-1].content]  # type: ignore[union-attr]
    assert texts[:2] == ["a.txt", "a.txt"]
    assert texts[2].startswith('unknown tool "list_dir"; did you mean "ls" (path, limit)?')


async def test_a_tool_on_demand_is_offered_where_it_is_named() -> None:
    client = ScriptedClient(["one", "two", "three"])
    async with runtime(client, builtin_tools=["read", "ls"]) as rt:
        await rt.ask("hi")
        rt.set_tools(["read", "glob", "find"])
        await rt.ask("hi")
        rt.set_tools(["read"])
        await rt.ask("hi")
    assert offered(client) == [["ls", "read"], ["find", "glob", "read"], ["read"]]


async def test_the_tool_of_an_embedder_with_the_name_of_one_on_demand_is_offered() -> None:
    @tool
    async def find(what: str) -> str:
        """Find it."""
        return what

    client = ScriptedClient(["one"])
    async with runtime(client, tools=[find]) as rt:
        await rt.ask("hi")
    (found,) = [each for each in client.requests[0].tools if each.name == "find"]
    assert found.description == "Find it."
