"""Skills, prompt templates and themes that extensions bring."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from extension_folder import write_extension
from waiting import until

from zot_agent.extensions.discover import theme_paths
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_core.conversation.commands import CommandError
from zot_core.events import Notice
from zot_provider.testing import ScriptedServer

SETTER = """
@ext.command("bring")
def bring(text):
    import json
    from zot_ext import HostError
    try:
        ext.resources.set(**json.loads(text))
    except HostError as error:
        return error.code + ": " + str(error)
    return "ok"

@ext.command("end")
def end(_):
    import os
    os._exit(0)
"""


def skill(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: How to {name}.\n---\nText.\n")


def prompt(path: Path, text: str = "Do it.") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def declare(folder: Path, **fields: Any) -> None:
    path = folder / "extension.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """An extension with files, which brings them when it is asked to."""
    folder = write_extension(tmp_path / "kit", SETTER, more="capabilities=('resources',)")
    skill(folder / "skills" / "cut", "cut")
    prompt(folder / "prompts" / "trim.md", "---\nallowed-tools: Bash\n---\nTrim $1.")
    return folder


@contextlib.asynccontextmanager
async def running(server: ScriptedServer, *folders: Path, **options: Any) -> AsyncIterator[Host]:
    host = build_host(
        HostOptions(
            provider="local", model="m", base_url=server.base_url("openai-chat"), no_session=True,
            extensions=[str(each) for each in folders], **options,
        )
    )  # fmt: skip
    try:
        await host.conversation.ready()
        yield host
    finally:
        await host.close()


async def bring(host: Host, **paths: Any) -> str:
    assert host.extensions is not None
    return (await host.extensions.run_command("bring", json.dumps(paths))).text


async def names(host: Host) -> list[str]:
    await host.conversation.list_templates()
    found = [each.name for each in host.conversation.commands if each.kind in ("skill", "template")]
    return [name for name in found if "trim" in name or "cut" in name or "mine" in name]


async def test_what_the_manifest_names_is_there_from_the_start(server: ScriptedServer, kit: Path) -> None:
    declare(kit, skills=["skills"], prompts=["prompts/trim.md"])
    async with running(server, kit) as host:
        assert await names(host) == ["trim", "skill:kit:cut"]
        server.add("ok")
        await host.conversation.prompt("/trim hedges")
        assert server.requests[0].body["messages"][-1]["content"] == "Trim hedges."
        # What runs without a question is the person's to say, not an extension's.
        expanded = host.runtime.workspace.templates.expand("trim") if host.runtime.workspace.templates else None
        assert expanded is not None
        assert expanded.allowed_tools == []
        assert "kit:cut" in json.dumps(server.requests[0].body)


async def test_what_a_program_brings_comes_and_goes_with_it(server: ScriptedServer, kit: Path) -> None:
    async with running(server, kit) as host:
        assert await names(host) == []
        assert await bring(host, skills=["skills/cut"], prompts=["prompts"]) == "ok"
        assert await names(host) == ["trim", "skill:kit:cut"]
        assert await bring(host, prompts=["prompts"]) == "ok"
        assert await names(host) == ["trim"]
        assert await bring(host, skills=["skills"]) == "ok"
        assert [each.name for each in host.runtime.skills if each.source == "kit"] == ["kit:cut"]
        assert host.extensions is not None
        with pytest.raises(CommandError):
            await host.extensions.run_command("end")
        await until(lambda: not [each for each in host.runtime.skills if each.source == "kit"])
        assert await names(host) == []


async def test_a_reload_follows_the_manifest(server: ScriptedServer, kit: Path) -> None:
    async with running(server, kit) as host:
        declare(kit, skills=["skills"], prompts=["prompts"])
        await host.reload_extensions()
        assert await names(host) == ["trim", "skill:kit:cut"]
        declare(kit, skills=[], prompts=[])
        await host.reload_extensions()
        assert await names(host) == []


async def test_skills_brought_during_a_run_are_used_by_the_next_one(server: ScriptedServer, kit: Path) -> None:
    async with running(server, kit) as host:
        server.add("first", "second")
        run = host.conversation.prompt("one")
        async for event in run:
            if event.type == "turn_start":
                assert await bring(host, skills=["skills"]) == "ok"
        await host.conversation.prompt("two")
        bodies = [json.dumps(each.body) for each in server.requests]
        assert ["kit:cut" in body for body in bodies] == [False, True]


async def test_a_path_that_cannot_be_used_is_refused(server: ScriptedServer, kit: Path) -> None:
    prompt(kit.parent / "outside" / "secret.md")
    (kit / "link").symlink_to(kit.parent / "outside")
    async with running(server, kit) as host:
        for paths, code in (
            ({"skills": ["../outside"]}, "invalid"),
            ({"prompts": ["link"]}, "invalid"),
            ({"prompts": [str(kit.parent / "outside" / "secret.md")]}, "invalid"),
            ({"themes": ["missing.json"]}, "not_found"),
            ({"skills": [1]}, "invalid"),
            ({"skills": [""]}, "invalid"),
            ({"prompts": ["prompts"] * 101}, "too_large"),
        ):
            assert (await bring(host, **paths)).startswith(f"{code}: "), paths
        assert await names(host) == []


async def test_the_persons_own_come_first_then_the_projects(server: ScriptedServer, kit: Path, alone: Path) -> None:
    prompt(alone.parent / "zot-home" / "prompts" / "trim.md", "Mine.")
    declare(kit, prompts=["prompts", "missing", "../outside"])
    async with running(server, kit) as host:
        notes: list[str] = []
        host.conversation.events.add(lambda event: notes.append(event.text) if isinstance(event, Notice) else None)
        assert await names(host) == ["trim"]
        templates = host.runtime.workspace.templates
        assert templates is not None
        assert templates.expand("trim") is not None
        assert [each.source for each in templates.listing().found if each.name == "trim"] == ["user"]
        found = templates.listing().notes
    assert f"{kit}/prompts/trim.md: /trim is already used by" in found[0]
    assert found[1:] == [
        "extension kit: there is no template in its prompt 'missing'; it is left out",
        "extension kit: its prompt '../outside' is not in its folder; it is left out",
    ]


async def test_ten_thousand_files_are_cut_at_the_limits(server: ScriptedServer, kit: Path) -> None:
    (kit / "many").mkdir()
    for number in range(10_000):
        (kit / "many" / f"p{number}.md").touch()
    declare(kit, prompts=["many"], skills=["many"], themes=["many"])
    async with running(server, kit) as host:
        templates = host.runtime.workspace.templates
        assert templates is not None
        listing = templates.listing()
        assert len(listing.found) <= 500
        assert f"{kit}/many has more than 1000 entries; the rest is left out" in listing.notes


def test_themes_are_files_in_the_folder_of_the_extension(kit: Path) -> None:
    for name in ("one", "two"):
        prompt(kit / "themes" / f"{name}.json", "{}")
    prompt(kit.parent / "other.json", "{}")
    (kit / "themes" / "link.json").symlink_to(kit.parent / "other.json")
    found = theme_paths(str(kit), ["themes", "themes/one.json", "../other.json", "missing"])
    assert [Path(path).name for path in found] == ["one.json", "two.json", "one.json"]
