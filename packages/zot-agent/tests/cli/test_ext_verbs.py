import json
import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.ext import run
from zot_agent.cli.ext.folder.names import project_choice
from zot_agent.cli.verb import VERB_ALIASES
from zot_agent.extensions.log import log_path
from zot_agent.host.extensions import ProjectChoice


class Cli:
    """Runs `zot ext` in this process, beside a home folder and a project."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path, project: Path) -> None:
        self._capsys = capsys
        self.home = home
        self.mine = home / "extensions"
        self.projects = project / ".zot" / "extensions"

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """What it prints, and after it the line on standard error."""
        given = run(arguments)
        out, err = self._capsys.readouterr()
        assert given == code, out + err
        assert err.count("\n") <= 1
        return str(out + err)

    def add(self, place: Path, folder: str, **fields: Any) -> Path:
        directory = place / folder
        directory.mkdir(parents=True)
        fields = {"name": folder, "version": "1.0", "exec": "./run", **fields}
        (directory / "extension.json").write_text(json.dumps(fields))
        (directory / "run").write_text("#!/bin/sh\n")
        (directory / "run").chmod(0o755)
        return directory


@pytest.fixture
def ext(capsys: pytest.CaptureFixture[str], tmp_path: Path, alone: Path) -> Cli:
    return Cli(capsys, tmp_path / "zot-home", alone)


def decided(allowed: bool | None = None) -> ProjectChoice:
    """What the person has decided about the project, after an answer if one is given."""
    choice = project_choice()
    choice.find()
    if allowed is not None:
        choice.decide(allowed=allowed)
        choice.find()
    return choice


ENDED = "exited with code 0 before it said hello; see zot ext logs"
"""What the program of an extension does here."""


def enabled(directory: Path) -> bool:
    return bool(json.loads((directory / "extension.json").read_text()).get("enabled", True))


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_alone_it_lists_what_it_can_do(ext: Cli, arguments: list[str]) -> None:
    out = ext(*arguments)
    assert out.startswith("usage: zot ext COMMAND ...\n")
    assert all(f"\n  {name}" in out for name in run.verbs)
    assert "\n  install SOURCE    install from a folder, a git repository or npm\n" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_an_unknown_command_names_the_nearest(ext: Cli) -> None:
    said = ext("instal", code=2)
    assert said.startswith("zot: unknown command 'zot ext instal'; did you mean zot ext install")


@pytest.mark.parametrize("verb", [*run.verbs, *VERB_ALIASES])
def test_every_command_has_a_help_and_tells_a_mistake_in_one_line(ext: Cli, verb: str) -> None:
    assert ext(verb, "--help").startswith(f"usage: zot ext {VERB_ALIASES.get(verb, verb)}")
    assert ext(verb, "--nonsense", code=2).startswith("zot: ")


def test_it_also_runs_outside_of_the_main_thread(ext: Cli) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(run(["list"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_a_list_of_nothing_says_how_to_begin(ext: Cli) -> None:
    assert ext("list") == "no extension is installed; install one with zot ext install SOURCE\n"
    assert json.loads(ext("list", "--json")) == {"extensions": [], "problems": []}


def test_the_list_shows_also_what_does_not_run_and_why(ext: Cli) -> None:
    own = ext.add(ext.projects, "guard", language="python")
    hidden = ext.add(ext.mine, "guard-2", name="guard")
    off = ext.add(ext.mine, "off", enabled=False, version="", description="does\n nothing")
    bad = ext.add(ext.mine, "bad", name="")
    (untrusted,) = (line.split()[3] for line in ext("ls").splitlines() if line.startswith("project"))
    assert untrusted == "untrusted"
    decided(allowed=True)
    lines = [re.split("  +", line) for line in ext("ls").splitlines()]
    assert lines == [
        ["scope", "name", "version", "enabled", "language", "may", "dir", "description"],
        ["project", "guard", "1.0", "yes", "python", "everything", str(own), f"({ENDED} guard)"],
        ["global", "guard", "1.0", "hidden", "-", "everything", str(hidden), f"hidden by {own}"],
        ["global", "off", "-", "no", "-", "everything", str(off), "does nothing"],
        ["global", "bad", "-", "broken", "-", "-", str(bad), "extension.json: field 'name' is missing or empty"],
    ]


def test_the_list_can_be_read_by_programs(ext: Cli) -> None:
    own = ext.add(ext.projects, "guard", language="python", description="a\x1b[2J")
    hidden = ext.add(ext.mine, "guard")
    bad = ext.add(ext.mine, "bad", name="")
    assert not json.loads(ext("list", "--json"))["extensions"][0]["trusted"]
    decided(allowed=True)
    value = json.loads(ext("list", "--json"))
    first = {"scope": "project", "name": "guard", "version": "1.0", "enabled": True, "language": "python"}
    assert value["extensions"][0] == {
        **first,
        "dir": str(own),
        "description": "a\x1b[2J",
        "theme": False,
        "outside_program": "",
        "hidden_by": "",
        "trusted": True,
        "permissions": None,
        "absence": f"{ENDED} guard",
        "name_conflicts": [],
    }
    assert value["extensions"][1]["dir"] == str(hidden)
    assert value["extensions"][1]["hidden_by"] == str(own)
    (problem,) = value["problems"]
    assert (problem["scope"], problem["dir"]) == ("global", str(bad))


def test_the_list_names_the_commands_and_tools_that_an_extension_does_not_get(ext: Cli) -> None:
    both = ('{"type":"register_command","name":"go"}', '{"type":"register_command","name":"help"}')
    for folder in ("a", "b"):
        program = "".join(f"echo '{frame}'\n" for frame in ('{"type":"hello","name":"x"}', *both, '{"type":"ready"}'))
        (ext.add(ext.mine, folder) / "run").write_text(f"#!/bin/sh\n{program}exec cat >/dev/null\n")
    own, other = "the command /help is shadowed by zot's own", "the command /go is shadowed by that of extension a"
    first, second = ext("list").splitlines()[1:]
    assert first.endswith(f"  ({own})")
    assert second.endswith(f"  ({other}, which is loaded before) ({own})")
    value = json.loads(ext("list", "--json"))["extensions"]
    assert [each["name_conflicts"] for each in value] == [[own], [f"{other}, which is loaded before", own]]
    assert "shadowed" not in ext("list", "--no-start")


def test_a_theme_is_told_with_what_shows_it(ext: Cli) -> None:
    solar = ext.add(ext.mine, "solar", description="warm and low", exec="")
    (solar / "theme.json").write_text("{}")
    deep = ext.add(ext.mine, "deep-folder", name="deep", exec="")
    (deep / "themes").mkdir()
    (deep / "themes" / "theme.json").write_text("{}")
    lines = ext("list").splitlines()
    assert [line.rpartition("  ")[2] for line in lines[1:]] == ["(/theme deep)", "warm and low (/theme solar)"]
    assert [each["theme"] for each in json.loads(ext("list", "--json"))["extensions"]] == [True, True]
    assert found(ext("doctor", "--no-start", "solar"))["theme"] == "ok show it with /theme solar"
    assert "theme" not in found(ext("doctor", "--no-start", str(ext.add(ext.mine, "plain"))))


def test_a_theme_that_the_screen_could_not_use_is_wrong(ext: Cli) -> None:
    solar = ext.add(ext.mine, "solar", exec="")
    for text, words in (
        ("{bad json", "not JSON: "),
        (
            '{"colors": {"dark": {"accent": 1}, "light": {"accent": "nope"}}}',
            "'colors.light.accent': 'nope' is not a colour",
        ),
    ):
        (solar / "theme.json").write_text(text)
        told = found(ext("doctor", "--no-start", "solar", code=1))["theme"]
        assert told.startswith("no theme '")
        assert words in told


def test_an_extension_goes_by_its_name_that_of_its_folder_and_its_path(ext: Cli) -> None:
    directory = ext.add(ext.mine, "working-copy", name="weather")
    for name in ("weather", "working-copy", str(directory), f"{directory}/"):
        assert ext("disable", name) == f"weather is now disabled ({directory})\n"
        assert not enabled(directory)
        assert ext("enable", name) == f"weather is now enabled ({directory})\n"
        assert enabled(directory)
    assert ext("enable", "weather") == f"weather was already enabled ({directory})\n"


@pytest.mark.parametrize("verb", ["enable", "disable", "remove", "update", "logs", "doctor"])
def test_a_name_that_could_be_several_is_refused(ext: Cli, verb: str) -> None:
    one = ext.add(ext.projects, "a", name="weather")
    two = ext.add(ext.mine, "weather", name="b")
    said = ext(verb, "weather", code=2)
    assert said == f"zot: 'weather' could be any of {one}, {two}; pass the path of one of them\n"
    assert one.exists()
    assert two.exists()
    ext("remove", str(two), "--yes")
    assert one.exists()
    assert not two.exists()


@pytest.mark.parametrize("name", ["wether", "..", "../extensions", "", "/", "."])
def test_an_unknown_name_touches_nothing(ext: Cli, name: str) -> None:
    directory = ext.add(ext.mine, "weather")
    said = ext("remove", name, "--yes", code=2)
    assert said == f"zot: unknown extension {name!r}; did you mean weather?\n"
    assert directory.exists()


def test_without_any_extension_a_name_is_unknown(ext: Cli) -> None:
    assert ext("enable", "a", code=2) == "zot: unknown extension 'a' (no extension is installed)\n"


def test_one_that_is_enabled_behind_another_is_told(ext: Cli) -> None:
    own = ext.add(ext.projects, "guard")
    hidden = ext.add(ext.mine, "guard", enabled=False)
    decided(allowed=True)
    assert ext("enable", str(hidden)).endswith(f"it does not run, because {own} has the same name\n")


def test_a_broken_one_cannot_be_enabled_but_removed(ext: Cli) -> None:
    bad = ext.add(ext.mine, "bad", name="")
    assert ext("enable", "bad", code=2) == f"zot: {bad}: extension.json: field 'name' is missing or empty\n"
    assert ext("rm", "bad", "-y") == "bad was removed\n"
    assert os.listdir(ext.mine) == []


def test_nothing_is_removed_without_being_asked_for(ext: Cli) -> None:
    directory = ext.add(ext.mine, "weather")
    said = ext("remove", "weather", code=2)
    assert said.endswith("there is no terminal to ask on, so confirm it with --yes\n")
    assert directory.exists()


def test_a_link_is_unlinked_and_not_followed(ext: Cli, tmp_path: Path) -> None:
    copy = ext.add(tmp_path, "copy", name="linked")
    ext.mine.mkdir(parents=True)
    (ext.mine / "linked").symlink_to(copy)
    assert ext("remove", "linked", "--yes") == f"linked was removed; {copy} was not changed\n"
    assert os.listdir(ext.mine) == []
    assert (copy / "run").exists()


def test_what_is_write_protected_is_removed_too(ext: Cli, tmp_path: Path) -> None:
    directory = ext.add(ext.mine, "a")
    (tmp_path / "outside").mkdir(mode=0o500)
    (directory / "link").symlink_to(tmp_path / "outside")
    (directory / "modules").mkdir()
    (directory / "modules" / "file").touch()
    (directory / "modules").chmod(0o500)
    ext("remove", "a", "--yes")
    assert os.listdir(ext.mine) == []
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o500


def found(text: str) -> dict[str, str]:
    """The findings of the doctor about one extension, by topic."""
    return {line[4:22].strip(): f"{line[:4].strip()} {line[22:]}" for line in text.splitlines()[1:]}


def test_the_doctor_finds_an_extension_well(ext: Cli) -> None:
    directory = ext.add(ext.mine, "weather", args=["--fast"])
    log = Path(log_path(str(ext.home), "weather"))
    out = ext("doctor", "--no-start", "weather")
    assert out.startswith(f"weather (global, {directory})\n")
    assert found(out) == {
        "manifest": "ok version 1.0",
        "enabled": "ok yes",
        "may": "ok do everything that you can: use your files, programs and network, see and change what zot does",
        "program": f"ok {directory}/run --fast",
        "interpreter": "ok /bin/sh",
        "log": f"-- {log} does not exist yet",
    }
    log.parent.mkdir()
    log.write_text("hello\n")
    assert found(ext("doctor", "--no-start"))["log"] == f"ok {log} (6 bytes)"


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("#!/usr/bin/env -S no-such-python3 -u\n", "no no-such-python3 is not found;"),
        ("#!/no/such/sh\n", "no /no/such/sh is not found;"),
        ("#!/bin/sh\r\n", "no the first line ends in CR LF;"),
        ("#!\n", "no the first line names no interpreter after #!"),
        ("#!/usr/bin/env A=1 sh\n", "ok /"),
    ],
)
def test_the_doctor_looks_for_the_interpreter(ext: Cli, first: str, said: str) -> None:
    (ext.add(ext.mine, "a") / "run").write_text(first)
    assert found(ext("doctor", "--no-start", code=int(said.startswith("no"))))["interpreter"].startswith(said)


@pytest.mark.parametrize(
    ("fields", "topic", "said"),
    [
        ({"exec": "./gone"}, "program", "is not there: "),
        ({"exec": "no-such-program"}, "program", "is not on the PATH"),
        ({"exec": "sh", "args": ["main.sh"]}, "argument", "main.sh does not exist"),
        ({"skills": ["skills/x"]}, "skill", "skills/x does not exist"),
    ],
)
def test_the_doctor_says_what_is_missing(ext: Cli, fields: dict[str, Any], topic: str, said: str) -> None:
    ext.add(ext.mine, "a", **fields)
    assert said in found(ext("doctor", "--no-start", "a", code=1))[topic]


def test_the_doctor_names_what_does_not_run_without_calling_it_wrong(ext: Cli) -> None:
    own = ext.add(ext.projects, "guard", enabled=False)
    ext.add(ext.mine, "guard", exec="", skills=["run"])
    decided(allowed=True)
    first, _, second = ext("doctor", "--no-start").partition("guard (global")
    assert found(first)["enabled"] == "-- no; it does not run"
    assert found(second)["hidden"] == f"-- it does not run: {own} has the same name"
    assert found(second)["program"] == "-- none (optional)"


def test_the_doctor_says_whether_a_projects_extension_is_allowed(ext: Cli) -> None:
    directory = ext.add(ext.projects, "a")
    assert found(ext("doctor", "--no-start"))["allowed"] == "-- not decided yet, or something has changed since"
    for allowed, said in ((False, "-- no, as you decided"), (True, "ok yes")):
        (directory / "run").write_text(f"#!/bin/sh\n# {allowed}\n")
        decided(allowed)
        assert found(ext("doctor", "--no-start"))["allowed"] == said
    for setting, said in (("on", "ok "), ("off", "-- ")):
        (ext.home / "config.json").write_text(json.dumps({"project_trust": setting}))
        assert found(ext("doctor", "--no-start"))["allowed"] == f"{said}project_trust is {setting} in the settings"
    (ext.home / "config.json").write_text("{")
    assert found(ext("doctor", "--no-start", code=1))["allowed"].startswith("no ")


def test_what_was_said_about_a_project_outlives_a_switch_of_its_extension(ext: Cli) -> None:
    directory = ext.add(ext.projects, "a")
    for allowed in (True, False):
        (directory / "run").write_text(f"#!/bin/sh\n# {allowed}\n")
        decided(allowed)
        for verb in ("disable", "enable"):
            ext(verb, "a")
            assert decided().undecided is None
            assert decided().trusted is allowed


def test_a_switch_allows_nothing_that_a_stranger_has_changed(ext: Cli) -> None:
    directory = ext.add(ext.projects, "a")
    decided(allowed=True)
    manifest = json.loads((directory / "extension.json").read_text())
    (directory / "extension.json").write_text(json.dumps(manifest | {"args": ["--evil"]}))
    ext("disable", "a")
    ext("enable", "a")
    assert decided().undecided is not None


def test_the_doctor_tells_of_broken_manifests(ext: Cli) -> None:
    ext.add(ext.mine, "bad", name="")
    assert found(ext("doctor", "--no-start", code=1)) == {
        "manifest": "no extension.json: field 'name' is missing or empty"
    }
    ext("remove", "bad", "-y")
    assert ext("doctor") == "no extension is installed\n"


def test_the_doctor_starts_those_that_would_run_and_tells_what_they_register(ext: Cli) -> None:
    source = "\n".join(
        (
            f"#!{sys.executable}",
            "from zot_ext import Extension",
            "ext = Extension('a')",
            "ext.command('go')(lambda args: None)",
            "ext.tool(lambda: '', name='find_it')",
            "ext.tool(lambda: '', name='bash')",
            "ext.on('turn_end')(lambda event: None)",
            "ext.intercept('tool_call')(lambda call: None)",
            "ext.run()",
        )
    )
    directory = ext.add(ext.mine, "a")
    program = directory / json.loads((directory / "extension.json").read_text())["exec"]
    program.write_text(source)
    ext.add(ext.mine, "b", enabled=False)

    findings = found(ext("doctor", "a", code=1))

    assert findings["start"] == "ok runs"
    assert findings["commands"] == "ok /go"
    assert findings["tools"] == "ok find_it"
    assert findings["watches"] == "ok turn_end"
    assert findings["guards"] == "ok tool_call"
    assert findings["name"] == "no the tool bash is shadowed by zot's own"


def test_the_doctor_tells_why_one_did_not_start(ext: Cli) -> None:
    directory = ext.add(ext.mine, "a")
    program = directory / json.loads((directory / "extension.json").read_text())["exec"]
    program.write_text("#!/bin/sh\nexit 3\n")

    assert found(ext("doctor", code=1))["start"].startswith("no exited with code 3 before it said hello")


def test_a_log_goes_by_the_name_in_the_manifest(ext: Cli) -> None:
    ext.add(ext.mine, "working-copy", name="a/b")
    path = Path(log_path(str(ext.home), "a/b"))
    assert ext("logs", "working-copy", code=1).startswith(f"zot: {path} does not exist: ")
    path.parent.mkdir(parents=True)
    path.write_text("one\n\x1b[31mtwo\x1b[0m\nhalf")
    assert ext("logs", "a/b") == "one\n\x1b[31mtwo\x1b[0m\nhalf"


def test_a_log_is_also_found_of_an_extension_that_is_not_installed(ext: Cli) -> None:
    path = Path(log_path(str(ext.home), "tried"))
    path.parent.mkdir(parents=True)
    path.write_text("one\n")
    assert ext("logs", "tried") == "one\n"
    path.unlink()
    path.mkdir()
    assert ext("logs", "tried", code=2) == f"zot: cannot read {path}: Is a directory\n"
