"""Skills through the `zot` command: told to the model, loaded by it, left out."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Zot

from zot_provider.testing import Call, ScriptedServer, Turn


def write_skill(folder: Path, name: str, body: str = "Do it well.", description: str = "when it matters") -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")


def system(server: ScriptedServer, number: int = 0) -> str:
    calls = [request for request in server.requests if request.body is not None]  # it may ask for the list of models
    return json.dumps(calls[number].body["messages"][0])


def result(events: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = [event for event in events if event["type"] == "tool_result"]
    return found


def test_a_skill_written_for_another_agent_is_told_and_loaded(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.cwd / ".claude/skills", "release", "Tag first, then push.")
    server.add(Turn(calls=[Call("skill", {"name": "release"})]), "done")

    done = zot.ask(server, "--json", "release it", "--trust")

    assert "release" in system(server)
    assert "when it matters" in system(server)
    found = result(done.events)
    assert not found["is_error"]
    assert "Tag first, then push." in found["content"][0]["text"]
    assert str(zot.cwd / ".claude/skills/release") in found["content"][0]["text"]


def test_ones_own_skill_comes_before_that_of_a_project(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.cwd / ".zot/skills", "release", "of the project")
    write_skill(zot.home / "skills", "release", "of the person")
    server.add(Turn(calls=[Call("skill", {"name": "release"})]), "done")

    done = zot.ask(server, "--json", "go", "--trust")

    assert "of the person" in result(done.events)["content"][0]["text"]
    assert f"{zot.cwd}/.zot/skills/release/SKILL.md: you have a skill release of your own" in done.line()


def test_skills_of_a_project_are_not_used_unasked(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.cwd / ".agents/skills", "release")
    server.add("ok")

    done = zot.ask(server, "-p", "go")

    assert "when it matters" not in system(server)
    assert done.line().startswith(f"not used, because you have not allowed it: skills release of {zot.cwd} ")


def test_an_extension_brings_skills_under_its_name(zot: Zot, server: ScriptedServer) -> None:
    folder = zot.home / "extensions" / "bundle"
    write_skill(folder, "release", "of the bundle")
    (folder / "extension.json").write_text('{"name": "bundle", "skills": ["release"]}')
    server.add(Turn(calls=[Call("skill", {"name": "bundle:release"})]), "done")

    done = zot.ask(server, "--json", "go")

    assert "of the bundle" in result(done.events)["content"][0]["text"]
    assert done.err == ""


def test_a_bad_skill_is_told_once_with_its_place_and_the_run_goes_on(zot: Zot, server: ScriptedServer) -> None:
    folder = zot.cwd / ".zot/skills/bad"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: bad\n---\nNothing says what for.\n")
    server.add("ok")

    done = zot.ask(server, "-p", "go")

    assert done.out == "ok\n"
    assert f"{folder / 'SKILL.md'}" in done.line()


def test_without_skills_the_model_hears_of_none(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.home / "skills", "release")
    server.add("ok", "ok", "ok")

    for flags in (["--no-skills"], ["--tools", "read"], ["--tools", "read,skill"]):
        zot.ask(server, "-p", "go", *flags)

    tools = [[tool["function"]["name"] for tool in request.body["tools"]] for request in server.requests]
    assert "skill" not in tools[0]
    assert tools[1:] == [["read"], ["read", "skill"]]
    assert ["release" in system(server, number) for number in range(3)] == [False, False, True]


@pytest.mark.parametrize("flag", ["-p", "--stream", "--json"])
def test_a_prompt_that_names_a_skill_sends_its_text(zot: Zot, server: ScriptedServer, flag: str) -> None:
    write_skill(zot.home / "skills", "release", "Tag $ARGUMENTS first, then push.")
    server.add("done")

    done = zot.ask(server, flag, "/skill:release v1")

    assert (done.code, done.err) == (0, "")
    assert "Tag v1 first, then push." in server.requests[0].body["messages"][-1]["content"]


def test_a_skill_that_is_not_there_fails_the_run_and_near_names_are_told(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.home / "skills", "release")

    done = zot.ask(server, "-p", "/skill:relaese v1")

    assert (done.code, done.out) == (2, "")
    assert done.line() == "unknown skill 'relaese'; did you mean release?"
    assert server.requests == []


def test_pinned_skills_are_in_the_system_prompt_of_their_directory(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.home / "skills", "release", "Tag first, then push.")
    write_skill(zot.home / "skills", "other", "x" * 10_000_000)
    pins = zot.home / "skill-pins.json"
    projects = {str(zot.cwd.resolve()): ["release", "gone"], "/elsewhere": ["other"]}
    pins.write_text(json.dumps({"global": ["other"], "projects": projects}))
    server.add("ok", "ok", "ok")

    done = zot.ask(server, "-p", "go")
    assert "Tag first, then push." in system(server)
    assert "continue with read" in system(server)
    assert len(system(server)) < 100_000
    assert done.line() == "the pinned skill gone was not found; it is left out"

    assert zot.ask(server, "-p", "go", "--no-skills").err == ""
    assert "Tag first" not in system(server, 1)

    pins.write_text('{"global": "release"}')
    done = zot.ask(server, "-p", "go")
    assert done.line() == f'{pins}: global: expected an array of names, got "release"; no skill is pinned'
    assert "Tag first" not in system(server, 2)


def test_a_cloned_collection_is_found_and_what_is_left_out_is_said_once(zot: Zot, server: ScriptedServer) -> None:
    write_skill(zot.home / "skills/clone/skills", "release", "of the clone")
    write_skill(zot.home / "skills", "release", "my own")
    write_skill(zot.home / "skills/clone/skills", "notes")
    server.add(Turn(calls=[Call("skill", {"name": "release"})]), "done")

    done = zot.ask(server, "--json", "go")

    assert "my own" in result(done.events)["content"][0]["text"]
    assert "- notes: when it matters" in system(server)
    assert done.line() == (
        f"{zot.home}/skills/clone/skills/release/SKILL.md: its name release is already used by "
        f"{zot.home}/skills/release/SKILL.md; it is left out"
    )
