"""Sub-agents: tasks with their own context, within the run of the agent that gives them."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_core.events import (
    AgentEvent,
    Done,
    Notice,
    SubagentProgress,
    SubagentStart,
    SubagentStop,
    ToolResultEvent,
    UsageEvent,
)
from zot_core.hooks import ToolRequest
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.definitions import AgentDefinition
from zot_core.runtime.subagents.limits import AgentLimits
from zot_core.runtime.subagents.listing import INTERRUPTED, known_agents
from zot_core.sessions.branch import stored_children
from zot_core.sessions.listing import delete, list_sessions
from zot_core.sessions.rows import meta_row
from zot_core.sessions.store import SessionStore
from zot_core.testing.tasks import HANGS, TaskClient
from zot_provider.errors import ConfigError
from zot_provider.model import Model, Price
from zot_provider.testing import Call, Turn

MODEL = Model("m", "v", price=Price(1_000_000, 1_000_000))


def call(task: str, **more: Any) -> Call:
    return Call("agent", {"task": task, **more}, id=f"call-{task}")


def family(client: TaskClient, **options: Any) -> Runtime:
    return Runtime(MODEL, client=client, agents=options.pop("agents", ()), system_prompt="Be brief.", **options)


async def answered(runtime: Runtime, text: str = "main") -> list[AgentEvent]:
    async with asyncio.timeout(PATIENCE):
        return [event async for event in runtime.prompt(text)]


def results(events: list[AgentEvent]) -> list[str]:
    return [event.content[0].text for event in events if isinstance(event, ToolResultEvent)]  # type: ignore[union-attr]


def stops(events: list[AgentEvent]) -> dict[str, str]:
    return {event.agent_id: event.end for event in events if isinstance(event, SubagentStop)}


async def test_a_model_gives_tasks_and_reads_the_answers() -> None:
    client = TaskClient({"main": [Turn(calls=[call("a"), call("b")]), "done"], "a": ["from a"], "b": ["from b"]})
    async with family(client) as runtime:
        events = await answered(runtime)
    assert [each.partition("\n")[0] for each in results(events)] == ["from a", "from b"]
    assert "[agent 1 is done after 1 step and " in results(events)[0]
    started = [event for event in events if isinstance(event, SubagentStart)]
    assert [(each.agent_id, each.task, each.tool_call, each.model) for each in started] == [
        ("1", "a", "call-a", "m"),
        ("2", "b", "call-b", "m"),
    ]
    assert stops(events) == {"1": "completed", "2": "completed"}
    assert [message.text for message in client.asked("a")[0].messages] == ["a"]
    assert len(client.asked("main")[1].messages) == 3  # the results come back as one message
    assert client.closed


async def test_without_agents_the_tool_is_not_offered() -> None:
    client = TaskClient({"main": ["done"]})
    async with Runtime(MODEL, client=client) as runtime:
        await answered(runtime)
    assert "agent" not in [tool.name for tool in client.requests[0].tools]


async def test_what_sub_agents_use_counts_for_the_agent() -> None:
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": [Turn(calls=[call("b")]), "x"], "b": ["y"]})
    async with family(client) as runtime:
        events = await answered(runtime)
        usage = [event for event in events if isinstance(event, UsageEvent)]
        assert [event.agent_id for event in usage] == ["", "1", "2", "1", ""]
        assert runtime.usage.output == 5 * 5
        assert runtime.agents.find("1").progress.usage.output == 3 * 5
        assert runtime.cost == pytest.approx(5 * 15)
    assert [each.id for each in runtime.agents.all] == ["1", "2"]


async def test_an_agent_deep_enough_gets_no_tool_for_more() -> None:
    tasks = {name: [Turn(calls=[call(deeper)]), "up"] for name, deeper in zip("abc", "bcd", strict=True)}
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], **tasks})
    async with family(client) as runtime:
        events = await answered(runtime)
    offered = [task for task in "abc" if "agent" in [tool.name for tool in client.asked(task)[0].tools]]
    assert offered == ["a", "b"]
    assert list(stops(events)) == ["3", "2", "1"]
    assert events[-1] == Done("completed")


async def test_a_model_that_starts_agents_without_end_is_stopped() -> None:
    begin = Turn(calls=[call("a")] * 4)
    client = TaskClient({"main": [begin, "done", begin, "done"], "a": ["x"]})
    async with family(client) as runtime:
        runtime.agents.limits = AgentLimits(number=3)
        events = await answered(runtime)
        assert results(events).count("3 agents were started in this run; do the task yourself") == 1
        assert len(stops(await answered(runtime, "more"))) == 3  # counted for each run


async def test_steps_of_sub_agents_count_for_the_limit_of_the_run() -> None:
    endless = Turn(calls=[Call("ls", {})])
    client = TaskClient({"main": [Turn(calls=[call("a"), call("b")]), "done"], "a": [endless], "b": [endless]})
    async with family(client, max_steps=7) as runtime:
        events = await answered(runtime)
    assert stops(events) == {"1": "max_steps", "2": "max_steps"}
    assert events[-1] == Done("max_steps")
    assert len(client.requests) == 7


async def test_a_budget_that_runs_out_in_the_middle_of_ten_stops_the_rest() -> None:
    names = [f"t{number}" for number in range(10)]
    tasks = {name: [Turn(calls=[Call("ls", {})]), "found"] for name in names}
    client = TaskClient({"main": [Turn(calls=[call(name) for name in names]), "done"], **tasks})
    async with family(client, max_tokens=15 * 16) as runtime:
        events = await answered(runtime)
    ends = list(stops(events).values())
    assert len(ends) == 10
    assert set(ends) == {"completed", "max_tokens"}
    assert events[-1] == Done("max_tokens")


async def test_an_agent_has_limits_of_its_own() -> None:
    client = TaskClient(
        {"main": [Turn(calls=[call("a", max_steps=2)]), "done"], "a": [Turn("so far", calls=[Call("ls")])]}
    )
    async with family(client) as runtime:
        events = await answered(runtime)
    text = results(events)[0]
    assert text.startswith("so far\n\n[agent 1 failed after 2 steps")
    assert text.endswith("max steps (2) exceeded]")
    assert events[-1] == Done("completed")


async def test_an_agent_that_never_ends_is_ended() -> None:
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": [HANGS]})
    async with family(client) as runtime:
        runtime.agents.limits = AgentLimits(seconds=0.05)
        events = await answered(runtime)
    assert stops(events) == {"1": "deadline"}
    assert events[-1] == Done("completed")


async def test_cancelling_the_run_cancels_its_agents() -> None:
    client = TaskClient(
        {"main": [Turn(calls=[call("a"), call("b", background=True)]), "done"], "a": [HANGS], "b": [HANGS]}
    )
    async with family(client) as runtime:
        run = runtime.prompt("main")
        events: list[AgentEvent] = []
        runtime.hooks.event.add(events.append)
        async with asyncio.timeout(PATIENCE):
            while sorted(client.hanging) != ["a", "b"]:
                await asyncio.sleep(0.001)
            run.cancel()
            assert await run == "aborted"
            await asyncio.gather(*(each.finished() for each in runtime.agents.all))
    assert stops(events) == {"1": "aborted", "2": "aborted"}


async def test_closing_the_runtime_ends_its_agents() -> None:
    client = TaskClient({"a": [HANGS]})
    runtime = family(client)
    running = asyncio.ensure_future(runtime.agents.run("a"))
    async with asyncio.timeout(PATIENCE):
        while not client.hanging:
            await asyncio.sleep(0.001)
        await runtime.close()
        assert (await running).end == "aborted"


async def test_the_run_does_not_end_before_agents_in_the_background() -> None:
    tasks = {"a": ["from a"], "b": [Turn(calls=[Call("ls", {})]), "from b"]}
    begin = Turn(calls=[call("a", background=True), call("b", background=True)])
    client = TaskClient({"main": [begin, "meanwhile", "done"], **tasks})
    async with family(client) as runtime:
        events = await answered(runtime)
        assert runtime.agents.running == []
        texts = [message.text for message in runtime.messages if message.role == "user"]
    assert results(events)[0] == "[agent 1 works in the background; a message brings its answer]"
    told = "\n".join(texts[1:])
    assert "agent 1 was to: a\nfrom a" in told
    assert "agent 2 was to: b\nfrom b" in told
    assert told.count("from a") == 1
    assert events[-1] == Done("completed")


async def test_a_message_of_the_person_is_read_while_an_agent_works_in_the_background() -> None:
    client = TaskClient({"main": [Turn(calls=[call("a", background=True)]), "waits", "heard", "done"], "a": [HANGS]})
    async with family(client) as runtime:
        run = runtime.prompt("main")
        async with asyncio.timeout(PATIENCE):
            while not client.hanging or len(client.asked("main")) < 2:
                await asyncio.sleep(0.001)
            runtime.steer("how far?")
            while len(client.asked("main")) < 3:
                await asyncio.sleep(0.001)
            assert client.asked("main")[2].messages[-1].text == "how far?"
            runtime.agents.find("1").stop()
            assert await run == "completed"
    assert "was stopped" in client.asked("main")[3].messages[-1].text


async def test_a_person_steers_and_stops_an_agent() -> None:
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": [Turn(calls=[Call("ls", {})]), HANGS]})
    async with family(client) as runtime:
        run = runtime.prompt("main")
        runtime.hooks.event.add(
            lambda event: isinstance(event, SubagentStart) and runtime.agents.find("1").steer("hurry") and None
        )
        async with asyncio.timeout(PATIENCE):
            while not client.hanging:
                await asyncio.sleep(0.001)
            agent = runtime.agents.find("1")
            assert "hurry" in [message.text for message in agent.messages()]
            agent.stop()
            assert await run == "completed"
            assert not agent.steer("too late")
        assert agent.status == "was stopped"
        with pytest.raises(ConfigError, match="there is no agent '9'; the agents are: 1"):
            runtime.agents.find("9")


async def test_the_last_line_is_reported_seldom(tmp_path: Path) -> None:
    flood = Turn("".join(f"line {number}\n" for number in range(20_000)), chunk=8)
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": [flood]})
    async with family(client) as runtime:
        events = await answered(runtime)
        assert len([event for event in events if isinstance(event, SubagentProgress)]) < 20
        text = results(events)[0]
        assert len(text) < 41_000
        assert "characters are left out" in text
        assert runtime.agents.find("1").line == "line 19999"


async def test_calls_of_agents_pass_the_hooks_of_the_agent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("secret")
    client = TaskClient(
        {"main": [Turn(calls=[call("a")]), "done"], "a": [Turn(calls=[Call("read", {"path": "a.txt"})]), "x"]}
    )
    asked: list[ToolRequest] = []

    def confirm(request: ToolRequest) -> bool:
        asked.append(request)
        return request.name != "read"

    async with family(client, cwd=tmp_path, confirm=confirm) as runtime:
        await answered(runtime)
    assert [(each.name, each.agent_id) for each in asked] == [("agent", ""), ("read", "1")]
    assert client.asked("a")[1].messages[-1].content[0].content[0].text == "the user did not allow this call of read"  # type: ignore[union-attr]


async def test_files_are_read_first_by_the_agent_itself(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("what it says")
    client = TaskClient({"main": [Turn(calls=[call("a", files=["a.txt", "b.txt"])]), "done"], "a": ["x"]})
    async with family(client, cwd=tmp_path) as runtime:
        await answered(runtime)
    text = client.asked("a")[0].messages[0].text
    assert text.startswith('a\n\n<file name="a.txt">\n')
    assert "what it says" in text
    assert "b.txt does not exist" in text or "b.txt" in text.partition('name="b.txt"')[2]


async def test_files_that_it_has_from_its_task_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("what it says")
    write = Call("write", {"path": "a.txt", "content": "new"})
    client = TaskClient({"main": [Turn(calls=[call("a", files=["a.txt"])]), "done"], "a": [Turn(calls=[write]), "x"]})
    async with family(client, cwd=tmp_path) as runtime:
        runtime.agent.place.change(overwrite_check=True)
        await answered(runtime)
    assert (tmp_path / "a.txt").read_text() == "new"


async def test_an_agent_has_the_tools_of_its_definition_and_task_that_the_other_has() -> None:
    reader = AgentDefinition("reader", "reads", "You read.", tools=["Read", "LS", "WebFetch", "Unknown"])
    client = TaskClient(
        {"main": [Turn(calls=[call("a", agent="reader"), call("b", tools=["bash"])]), "done"], "a": ["x"]}
    )
    async with family(client, agents=[reader], builtin_tools=["read", "ls", "agent"]) as runtime:
        events = await answered(runtime)
        assert "`reader`: reads" in client.requests[0].tools[0].description
    assert sorted(tool.name for tool in client.asked("a")[0].tools) == ["ls", "read"]
    assert client.asked("a")[0].system.startswith("You read.")
    assert results(events)[1].startswith("unknown tool 'bash'")


async def test_an_agent_does_not_get_the_tools_that_its_definition_leaves_out() -> None:
    careful = AgentDefinition("careful", "looks", "You look.", without=["Wri*", "Shell", "Bash(git:*)", "Later"])
    empty = AgentDefinition("empty", "thinks", "You think.", tools=[])
    begin = Turn(calls=[call("a", agent="careful", tools=["read", "bash"]), call("b", agent="empty")])
    client = TaskClient({"main": [begin, "done"], "a": ["x"], "b": ["x"]})
    async with family(client, agents=[careful, empty], builtin_tools=["read", "bash", "write", "agent"]) as runtime:
        events = await answered(runtime)
    notes = [each.message for each in events if isinstance(each, Notice)]
    assert notes == ["agent 1 (careful): disallowedTools: there is no tool 'Later' now"]
    assert [tool.name for tool in client.asked("a")[0].tools] == ["read"]
    assert client.asked("b")[0].tools == []


async def test_an_unknown_agent_or_model_is_refused_with_what_there_is() -> None:
    begin = Turn(calls=[call("a", agent="explorer"), call("b", model="  ")])
    client = TaskClient({"main": [begin, "done"], "b": ["x"]})
    async with family(client) as runtime:
        events = await answered(runtime)
    assert results(events)[0].startswith("unknown agent 'explorer'; did you mean explore?")
    assert stops(events) == {"1": "completed"}


async def test_writes_of_several_agents_to_one_file_are_queued(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(8)))
    names = [f"t{number}" for number in range(8)]

    def edit(number: int) -> Turn:
        edits = [{"oldText": f"line {number}\n", "newText": f"LINE {number}\n"}]
        return Turn(calls=[Call("edit", {"path": "a.txt", "edits": edits})])

    tasks: dict[str, list[Turn | str]] = {name: [edit(number), "x"] for number, name in enumerate(names)}
    client = TaskClient({"main": [Turn(calls=[call(name) for name in names]), "done"], **tasks})
    async with family(client, cwd=tmp_path) as runtime:
        await answered(runtime)
    assert path.read_text() == "".join(f"LINE {number}\n" for number in range(8))


async def test_each_agent_has_a_session_that_names_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    tasks: dict[str, list[Turn | str]] = {"a": [Turn(calls=[call("b")]), "from a"], "b": ["from b"]}
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], **tasks})
    async with family(client, session=path) as runtime:
        await answered(runtime)
        assert runtime.session is not None
        session = runtime.session.meta.session_id
        assert [message.text for message in runtime.agents.find("2").messages()] == ["b", "from b"]
    stored = {each.meta.other["agent"]["task"]: each for _, each in stored_children(str(path), session)}
    assert stored["a"].meta.other["parent"] == session
    assert stored["b"].meta.other["parent"] == stored["a"].meta.id
    assert stored["a"].meta.other["agent"]["end"] == "completed"
    assert [message.role for message in stored["a"].messages] == ["user", "assistant", "tool", "assistant"]
    async with family(TaskClient({"main": ["again"]}), session=path) as runtime:
        assert runtime.usage.output == 5 * 5
        assert [message.role for message in runtime.messages] == ["user", "assistant", "tool", "assistant"]


async def test_a_program_maps_a_task_over_items() -> None:
    client = TaskClient(
        {f"t{number}": [f"answer {number}"] for number in range(50)} | {"bad": [Turn(error=ValueError("no"))]}
    )
    async with family(client) as runtime:
        answers = await runtime.agents.gather([*(f"t{number}" for number in range(20)), "bad"], limit=4)
        assert [str(each) for each in answers[:20]] == [f"answer {number}" for number in range(20)]
        assert (answers[20].ok, answers[20].error) == (False, "unexpected ValueError: no")
        seen = {number async for number, each in runtime.agents.map(lambda n: f"t{n}", range(50), limit=8) if each.ok}
        assert seen == set(range(50))
        with pytest.raises(ConfigError, match="limit must be at least 1"):
            await runtime.agents.gather(["t1"], limit=0)


async def test_a_task_is_mapped_over_a_thousand_files(tmp_path: Path) -> None:
    names = [f"f{number:04}.txt" for number in range(1000)]
    for name in names:
        (tmp_path / name).write_text(f"the text of {name}")
    answers: dict[str, list[Turn | str]] = {
        f"Summarise {name}": [Turn(calls=[Call("read", {"path": name})]), f"about {name}"] for name in names
    }
    client, most = TaskClient(answers), 0
    async with family(client, cwd=tmp_path) as runtime:
        found = set()
        async for name, answer in runtime.agents.map("Summarise {}".format, names, limit=16):
            found.add((name, answer.text))
            most = max(most, len(runtime.agents.running))
        assert len(runtime.agents.all) <= runtime.agents.limits.remembered + 16
    assert found == {(name, f"about {name}") for name in names}
    assert most <= 16
    read = [each.messages[-1] for each in client.requests if len(each.messages) == 3]
    assert sum("the text of f" in str(message) for message in read) == 1000


async def test_leaving_a_map_stops_what_runs() -> None:
    client = TaskClient({"fast": ["x"], "slow": [HANGS]})
    async with family(client) as runtime:
        agents = runtime.agents.map(str, ["slow", "fast", "slow"], limit=3)
        async for item, _ in agents:
            assert item == "fast"
            break
        async with asyncio.timeout(PATIENCE):
            await agents.aclose()
        assert runtime.agents.running == []


async def test_agents_of_a_process_that_was_killed_are_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    client = TaskClient({"main": [Turn(calls=[call("a")])], "a": [Turn(calls=[Call("ls", {})]), HANGS]})
    runtime = family(client, session=path)
    run = runtime.prompt("main")
    async with asyncio.timeout(PATIENCE):
        while not client.hanging:
            await asyncio.sleep(0.001)
    killed = tmp_path / "killed"
    shutil.copytree(tmp_path, killed, ignore=shutil.ignore_patterns("killed"))
    run.cancel()
    await run
    await runtime.close()
    again = TaskClient({"main": ["not used", Turn(calls=[call("b")]), "done"], "b": ["from b"]})
    async with family(again, session=killed / "s.jsonl") as runtime:
        await answered(runtime, "more")
        first, second = await known_agents(runtime, runtime.agents)
        assert (first.id, first.task, first.end, first.steps, first.live) == ("1", "a", INTERRUPTED, 1, None)
        assert [message.role for message in await first.transcript()] == ["user", "assistant", "tool"]
        assert (second.id, second.task, second.end) == ("2", "b", "completed")
        runtime.new_session()
        assert await known_agents(runtime, runtime.agents) == []


@pytest.mark.parametrize("about", ["text", {"id": 7, "seconds": "long", "end": ["x"]}, {}])
async def test_a_session_of_an_agent_with_wrong_facts_is_listed(tmp_path: Path, about: object) -> None:
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": ["from a"]})
    async with family(client, session=tmp_path / "s.jsonl") as runtime:
        await answered(runtime)
        session = runtime.session
        assert session is not None
        ((path, stored),) = stored_children(session.path, session.meta.session_id)
        with open(path, "a") as file:
            file.write(meta_row(stored.meta.replace(other=stored.meta.other | {"agent": about})) + "\n")
        runtime.agents.end_session()
        (entry,) = await known_agents(runtime, runtime.agents)
    assert (entry.line, entry.steps, entry.seconds) == ("from a", 1, 0.0)


async def test_deleting_a_session_deletes_those_of_its_agents(tmp_path: Path) -> None:
    store = SessionStore(str(tmp_path / "sessions"))
    session = store.create(str(tmp_path), "m", "v", "1")
    client = TaskClient({"main": [Turn(calls=[call("a"), call("b")]), "done"], "a": ["x"], "b": ["x"]})
    async with family(client, session=session) as runtime:
        await answered(runtime)
    assert len(list(tmp_path.rglob("*.jsonl"))) == 3
    assert [entry.path for entry in list_sessions(store)] == [session.path]
    delete(store, session.path)
    assert list((tmp_path / "sessions").rglob("*")) == [Path(store.folder(str(tmp_path)))]


async def test_a_failing_observer_loses_no_agent(tmp_path: Path) -> None:
    client = TaskClient({"main": [Turn(calls=[call("a")]), "done"], "a": ["from a"]})
    async with family(client) as runtime:
        runtime.hooks.event.add(lambda event: 1 // 0 if isinstance(event, SubagentStop) else None)
        events = await answered(runtime)
    assert results(events)[0].startswith("from a")


async def test_tools_on_demand_are_offered_to_an_agent_whose_task_names_them(tmp_path: Path) -> None:
    calls = [call("a"), call("b", tools=["ls", "read"])]
    client = TaskClient({"main": [Turn(calls=calls), "done"], "a": [Turn(calls=[Call("ls", {})]), "ok"], "b": ["ok"]})
    (tmp_path / "seen.txt").touch()
    async with family(client, cwd=tmp_path) as runtime:
        await answered(runtime)
    names = [[tool.name for tool in client.asked(task)[0].tools] for task in ("main", "a", "b")]
    assert [("ls" in each, "bash" in each) for each in names] == [(False, True), (False, True), (True, False)]
    assert "seen.txt" in str(client.asked("a")[1].messages[-1].content)  # nobody has told it of the tool
