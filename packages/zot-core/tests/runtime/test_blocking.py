import inspect
import signal
import threading
from typing import Any

import pytest
from waiting import PATIENCE

from zot_core.errors import Busy, Closed
from zot_core.events import AgentEvent, Done, SubagentStart, TextDelta
from zot_core.runtime.answer import RunFailed
from zot_core.runtime.blocking import BlockingRuntime
from zot_core.runtime.runtime import Runtime
from zot_core.testing import EventClient, FakeShell, MemoryFiles, Scripted, types
from zot_core.testing.tasks import HANGS, TaskClient
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import UnknownName
from zot_provider.events import StreamEnd, StreamEvent
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn


def blocking(client: Client, **options: Any) -> BlockingRuntime:
    options = {"files": MemoryFiles(), "shell": FakeShell(), **options}
    return BlockingRuntime("m", client=client, **options)


def hanging(*then: str) -> EventClient:
    """Says "half a" and hangs; later prompts get the other answers."""
    ends: list[list[StreamEvent]] = [[TextDelta(text), StreamEnd("end_turn", [TextBlock(text)])] for text in then]
    return EventClient([TextDelta("half a"), None], *ends)


def press_ctrl_c_at(rt: BlockingRuntime, kind: type[AgentEvent]) -> None:
    """Ctrl+C, once, when the first event of this kind comes."""
    pressed: list[AgentEvent] = []

    def press(event: AgentEvent) -> None:
        if isinstance(event, kind) and not pressed:
            pressed.append(event)
            main = threading.main_thread().ident
            assert main is not None
            # In a moment: the interrupt is for the waiting, not for what comes before it.
            threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()

    rt.runtime.hooks.event.add(press)


def test_asking_gives_the_answer() -> None:
    with blocking(ScriptedClient(["hello", "again"])) as rt:
        assert str(rt.ask("hi")) == "hello"
        assert str(rt.ask("hi")) == "again"
        assert rt.runtime.usage.output == 10


def test_asking_may_name_a_type() -> None:
    with blocking(ScriptedClient(["[1, 2]"])) as rt:
        assert rt.ask("two numbers", returns=list[int]) == [1, 2]


def test_the_events_of_a_prompt_come_in_a_plain_loop() -> None:
    with blocking(ScriptedClient(["hello"])) as rt:
        events = list(rt.prompt("hi"))
    assert types(events)[0] == "user_message"
    assert events[-1] == Done("completed")


def test_it_accepts_the_options_and_raises_the_errors_of_a_runtime() -> None:
    assert list(inspect.signature(BlockingRuntime).parameters) == list(inspect.signature(Runtime).parameters)
    before = threading.enumerate()
    with pytest.raises(UnknownName):
        blocking(ScriptedClient(), builtin_tools=["raed"])
    assert set(threading.enumerate()) <= {*before}  # those of other tests may end meanwhile


def test_failures_are_raised_as_they_are() -> None:
    with blocking(hanging(), deadline=0.01) as rt:
        with pytest.raises(RunFailed) as caught:
            rt.ask("hi")
        assert caught.value.end == "deadline"


def test_leaving_the_loop_cancels_the_run_and_the_next_prompt_works() -> None:
    with blocking(hanging("whole")) as rt:
        for event in rt.prompt("one"):
            if isinstance(event, TextDelta):
                break
        assert str(rt.ask("two")) == "whole"
        assert [message.text for message in rt.runtime.messages] == ["one", "half a", "two", "whole"]


def test_a_prompt_during_another_one_is_refused_at_once() -> None:
    with blocking(hanging()) as rt:
        events = rt.prompt("one")
        with pytest.raises(Busy):
            rt.prompt("two")
        rt.cancel()
        assert list(events)[-1] == Done("aborted")


def test_tools_may_be_plain_functions_and_async_ones() -> None:
    @tool
    def plain() -> str:
        return "plain"

    @tool
    async def other() -> str:
        return "async"

    client = ScriptedClient([Turn(calls=[Call("plain"), Call("other")]), "done"])
    with blocking(client, tools=[plain, other]) as rt:
        assert str(rt.ask("hi")) == "done"


def test_ctrl_c_while_it_asks_cancels_the_run_and_nothing_is_left_running() -> None:
    shell = FakeShell({"sleep 60": Scripted(hangs=True)})
    client = ScriptedClient([Turn("working", calls=[Call("bash", {"command": "sleep 60"})]), "well"])
    with blocking(client, shell=shell) as rt:
        press_ctrl_c_at(rt, TextDelta)
        with pytest.raises(KeyboardInterrupt):
            rt.ask("work")
        assert not rt.runtime.busy
        assert shell.ran[0].stopped
        assert [message.role for message in rt.runtime.messages] == ["user", "assistant", "tool"]
        assert str(rt.ask("and now?")) == "well"


def test_ctrl_c_while_it_waits_for_an_event_cancels_the_run() -> None:
    with blocking(hanging("whole")) as rt:
        press_ctrl_c_at(rt, TextDelta)
        with pytest.raises(KeyboardInterrupt):
            list(rt.prompt("one"))
        assert not rt.runtime.busy
        assert str(rt.ask("two")) == "whole"


async def test_it_works_where_an_event_loop_is_running_already() -> None:
    with blocking(ScriptedClient(["hello"])) as rt:
        assert str(rt.ask("hi")) == "hello"


def test_a_tool_that_would_wait_for_itself_is_an_error() -> None:
    @tool
    async def ask_again() -> str:
        return str(rt.ask("again"))

    client = ScriptedClient([Turn(calls=[Call("ask_again")]), "done"])
    with blocking(client, tools=[ask_again]) as rt:
        assert str(rt.ask("hi")) == "done"
    results = client.requests[1].messages[-1].content
    assert "cannot block on its own thread" in str(results)


def test_closing_ends_the_run_the_client_and_the_thread() -> None:
    client = hanging()
    before = threading.enumerate()
    rt = blocking(client)
    events = rt.prompt("hi")
    rt.close()
    rt.close()
    assert client.closed
    assert list(events)[-1] == Done("aborted")
    assert set(threading.enumerate()) <= {*before}  # those of other tests may end meanwhile
    with pytest.raises(Closed):
        rt.ask("hi")
    with pytest.raises(Closed):
        rt.prompt("hi")
    rt.cancel()


def test_closing_in_another_thread_ends_the_waiting() -> None:
    rt = blocking(hanging())
    rt.runtime.hooks.event.add(
        lambda event: threading.Timer(0.01, rt.close).start() if isinstance(event, TextDelta) else None
    )
    with pytest.raises(RunFailed, match="aborted"):
        rt.ask("hi")
    rt.close()


def test_any_number_of_threads_may_ask_and_close_at_any_moment() -> None:
    for _ in range(30):
        rt = blocking(ScriptedClient(["hello"], repeat=True))
        ends: list[object] = []

        def ask(rt: BlockingRuntime = rt, ends: list[object] = ends) -> None:
            try:
                ends.append(str(rt.ask("hi")))
            except (Busy, Closed, RunFailed) as error:
                ends.append(error)

        threads = [threading.Thread(target=target) for target in (ask, ask, rt.close, ask, rt.close)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert len(ends) == 3


def test_closing_from_a_hook_is_refused_and_nothing_hangs() -> None:
    with blocking(ScriptedClient(["hello", "again"])) as rt:
        rt.runtime.hooks.before_model_call.add(lambda step: rt.close())
        with pytest.raises(RunFailed, match="cannot block on its own thread"):
            rt.ask("hi")


def test_it_talks_to_a_server() -> None:
    with (
        ScriptedServer(["hello"]) as server,
        BlockingRuntime("m", provider="openai", api_key="k", base_url=server.base_url("openai-chat")) as rt,
    ):
        assert str(rt.ask("hi")) == "hello"


def test_agents_work_for_synchronous_code() -> None:
    client = TaskClient({name: [f"about {name}"] for name in "abcd"})
    with blocking(client) as rt:
        assert str(rt.agents.run("a")) == "about a"
        assert [str(each) for each in rt.agents.gather(["b", "c"], limit=1)] == ["about b", "about c"]
        assert {name: str(each) for name, each in rt.agents.map(str.lower, "ABCD", limit=2)} == {
            name.upper(): f"about {name}" for name in "abcd"
        }
        for _, each in rt.agents.map(str.lower, "ABCD"):
            assert each.ok
            break
        assert not rt.runtime.agents.running
        with pytest.raises(UnknownName, match="nobody"):
            rt.agents.run("a", agent="nobody")


def test_ctrl_c_stops_agents() -> None:
    with blocking(TaskClient({"a": [HANGS]})) as rt:
        press_ctrl_c_at(rt, SubagentStart)
        with pytest.raises(KeyboardInterrupt):
            rt.agents.gather(["a", "a"])
        assert [each.end for each in rt.runtime.agents.all] == ["aborted", "aborted"]
