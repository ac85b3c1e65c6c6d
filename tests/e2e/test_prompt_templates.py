"""Prompt templates through the `zot` command."""

from pathlib import Path

import pytest
from command import Zot

from zot_provider.testing import ScriptedServer


def write_template(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)


def asked(server: ScriptedServer, number: int = -1) -> str:
    return str(server.requests[number].body["messages"][-1]["content"])


@pytest.mark.parametrize("flag", ["-p", "--stream", "--json"])
def test_a_prompt_that_names_a_template_sends_its_text(zot: Zot, server: ScriptedServer, flag: str) -> None:
    write_template(zot.home / "prompts", "release", "Tag $1 first, then push ${@:2}.")
    server.add("done")

    done = zot.ask(server, flag, "/release v1 'to both servers'")

    assert (done.code, done.err) == (0, "")
    assert asked(server) == "Tag v1 first, then push to both servers."


def test_templates_of_a_project_are_not_used_unasked(zot: Zot, server: ScriptedServer) -> None:
    write_template(zot.cwd / ".zot/prompts", "release", "Tag it.")
    write_template(zot.cwd / ".claude/commands/opsx", "apply", "Apply $ARGUMENTS.")
    server.add("ok", "ok")

    done = zot.ask(server, "-p", "/release")
    assert asked(server) == "/release"
    assert done.line().startswith(
        f"not used, because you have not allowed it: prompt templates /release, /opsx:apply of {zot.cwd} "
    )

    assert zot.ask(server, "-p", "/opsx:apply all of it", "--trust").err == ""
    assert asked(server) == "Apply all of it."


def test_a_template_that_cannot_be_used_fails_the_run_in_one_line(zot: Zot, server: ScriptedServer) -> None:
    write_template(zot.home / "prompts", "huge", "x" * 10_000_000)

    done = zot.ask(server, "-p", "/huge")

    assert (done.code, done.out) == (2, "")
    assert done.line() == f"/huge: {zot.home}/prompts/huge.md:1: it is longer than 64 KiB"
    assert server.requests == []


def test_init_and_review_are_built_in_and_can_be_replaced(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok", "ok", "ok")

    zot.ask(server, "-p", "/init")
    assert asked(server).startswith("Write the file AGENTS.md for this project.")
    zot.ask(server, "-p", "/review feature")
    assert "What to review: feature\n" in asked(server)
    write_template(zot.home / "prompts", "review", "Look at $1 my way.")
    zot.ask(server, "-p", "/review feature")
    assert asked(server) == "Look at feature my way."
