import asyncio
from pathlib import Path

import pytest

from zot_core.display import CodeDisplay
from zot_core.errors import ToolError
from zot_core.machine.files import LocalFiles
from zot_core.result import ToolResult
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill, expand, find_skills, pinned_section, skill_tool, skills_section
from zot_core.skills.skill import read_skill
from zot_core.skills.use import PINNED_LIMIT
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.arguments import Arguments
from zot_core.tools.definition.context import ToolContext
from zot_provider.errors import ConfigError
from zot_provider.testing import Call, ScriptedClient, Turn

FRONT = "---\nname: forms\ndescription: Fills in forms.\n---\n"


def skill(folder: Path, body: str = "\n# Forms\n\nSee fields.md.\n", front: str = FRONT) -> Skill:
    path = folder / "SKILL.md"
    path.write_bytes((front + body).encode())
    return read_skill(str(path), "user")


def named(folder: Path, name: str, body: str) -> Skill:
    (folder / name).mkdir()
    return skill(folder / name, body, f"---\nname: {name}\ndescription: d\n---\n")


def loaded(name: str, *skills: Skill, context: ToolContext | None = None) -> ToolResult:
    context = context or ToolContext("/", LocalFiles(), FakeShell())
    return asyncio.run(skill_tool(skills).run({"name": name}, context))


def test_the_model_gets_the_text_and_the_folder(tmp_path: Path) -> None:
    result = loaded("forms", skill(tmp_path))
    assert result.text == (
        f"The skill forms, from the folder {tmp_path}; relative paths in it refer to that folder.\n\n"
        "# Forms\n\nSee fields.md.\n"
    )
    assert result.details == {"name": "forms", "path": f"{tmp_path}/SKILL.md", "truncated": False}
    assert result.display == [CodeDisplay(f"{tmp_path}/SKILL.md", "# Forms\n\nSee fields.md.\n", 6)]


@pytest.mark.parametrize("name", [" forms ", "/forms", "skill:forms", "/skill:forms"])
def test_a_name_is_known_as_models_write_it(tmp_path: Path, name: str) -> None:
    assert "# Forms" in loaded(name, skill(tmp_path)).text


def test_the_file_is_read_when_the_model_asks(tmp_path: Path) -> None:
    found = skill(tmp_path)
    skill(tmp_path, "edited since\n")
    assert loaded("forms", found).text.endswith("\n\nedited since\n")
    Path(found.path).write_text("---\nno front matter any more\n")
    assert loaded("forms", found).text.endswith("\n\n---\nno front matter any more\n")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_a_file_in_another_encoding_keeps_its_letters(tmp_path: Path, encoding: str) -> None:
    text = "---\nname: forms\ndescription: Für Cafés\n---\nGrüße aus Köln\n"
    path = tmp_path / "forms" / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(text.encode(encoding))
    found = read_skill(str(path), "user")
    assert found.description == "Für Cafés"
    assert loaded("forms", found).text.endswith("Grüße aus Köln\n")


def test_a_missing_or_binary_file_is_an_error_for_the_model(tmp_path: Path) -> None:
    found = skill(tmp_path)
    Path(found.path).write_bytes(b"\0")
    with pytest.raises(ToolError, match=r"SKILL.md looks binary"):
        loaded("forms", found)
    Path(found.path).unlink()
    with pytest.raises(ToolError, match="no such file: "):
        loaded("forms", found)


def test_an_unknown_name_is_answered_with_near_ones(tmp_path: Path) -> None:
    found = skill(tmp_path)
    others = [found.replace(name=name) for name in ("form-letters", "weather", "review")]
    with pytest.raises(ToolError, match=r"^there is no skill 'form'; available: forms, form-letters$"):
        loaded("form", found, *others)
    with pytest.raises(ToolError, match=r"^there is no skill 'zzz'; available: forms, form-letters, weather, review$"):
        loaded("zzz", found, *others)
    with pytest.raises(ToolError, match=r"^there is no skill 'forms'$"):
        loaded("forms")


def test_a_skill_for_people_alone_is_refused_to_the_model(tmp_path: Path) -> None:
    found = skill(tmp_path, front=FRONT.replace("---\n", "---\ndisable-model-invocation: true\n", 1))
    with pytest.raises(ToolError, match="can only be used by the user, with /skill:forms"):
        loaded("forms", found)
    with pytest.raises(ToolError, match=r"^there is no skill 'form'$"):
        loaded("form", found)


@pytest.mark.parametrize("line", ["a line of a skill\n", "a line of a skill\r\n", "é" * 30 + "\n"])
def test_the_rest_of_a_long_text_can_be_read_from_the_named_line(tmp_path: Path, line: str) -> None:
    found = skill(tmp_path, line * 5000)
    result = loaded("forms", found)
    text, rest = result.text.partition("\n\n")[2].split("... [")
    assert len(text.encode()) <= 50 * 1024
    lines = text.count("\n")
    assert rest == f"truncated; continue with read, path {found.path}, offset {5 + lines}]\n"
    assert lines == 2000 or len(text.encode()) > 50 * 1024 - 100
    assert result.details["truncated"]


def test_a_text_is_never_cut_without_a_word(tmp_path: Path) -> None:
    found = skill(tmp_path, "\r\n" * 100_000 + "the end\n")
    assert "[truncated; continue" in loaded("forms", found).text
    assert "[truncated; continue" in expand(found)


def test_files_are_read_through_the_context_and_the_built_in_ones_where_zot_is(tmp_path: Path) -> None:
    found = skill(tmp_path)
    elsewhere = ToolContext("/", MemoryFiles({found.path: FRONT + "the text there\n"}), FakeShell())
    assert loaded("forms", found, context=elsewhere).text.endswith("\n\nthe text there\n")
    builtin = find_skills(str(tmp_path)).found[0]
    assert len(loaded(builtin.name, builtin, context=elsewhere).text) > 1000


async def test_zots_own_skill_alone_is_opened_by_a_call_without_arguments(tmp_path: Path) -> None:
    (own,) = find_skills(str(tmp_path)).found
    tool, context = skill_tool([own]), ToolContext("/", LocalFiles(), FakeShell())
    assert own.name in tool.description
    assert tool.schema == {"type": "object", "properties": {}}
    of_two = await skill_tool([own, skill(tmp_path)]).run({"name": own.name}, context)
    texts = [(await tool.run(arguments, context)).text for arguments in ({}, {"name": own.name})]
    assert texts == [of_two.text] * 2
    assert await tool.access({}, context) is not None


def test_the_schema_is_that_of_the_function() -> None:
    tool = skill_tool([])
    assert Arguments(tool.function, "skill").schema() == tool.schema
    assert (tool.name, tool.parallel) == ("skill", True)


async def test_a_runtime_tells_of_skills_and_loads_them(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "skills" / "forms"
    folder.mkdir(parents=True)
    skill(folder)
    client = ScriptedClient([Turn(calls=[Call("skill", {"name": "forms"})]), "Done."])
    skills = find_skills(str(tmp_path)).found
    async with Runtime(
        "any-name",
        client=client,
        cwd=tmp_path,
        tools=[skill_tool(skills)],
        append_system_prompt=[skills_section(skills)],
    ) as rt:
        assert str(await rt.ask("fill in the form")) == "Done."
    first, second = client.requests
    assert "- forms: Fills in forms." in first.system
    assert "See fields.md." in str(second.messages[-1])


async def test_a_call_after_an_edit_of_the_same_answer_sees_the_edit(tmp_path: Path) -> None:
    found = skill(tmp_path)
    calls = [Call("write", {"path": found.path, "content": "new words"}), Call("skill", {"name": "forms"})]
    client = ScriptedClient([Turn(calls=calls), "Done."])
    async with Runtime("any-name", client=client, cwd=tmp_path, tools=[skill_tool([found])]) as rt:
        await rt.ask("go")
    assert "relative paths in it refer to that folder.\\n\\nnew words" in str(client.requests[1].messages[-1])


def test_the_prompt_for_a_skill_is_its_text_and_the_arguments(tmp_path: Path) -> None:
    found = skill(tmp_path)
    said = (
        f"The skill forms, from the folder {tmp_path}; relative paths in it refer to that folder. Do what it says.\n\n"
        "<skill>\n# Forms\n\nSee fields.md.\n</skill>"
    )
    assert expand(found) == said
    assert expand(found, " the tax form \n") == f"{said}\n\nthe tax form"


def test_the_arguments_replace_the_placeholder(tmp_path: Path) -> None:
    found = skill(tmp_path, "Look at $ARGUMENTS first. Then fix $ARGUMENTS.\n")
    assert expand(found, "a \\1 $ARGUMENTS").endswith(
        "<skill>\nLook at a \\1 $ARGUMENTS first. Then fix a \\1 $ARGUMENTS.\n</skill>"
    )
    assert "Look at  first." in expand(found)


def test_a_skill_that_cannot_be_read_is_a_config_error(tmp_path: Path) -> None:
    found = skill(tmp_path)
    Path(found.path).write_bytes(b"\0")
    with pytest.raises(ConfigError, match=r"^the skill forms cannot be read: .*SKILL\.md looks binary"):
        expand(found)
    Path(found.path).unlink()
    with pytest.raises(ConfigError, match=r"^the skill forms cannot be read: .*SKILL\.md: No such file or directory$"):
        expand(found)


def test_pinned_skills_are_whole_texts_for_the_system_prompt(tmp_path: Path) -> None:
    first, second = named(tmp_path, "one", "First.\n"), named(tmp_path, "two", "Second $ARGUMENTS.\n")
    text, notes = pinned_section([first, second], ["two", "one"])
    assert notes == []
    assert text.startswith("# Pinned skills\n\n")
    assert text.endswith(
        f"The skill two, from the folder {tmp_path}/two; relative paths in it refer to that folder.\n\n"
        "<skill>\nSecond $ARGUMENTS.\n</skill>\n\n"
        f"The skill one, from the folder {tmp_path}/one; relative paths in it refer to that folder.\n\n"
        "<skill>\nFirst.\n</skill>"
    )
    assert pinned_section([first], []) == ("", [])


def test_pinned_skills_that_cannot_be_used_are_noted_and_a_long_one_is_cut(tmp_path: Path) -> None:
    huge = [named(tmp_path, name, f"{'0123456789' * 10}\n" * 100_000) for name in ("a", "b", "c")]
    gone = named(tmp_path, "gone", "x")
    (tmp_path / "gone" / "SKILL.md").unlink()
    text, notes = pinned_section([*huge, gone], ["a", "b", "c", "d", "gone"])
    assert len(text) < PINNED_LIMIT + 2000
    assert "continue with read, path" in text
    assert notes == [
        f"the pinned skills have more than {PINNED_LIMIT:,} characters; c is left out",
        "the pinned skill d was not found; it is left out",
        "the pinned skill gone cannot be read: No such file or directory; it is left out",
    ]
