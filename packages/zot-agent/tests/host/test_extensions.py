import json
import shutil
from pathlib import Path

import pytest

from zot_agent.config.settings import ProjectTrust, Settings
from zot_agent.extensions.discover import DiscoveredExtension, own_files, read_extension
from zot_agent.host.extensions import ProjectChoice, extension_limits
from zot_agent.host.options import HostOptions
from zot_ext.limits import DEFAULT_LIMITS
from zot_provider.errors import ConfigError


def extension(place: Path, name: str, **fields: object) -> Path:
    folder = place / "extensions" / name
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./run", **fields}))
    (folder / "run").write_text("#!/bin/sh\n")
    return folder


def skill(place: Path, name: str, description: str = "cuts hair") -> Path:
    folder = place / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\nText.\n")
    return folder


@pytest.fixture(autouse=True)
def project(alone: Path) -> Path:
    """A project with an extension `local`."""
    extension(alone / ".zot", "local")
    return alone


def choose(project: Path, setting: ProjectTrust = "ask", *, can_ask: bool = False, **options: bool) -> ProjectChoice:
    return ProjectChoice(HostOptions(**options), Settings(project_trust=setting), str(project), can_ask=can_ask)


def names(choice: ProjectChoice) -> list[str]:
    return [each.name for each in choice.find().active()]


def test_what_a_project_brings_is_not_used_where_nobody_can_be_asked(project: Path) -> None:
    skill(project / ".agents", "barber")
    (project / ".zot" / "SYSTEM.md").write_text("Be a cat.")
    choice = choose(project)
    assert names(choice) == []
    assert choice.notes == [
        "not used, because you have not allowed it: extensions local; skills barber; file .zot/SYSTEM.md of "
        f"{project} (start zot there to decide, or pass --trust)"
    ]
    assert not choice.trusted


def test_a_flag_allows_it_for_one_run(project: Path) -> None:
    choice = choose(project, trust=True)
    assert names(choice) == ["local"]
    assert choice.notes == []
    assert names(choose(project)) == []


def test_a_screen_asks_once_about_all_of_it_and_remembers_the_answer(project: Path) -> None:
    skill(project / ".zot", "barber")
    choice = choose(project, can_ask=True)
    assert names(choice) == []
    assert choice.undecided is not None
    assert choice.undecided.lines() == ["extension local, which starts: ./run", "skills for the model: barber"]
    choice.decide(allowed=True)
    assert names(choice) == ["local"]
    assert (choice.undecided, choice.notes, choice.trusted) == (None, [], True)
    assert names(choose(project)) == ["local"]


def test_the_question_shows_the_calls_that_templates_and_skills_allow(project: Path) -> None:
    folder = project / ".zot" / "prompts"
    folder.mkdir()
    (folder / "commit.md").write_text("---\nallowed-tools: Bash(git add:*), Read\n---\nCommit.\n")
    (folder / "plain.md").write_text("Say hello.\n")
    (folder / "wrong.md").write_text("---\nno end\n")
    tidy = project / ".zot" / "skills" / "tidy"
    tidy.mkdir(parents=True)
    (tidy / "SKILL.md").write_text("---\ndescription: d\nallowed-tools: Read\n---\nTidy.\n")
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    assert choice.undecided.lines()[-4:] == [
        "skills for the model: tidy",
        "/skill:tidy runs without a question: Read",
        "prompt templates: /commit, /plain, /wrong",
        "/commit runs without a question: Bash(git add:*), Read",
    ]


def test_settings_are_used_once_the_project_is_allowed(project: Path) -> None:
    path = project / ".zot" / "config.json"
    path.write_text('{"theme": "loud", "reasoning": "none"}')
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    assert choice.undecided.lines()[-1] == "setting theme: loud"
    assert (choice.settings.values, choice.settings.problems) == ({}, [])
    choice.decide(allowed=True)
    choice.find()
    assert choice.settings.values == {"theme": "loud"}


PROGRAMS: list[tuple[str, object, str]] = [
    (
        ".zot/config.json",
        {"hooks": {"tool_call": [{"match": "bash", "command": "./guard"}]}},
        "hook tool_call, which runs: ./guard",
    ),
    (
        ".claude/settings.json",
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard"}]}]}},
        "hook PreToolUse, which runs: ./guard",
    ),
    (
        ".claude/settings.local.json",
        {"hooks": {"TeammateIdle": ["say done"]}},
        "hook TeammateIdle, which runs: say done (zot does not do that yet)",
    ),
    (
        ".claude/settings.local.json",
        {"permissions": {"allow": ["Bash"], "deny": ["Bash(curl:*)"]}},
        "rule for tool calls: deny Bash(curl:*)",
    ),
    (
        ".mcp.json",
        {"mcpServers": {"db": {"command": "npx", "args": ["db", "a b"]}}},
        "MCP server db, which starts: npx db 'a b'",
    ),
    (
        ".zot/mcp.json",
        {"mcpServers": {"far": {"url": "http://h/"}}},
        "MCP server far, which connects to http://h/",
    ),
]


@pytest.mark.parametrize(("name", "value", "line"), PROGRAMS)
def test_hooks_and_servers_are_in_the_question_and_a_change_of_them_is_asked_about_again(
    project: Path, name: str, value: object, line: str
) -> None:
    (project / ".claude").mkdir()
    (project / name).write_text(json.dumps(value))
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    assert choice.undecided.lines()[1:] == [line]
    choice.decide(allowed=True)
    choice.find()
    assert choice.trusted
    (project / name).write_text(json.dumps(value) + " ")
    choice.find()
    assert not choice.trusted
    assert choice.changes() == [name]


CLAUDE_HOOK = {
    "PreToolUse": [{"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/tools/check.sh --all'}]}]
}


def test_hooks_alone_are_a_reason_to_ask_and_so_is_a_change_of_their_scripts(project: Path) -> None:
    shutil.rmtree(project / ".zot")
    for name in (".claude/hooks", "tools"):
        (project / name).mkdir(parents=True)
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": CLAUDE_HOOK}))
    (project / "tools" / "check.sh").write_text("exit 0")
    choice = choose(project)
    choice.find()
    assert choice.notes == [
        f"not used, because you have not allowed it: settings of Claude Code .claude/settings.json of {project} "
        "(start zot there to decide, or pass --trust)"
    ]
    choice.decide(allowed=True)
    choice.find()
    assert choice.trusted
    for name in ("tools/check.sh", ".claude/hooks/new.sh"):
        (project / name).write_text("exit 2")
        choice.find()
        assert (choice.trusted, choice.changes()) == (False, [name])
        choice.decide(allowed=True)


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 1, "mcpServers": 1}', '{"hooks": {"Stop": [1, {"a": []}]}}'])
def test_a_file_that_declares_nothing_is_not_in_the_question(project: Path, text: str) -> None:
    (project / ".mcp.json").write_text(text)
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(text)
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    assert choice.undecided.lines() == ["extension local, which starts: ./run"]


def test_commands_of_prompt_templates_and_rules_are_in_the_question(project: Path) -> None:
    (project / ".zot" / "prompts").mkdir()
    (project / ".zot" / "prompts" / "look.md").write_text("Look at !`git status` and !`ls`.")
    rules = {"deny": ["bash(rm *)"], "allow": [f"bash(make {number})" for number in range(60)]}
    (project / ".zot" / "config.json").write_text(json.dumps({"permissions": rules}))
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    lines = choice.undecided.lines()
    assert lines[2] == "rule for tool calls: allow bash(make 0)"
    assert lines[52:] == [
        "and 11 more of these",
        "prompt template /look, which runs: git status (zot does not do that yet)",
        "prompt template /look, which runs: ls (zot does not do that yet)",
    ]


def test_the_persons_own_files_are_not_those_of_a_project_in_the_home_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"hooks": {"Stop": ["say done"]}}')
    choice = choose(project, can_ask=True)
    choice.find()
    assert choice.undecided is not None
    assert choice.undecided.lines() == ["extension local, which starts: ./run"]


def test_what_was_refused_is_not_used_and_not_mentioned(project: Path) -> None:
    asking = choose(project, can_ask=True)
    asking.find()
    asking.decide(allowed=False)
    choice = choose(project)
    assert names(choice) == []
    assert choice.notes == []
    assert not choice.trusted


@pytest.mark.parametrize("change", ["a new extension", "a new skill", "a theme", "a module", "a setting"])
def test_a_change_of_what_it_brings_is_asked_about_again(project: Path, change: str) -> None:
    folder = project / ".zot" / "extensions" / "local"
    (folder / "helper.py").write_text("one")
    choice = choose(project, can_ask=True)
    choice.find()
    choice.decide(allowed=True)
    match change:
        case "a new extension":
            extension(project / ".zot", "other")
        case "a new skill":
            skill(project / ".claude", "barber")
        case "a theme":
            (folder / "theme.json").write_text("{}")
        case "a setting":
            (project / ".zot" / "config.json").write_text('{"theme": "loud"}')
        case "a module":
            (folder / "helper.py").write_text("two")
    assert names(choice) == []
    assert choice.changes()
    assert all((project / name).exists() for name in choice.changes())


def test_the_setting_on_asks_nothing_and_the_setting_off_and_the_flag_hide_extensions(project: Path) -> None:
    choice = choose(project, "on", can_ask=True)
    assert names(choice) == ["local"]
    assert (choice.undecided, choice.notes) == (None, [])
    for refused in (choose(project, "off"), choose(project, no_project_ext=True)):
        assert names(refused) == []
        assert (refused.undecided, refused.notes) == (None, [])


def test_a_project_cannot_take_the_place_of_the_persons_own_guard(project: Path, tmp_path: Path) -> None:
    own = extension(tmp_path / "zot-home", "guard")
    extension(project / ".zot", "guard", enabled=False)
    choice = choose(project, can_ask=True)
    assert [each.directory for each in choice.find().active()] == [str(own)]
    choice.decide(allowed=True)
    assert names(choice) == ["local"]  # the disabled copy takes the name, as the person has agreed


def test_the_folder_counts_by_its_real_path(project: Path, tmp_path: Path) -> None:
    choice = choose(project, can_ask=True)
    choice.find()
    choice.decide(allowed=True)
    link = tmp_path / "link"
    link.symlink_to(project)
    assert names(choose(link)) == ["local"]
    for copy in (tmp_path / "copy", project / "clone"):
        extension(copy / ".zot", "local")
        assert names(choose(copy)) == []


def test_own_files_are_those_that_the_command_line_names(project: Path, tmp_path: Path) -> None:
    folder = project / ".zot" / "extensions" / "local"
    interpreter = tmp_path / "interpreter"
    interpreter.touch()
    for name in ("main.py", "../beside.py"):
        (folder / name).touch()

    def named(**fields: object) -> list[str]:
        (folder / "extension.json").write_text(json.dumps({"name": "local", **fields}))
        found = read_extension(str(folder), "project")
        assert isinstance(found, DiscoveredExtension)
        manifest, *themes = own_files(found)[:3]
        assert manifest == str(folder / "extension.json")
        assert len(themes) == 2
        return own_files(found)[3:]

    assert named(exec="./late", args=["main.py", "--fast"]) == [f"{folder}/./late", f"{folder}/main.py"]
    assert named(exec="python3", args=["../beside.py", "nul\0"]) == [f"{folder}/../beside.py"]
    assert named(exec=str(interpreter), args=[str(folder / "main.py")]) == [str(folder / "main.py")]


def test_a_worktree_has_the_answer_about_its_project_while_its_content_is_the_same(project: Path) -> None:
    asked = choose(project, can_ask=True)
    asked.find()
    asked.decide(allowed=True)
    tree = project.parent / "tree"
    shutil.copytree(project, tree)
    of_project = HostOptions(project=str(project))
    choice = ProjectChoice(of_project, Settings(project_trust="ask"), str(tree))
    assert (names(choice), choice.notes, choice.trusted) == (["local"], [], True)
    assert names(choose(tree)) == []
    (tree / ".zot" / "extensions" / "local" / "run").write_text("#!/bin/sh\nrm -rf /\n")
    assert names(choice) == []
    assert choice.load().errors == []  # what has changed holds nothing back


def test_a_worktree_with_other_rules_than_its_project_stops_where_nobody_can_be_asked(project: Path) -> None:
    rules = project / ".zot" / "config.json"
    rules.write_text('{"permissions": {"deny": ["write"]}}')
    asked = choose(project, can_ask=True)
    asked.find()
    asked.decide(allowed=True)
    tree = project.parent / "tree"
    shutil.copytree(project, tree)
    choice = ProjectChoice(HostOptions(project=str(project)), Settings(project_trust="ask"), str(tree))
    choice.find()
    assert choice.load().permissions["deny"] == ["write"]
    (tree / ".zot" / "config.json").write_text('{"permissions": {"deny": ["bash"]}}')
    choice.find()
    with pytest.raises(ConfigError, match=r"\.zot/config\.json has changed since you allowed this folder"):
        choice.load()


def test_a_variable_makes_every_wait_for_an_extension_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "")
    assert extension_limits() == DEFAULT_LIMITS
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "2.5")
    assert extension_limits().intercept_seconds == 12.5
    for wrong in ("0", "-1", "nan", "inf", "long"):
        monkeypatch.setenv("ZOT_EXT_PATIENCE", wrong)
        with pytest.raises(ConfigError, match="ZOT_EXT_PATIENCE must be a number greater than 0 and at most 10000"):
            extension_limits()
