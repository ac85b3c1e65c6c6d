import json
import sys
from pathlib import Path

import pytest
from screen import Chats

from zot_provider.testing import ScriptedServer

PROGRAM = f"""#!{sys.executable}
from helper import NAME
from zot_ext import Extension, display
ext = Extension("local")
ext.command(NAME, "says hello")(lambda args: display("hello"))
ext.run()
"""


@pytest.fixture
def project(alone: Path) -> Path:
    """A project with an extension, its theme, a skill and instructions."""
    folder = alone / ".zot" / "extensions" / "local"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": "local", "exec": "./run"}))
    (folder / "theme.json").write_text('{"colors": {}}')
    (folder / "run").write_text(PROGRAM)
    (folder / "run").chmod(0o755)
    (folder / "helper.py").write_text("NAME = 'greet'\n")
    skill = alone / ".zot" / "skills" / "barber"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\ndescription: cuts hair\n---\nUse scissors.\n")
    (alone / ".zot" / "SYSTEM.md").write_text("Be a cat.")
    return alone


async def test_one_question_is_asked_about_all_that_a_project_brings(
    chats: Chats, server: ScriptedServer, project: Path
) -> None:
    server.add("Miau.")
    async with chats.built(server, rows=40, no_context_files=False) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("May zot use what this folder brings?")
        for line in (
            "extension local, which starts: ./run",
            "theme local",
            "skills for the model: barber",
            "instructions in place of zot's own: .zot/SYSTEM.md",
        ):
            assert line in talk.screen()
        talk.type("y")
        await talk.shown("in use: extensions local; skills barber; file .zot/SYSTEM.md")
        talk.type("/greet<enter>")
        await talk.shown("hello")
        await talk.send("hi")
    system, *_ = server.requests[0].body["messages"]
    assert system["content"].startswith("Be a cat.")
    assert "- barber: cuts hair" in system["content"]


async def test_a_file_that_the_program_loads_is_asked_about_when_it_changes(
    chats: Chats, server: ScriptedServer, project: Path
) -> None:
    async with chats.built(server, rows=40) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("May zot use")
        talk.type("y")
        await talk.shown("in use:")
        (project / ".zot" / "extensions" / "local" / "helper.py").write_text("NAME = 'evil'\n")
        talk.type("/reload-ext<enter>")
        await talk.shown("Changed since you allowed it: .zot/extensions/local/helper.py")
        talk.type("n")
        await talk.shown("not in use: extensions local; skills barber")
        talk.type("/reload-ext<enter>")
        await talk.until(lambda: talk.transcript().count("reloaded:") == 3)
        await talk.settle()
        assert not talk.dialog_open


async def test_a_theme_of_a_project_is_none_until_it_is_allowed(
    chats: Chats, server: ScriptedServer, project: Path
) -> None:
    async with chats.built(server) as talk:
        await talk.send("/theme local")
        assert "unknown theme" in talk.transcript()
    async with chats.built(server, trust=True) as talk:
        await talk.send("/theme local")
        assert "unknown theme" not in talk.transcript()


async def test_prompt_templates_of_a_project_work_once_it_is_allowed_and_a_change_is_asked_about(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    template = alone / ".claude" / "commands" / "tidy.md"
    template.parent.mkdir(parents=True)
    template.write_text("Tidy $1 up.")
    server.add("done")
    async with chats.built(server, rows=40) as talk:
        talk.type("/tidy docs<enter>")
        await talk.shown("unknown command '/tidy'")
        talk.type("<ctrl+u>/reload-ext<enter>")
        await talk.shown("prompt templates: /tidy")
        talk.type("y")
        await talk.shown("in use: prompt templates /tidy")
        await talk.send("/tidy docs")
        assert talk.asked == ["Tidy docs up."]
    template.write_text("Delete $1.")
    async with chats.built(server, rows=40) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("Changed since you allowed it: .claude/commands/tidy.md")


async def test_the_question_hides_nothing_of_what_would_start(
    chats: Chats, server: ScriptedServer, project: Path
) -> None:
    manifest = {"name": "local", "exec": "./run", "args": ["\u202ehidden\x1b[8m", "two\nlines"]}
    (project / ".zot" / "extensions" / "local" / "extension.json").write_text(json.dumps(manifest))
    async with chats.built(server, rows=40) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown(r"extension local, which starts: ./run \u202ehidden\x1b[8m two lines")
        await talk.until(lambda: talk.dialog_open)
        talk.type("<esc>")


JUDGE = """
from zot_ext import Extension, ProjectTrustDecision, ProjectTrustRequest, block
ext = Extension("judge")
@ext.intercept("project_trust")
def judge(project: ProjectTrustRequest):
    assert project.brings[0] == "extension local, which starts: ./run", project.brings
    {answer}
ext.run()
"""


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("return ProjectTrustDecision(trusted=True)", "used in this run, because judge allows it: extensions local"),
        ("return block('not here')", "not used in this run (not here): extensions local"),
        ("return None", "May zot use what this folder brings?"),
    ],
)
async def test_an_extension_decides_before_the_person_is_asked(
    chats: Chats, server: ScriptedServer, project: Path, answer: str, line: str
) -> None:
    judge = project / "judge"
    judge.mkdir()
    (judge / "extension.json").write_text(json.dumps({"name": "judge", "exec": sys.executable, "args": ["main.py"]}))
    (judge / "main.py").write_text(JUDGE.format(answer=answer))
    async with chats.built(server, rows=40, extensions=[str(judge)]) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown(line)
        if "trusted" in answer:
            talk.type("/greet<enter>")
            await talk.shown("hello")
    assert not (project.parent / "zot-home" / "trust").exists()


async def test_a_prompt_waits_for_the_decision_of_an_extension_and_has_what_that_allows(
    chats: Chats, server: ScriptedServer, project: Path
) -> None:
    server.add("Miau.")
    judge = project / "judge"
    judge.mkdir()
    (judge / "extension.json").write_text(json.dumps({"name": "judge", "exec": sys.executable, "args": ["main.py"]}))
    slow = "ext.notify('deciding'); import time; time.sleep(1); return ProjectTrustDecision(trusted=True)"
    (judge / "main.py").write_text(JUDGE.format(answer=slow))
    async with chats.built(server, rows=40, extensions=[str(judge)], no_context_files=False) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("deciding")
        await talk.send("hi")
        assert "Miau." in talk.screen()
    system, *_ = server.requests[0].body["messages"]
    assert system["content"].startswith("Be a cat.")
    assert "- barber: cuts hair" in system["content"]
