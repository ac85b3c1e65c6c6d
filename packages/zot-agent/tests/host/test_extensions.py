import json
from pathlib import Path

import pytest

from zot_agent.config.settings import ProjectExtensions, Settings
from zot_agent.host.extensions import ExtensionChoice
from zot_agent.host.options import HostOptions

NOTE = "running extensions of this project: local (disable them with --no-project-ext)"


@pytest.fixture(autouse=True)
def project(alone: Path) -> Path:
    """A project with an extension `local`."""
    folder = alone / ".zot" / "extensions" / "local"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": "local", "exec": "./run"}))
    (folder / "run").write_text("#!/bin/sh\n")
    return alone


def choose(
    project: Path, setting: ProjectExtensions = "ask", *, can_ask: bool = False, refused: bool = False
) -> ExtensionChoice:
    settings = Settings(project_extensions=setting)
    return ExtensionChoice(HostOptions(no_project_ext=refused), settings, str(project), can_ask=can_ask)


def names(choice: ExtensionChoice) -> list[str]:
    return [each.name for each in choice.find().active()]


def test_an_extension_of_a_project_runs_with_a_note_where_nobody_can_be_asked(project: Path) -> None:
    choice = choose(project)
    assert names(choice) == ["local"]
    assert choice.notes == [NOTE]


def test_a_screen_asks_first_and_remembers_the_answer(project: Path) -> None:
    choice = choose(project, can_ask=True)
    assert names(choice) == []
    assert [each.name for each in choice.undecided] == ["local"]
    choice.decide(choice.undecided[0], allowed=True)
    assert names(choice) == ["local"]
    assert choice.undecided == choice.notes == []


def test_a_refused_extension_does_not_run_where_nobody_can_be_asked(project: Path) -> None:
    asking = choose(project, can_ask=True)
    asking.find()
    asking.decide(asking.undecided[0], allowed=False)
    choice = choose(project)
    assert names(choice) == []
    assert choice.notes == []


def test_the_setting_on_runs_them_without_a_question_or_a_note(project: Path) -> None:
    choice = choose(project, "on", can_ask=True)
    assert names(choice) == ["local"]
    assert choice.undecided == choice.notes == []


def test_the_setting_off_and_the_flag_hide_them(project: Path) -> None:
    assert names(choose(project, "off")) == []
    assert names(choose(project, refused=True)) == []
