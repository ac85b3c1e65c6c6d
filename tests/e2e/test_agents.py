"""Sub-agents: real processes, and a scripted model."""

import json
from pathlib import Path
from typing import Any

from command import Zot
from tasks import by_task

from zot_provider.testing import Call, ScriptedServer, Turn

LOOK = Turn(calls=[Call("ls", {"path": "."})])
WRITE = Turn(calls=[Call("write", {"path": "made.txt", "content": "by an agent\n"})])


def give(*tasks: dict[str, Any] | str) -> Turn:
    return Turn(calls=[Call("agent", {"task": each} if isinstance(each, str) else each) for each in tasks])


def define(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\ndescription: does {name}\ntools: Read, LS\n---\nYou do {name}.\n")


def offered(server: ScriptedServer) -> str:
    """The description of the tool in the last request."""
    tools = [each["function"] for each in server.requests[-1].body["tools"]]
    return next((each["description"] for each in tools if each["name"] == "agent"), "")


def test_six_agents_of_which_some_fail_do_their_work(zot: Zot, server: ScriptedServer) -> None:
    tasks = give(
        "write", "look", {"task": "endless", "max_steps": 2}, "deep", "broken", {"task": "later", "background": True}
    )
    answers: dict[str, list[Turn | str]] = {
        "go": [tasks, "meanwhile", "all done"],
        "write": [WRITE, "written"],
        "look": [LOOK, "looked"],
        "endless": [LOOK, LOOK, LOOK],
        "deep": [give("deeper"), "up"],
        "deeper": [give("deepest"), "up"],
        "deepest": [LOOK, "down here"],
        "broken": [Turn(calls=[Call("agent", {"task": "x", "agent": "nobody"})]), "nobody was there"],
        "later": [LOOK, "in the end"],
    }
    server.add(*[by_task(**answers)] * 40)
    done = zot.ask(server, "--json", "go")
    events = [json.loads(line) for line in done.out.splitlines()]
    stops = {each["agent_id"]: each["end"] for each in events if each["type"] == "subagent_stop"}
    started = {each["task"]: each for each in events if each["type"] == "subagent_start"}
    assert {task: stops[each["agent_id"]] for task, each in started.items()} == {
        "write": "completed", "look": "completed", "endless": "max_steps", "deep": "completed",
        "deeper": "completed", "deepest": "completed", "broken": "completed", "later": "completed",
    }  # fmt: skip
    assert started["deeper"]["parent"] == started["deep"]["agent_id"]
    assert (zot.cwd / "made.txt").read_text() == "by an agent\n"
    assert "in the end" in str(server.requests[-1].body["messages"][-1])
    assert [each["type"] for each in events][-1] == "done"
    total = [each["cumulative"]["output"] for each in events if each["type"] == "usage"][-1]
    assert total == 5 * len(server.requests)
    assert all(Path(each["session"]).is_file() for each in started.values())


def test_a_limit_of_the_run_holds_for_all_agents_together(zot: Zot, server: ScriptedServer) -> None:
    tasks = {f"t{number}": [LOOK] * 20 for number in range(10)}
    server.add(*[by_task(go=[give(*tasks)], **tasks)] * 40)
    done = zot.ask(server, "--json", "--max-steps", "15", "go")
    assert done.code == 4
    ends = [each["end"] for line in done.out.splitlines() if (each := json.loads(line))["type"] == "subagent_stop"]
    assert ends == ["max_steps"] * 10
    assert len(server.requests) == 15


def test_definitions_of_a_project_count_only_if_it_is_trusted(zot: Zot, server: ScriptedServer) -> None:
    define(zot.cwd / ".claude" / "agents", "theirs")
    define(zot.home / "agents", "mine")
    server.add("one", "two", "three")
    zot.ask(server, "-p", "go")
    assert "`mine`: does mine" in offered(server)
    assert "theirs" not in offered(server)
    zot.ask(server, "-p", "--trust", "go")
    assert "`theirs`: does theirs" in offered(server)
    (zot.home / "config.json").write_text('{"agents": "off"}')
    zot.ask(server, "-p", "--trust", "go")
    assert offered(server) == ""


def test_nothing_of_it_is_imported_where_no_agent_starts(zot: Zot, server: ScriptedServer) -> None:
    server.add("hi")
    zot.env["PYTHONPROFILEIMPORTTIME"] = "1"
    imported = zot.ask(server, "-p", "go").err
    assert "zot_core.runtime.runtime" in imported
    assert "subagents" not in imported
    assert "worktrees" not in imported
    assert "zot_core.tools.agent" not in imported.split()
