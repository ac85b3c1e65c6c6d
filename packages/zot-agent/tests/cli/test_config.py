import json
from pathlib import Path

import pytest

from zot_agent.cli.config import run
from zot_agent.config.settings import SETTINGS

OPENAI = "sk-test-openai"


@pytest.fixture(autouse=True)
def home(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of zot; the working directory is a project."""
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI)
    return tmp_path / "zot-home"


def stored(home: Path) -> object:
    return json.loads((home / "config.json").read_text())


def test_a_value_is_stored_shown_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["set", "auto_compact_threshold", "70%"]) == 0
    assert run(["set", "favourite_models", "sonnet, opus"]) == 0
    assert run(["set", "inline_images_enabled", "off"]) == 0
    assert stored(home) == {
        "auto_compact_threshold": 70,
        "favourite_models": ["sonnet", "opus"],
        "inline_images_enabled": False,
    }
    assert capsys.readouterr().out == ""
    for key, shown in (("auto_compact_threshold", "70"), ("favourite_models", "sonnet, opus"), ("theme", "")):
        assert run(["get", key]) == 0
        assert capsys.readouterr().out == f"{shown}\n"
    assert run(["get", "--json", "favourite_models"]) == 0
    assert capsys.readouterr().out == '["sonnet","opus"]\n'
    assert run(["unset", "auto_compact_threshold"]) == 0
    assert run(["unset", "theme"]) == 0
    assert run(["get", "auto_compact_threshold"]) == 0
    assert capsys.readouterr() == ("85\n", "")


def test_the_list_has_every_setting_and_hides_a_password(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["set", "http_proxy", "http://me:hunter2@proxy:3128"]) == 0
    assert run(["list"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["setting", *SETTINGS]
    assert ["http_proxy", "http://proxy:3128", f"{home}/config.json"] in rows
    assert ["editor_mode", "default", "default"] in rows
    assert run(["list", "--json"]) == 0
    assert {row["key"] for row in json.loads(capsys.readouterr().out)["settings"]} == set(SETTINGS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["set", "reasoning", "much"], "zot: reasoning: expected one of off, minimum, low"),
        (["set", "modl", "x"], "zot: unknown setting 'modl'; did you mean model"),
        (["get", "modl"], "zot: unknown setting 'modl'; did you mean model"),
        (["set", "provider", "opnai"], "zot: unknown provider 'opnai'; did you mean openai"),
        (["set", "model", "claude-sonet"], "zot: unknown model 'claude-sonet'"),
        (["set", "project_trust", "on", "--project"], "zot: project_trust: a project cannot set this"),
        (["set", "hooks", '{"nope": []}'], "zot: {file}: hooks: unknown event 'nope'"),
        (["set", "retry", '{"total": -1}'], "zot: {file}: retry: total must be a number from 0, not -1"),
        (["set", "theme"], "zot: the following arguments are required: VALUE"),
        ([], "zot: the following arguments are required: get|set|list|path|unset"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith(said.replace("{file}", str(home / "config.json")))
    assert error.count("\n") == 1
    assert not (home / "config.json").exists()


def test_a_file_that_is_no_object_is_reported_and_kept(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "config.json").write_text("[]")
    assert run(["set", "theme", "loud"]) == 2
    assert capsys.readouterr().err == f"zot: {home}/config.json: expected an object, got a list\n"
    assert run(["get", "theme"]) == 0
    error = f"zot: {home}/config.json: expected an object, got a list (--ignore-settings starts without it)\n"
    assert capsys.readouterr() == ("\n", error)


def test_a_project_has_a_file_of_its_own(home: Path, alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["path", "--project"]) == 0
    assert run(["path"]) == 0
    assert capsys.readouterr().out == f"{alone}/.zot/config.json\n{home}/config.json\n"
    assert run(["set", "project_trust", "on"]) == 0
    assert run(["set", "--project", "theme", "loud"]) == 0
    assert json.loads((alone / ".zot" / "config.json").read_text()) == {"theme": "loud"}
    assert run(["get", "theme"]) == 0
    assert capsys.readouterr().out == "loud\n"
    assert run(["set", "theme", "quiet"]) == 0
    assert capsys.readouterr().err == f"zot: theme is loud here, because {alone}/.zot/config.json takes precedence\n"


def test_the_help_names_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "unset" in capsys.readouterr().out
