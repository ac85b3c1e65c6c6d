"""Files that define sub-agents."""

from pathlib import Path

import pytest

from zot_core.runtime.subagents.definitions import (
    AgentDefinitions,
    agent_places,
    builtin_agent,
    builtin_agents,
    find_agents,
    project_agents,
    read_agent,
)


def write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def found(tmp_path: Path, *, project: bool = True) -> AgentDefinitions:
    names = [str(tmp_path / name) for name in ("work", "home", "user")]
    return find_agents(agent_places(*names, project=project))


def test_all_fields_of_a_definition_are_read(tmp_path: Path) -> None:
    path = tmp_path / "home/agents/judge.md"
    front = ("description: judges work", "tools: [read, grep]", "model: small:low", "permissions: plan")
    write(path, "---", *front, "---", "", "You judge.", "Be fair.")
    (judge,) = found(tmp_path).found
    assert (judge.name, judge.description, judge.instructions) == ("judge", "judges work", "You judge.\nBe fair.")
    assert (judge.tools, judge.model, judge.permissions) == (["read", "grep"], "small:low", "plan")
    assert (judge.path, judge.source) == (str(path), "user")
    assert judge.line == "`judge`: judges work"


def test_a_file_of_claude_code_is_read(tmp_path: Path) -> None:
    path = tmp_path / "work/.claude/agents/x.md"
    front = ("name: code-judge", "description: >-", "  judges", "  code", "tools: Read, Bash(git:*)", "model: inherit")
    write(path, "---", *front, "permissionMode: default", "color: blue", "---", "You judge.")
    (judge,) = found(tmp_path).found
    assert (judge.name, judge.description, judge.model, judge.permissions) == ("code-judge", "judges code", "", "ask")
    assert judge.tools == ["Read", "Bash(git:*)"]
    assert judge.source == "project"


@pytest.mark.parametrize("mode", ["yolo", "acceptEdits", "bypassPermissions", "auto"])
def test_a_mode_that_allows_more_does_not_count(tmp_path: Path, mode: str) -> None:
    write(tmp_path / "a.md", "---", "description: d", f"permissionMode: {mode}", "---")
    assert read_agent(str(tmp_path / "a.md"), "user").permissions is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("permissions: aks", "permissions: expected one of accept-edits, yolo, "),
        ("permissions: [ask]", "permissions: expected one of "),
        ("permissions:", "permissions: expected one of "),
        ("permissionMode: Pln", "permissionMode: expected one of "),
        ("permission: ask", "there is no field 'permission'; did you mean permissions?"),
        ("Permissions: ask", "there is no field 'Permissions'; did you mean permissions?"),
        ("mode: plan", "there is no field 'mode'; did you mean permissions?"),
        ("tool: read", "there is no field 'tool'; did you mean tools?"),
        ("allowed-tools: read", "there is no field 'allowed-tools'; did you mean tools?"),
        ("permissions: ask\npermissions: yolo", "the field permissions is there twice"),
        ("disallowedTools: WebFetch, bsh", "disallowedTools: there is no tool 'bsh'; did you mean bash?"),
        *((f"disallowedTools: {name}", f"disallowedTools: '{name}' is no tool") for name in ("*", "all", "Any")),
        *(
            (f"disallowedTools: '{name}'", f"disallowedTools: '{name}' is no name of a tool, in which * is any text")
            for name in ("edit|write", "mcp__x__.*", "[ew]*", "^bash$")
        ),
        ("disallowedTools: Write, rm", "disallowedTools: there is no tool 'rm'; did you mean bash?"),
        ("disallowedTools: [*]", "disallowedTools: '[*]' is no tool"),
        ("tools: all except bash", "tools: 'except' is no tool; name in disallowedTools what it does not get"),
        ("tools: [read, without, bash]", "tools: 'without' is no tool"),
        ("no-bash: true", "the field 'no-bash' seems to hold something back"),
        ("neverWrite: true", "the field 'neverWrite' seems to hold something back"),
        ("perms: plan", "there is no field 'perms'; did you mean permissions?"),
        ("toolset: read", "there is no field 'toolset'; did you mean tools?"),
        ("except: bash", "the field 'except' seems to hold something back"),
        ("onlyTools: [read]", "the field 'onlyTools' seems to hold something back"),
        ("askFirst: true", "the field 'askFirst' seems to hold something back"),
        ("level: read-only", "the field 'level' seems to hold something back"),
        ("canWrite: no", "the field 'canWrite' seems to hold something back"),
        ("tools:", "tools: expected names of tools, got ''; [] for none"),
        ("tools: {read: true}", "tools: expected names of tools"),
        ("disallowed-tools: write", "there is no field 'disallowed-tools'; did you mean disallowedTools?"),
        ("worktree: yes please", "worktree: expected one of true, false, got 'yes please'"),
        ("isolation: container", "isolation: expected one of worktree, got 'container'"),
        ("tools: Bash(ls *), Read(", "tools: expected names of tools"),
        ("tools: ['Bash(  )']", "tools: 'Bash(  )': the pattern is empty"),
        ("maxTurns: few", "maxTurns: expected a number of model calls, got 'few'"),
        ("max_turns: 0", "max_turns: expected a number of model calls, got '0'"),
        ("steps: -1", "steps: expected a number of model calls, got '-1'"),
        ("maxturn: 3", "there is no field 'maxturn'; did you mean "),
        ("sandbox: strict", "sandbox: an agent has the sandbox of the agent that asks"),
        ("sandbox: true", "sandbox: an agent has the sandbox of the agent that asks"),
        ("sandbox: {network: none}", "sandbox: an agent has the sandbox of the agent that asks"),
        ("sandbox_mode: read-only", "the field 'sandbox_mode' seems to hold something back"),
        ("readonly: yes", "readonly: expected one of true, false, got 'yes'"),
        ("enabled: flase", "enabled: expected one of true, false, got 'flase'"),
        ("approvalMode: plan", "the field 'approvalMode' seems to hold something back"),
        ("excludeTools: bash", "the field 'excludeTools' seems to hold something back"),
        ("timeout_mins: 5", "the field 'timeout_mins' seems to hold something back"),
        ("maxBudgetUsd: 1", "the field 'maxBudgetUsd' seems to hold something back"),
        ("network: off", "the field 'network' seems to hold something back"),
        ("hooks:\n  PreToolUse:\n    - matcher: Bash\n", "the hooks of PreToolUse in it would not run"),
        ("hooks: [x]", "the hooks in it would not run"),
    ],
)
def test_a_field_that_holds_an_agent_back_and_is_not_understood_is_an_error(
    tmp_path: Path, line: str, said: str
) -> None:
    write(tmp_path / "work/.zot/agents/a.md", "---", "description: d", line, "---")
    listing = found(tmp_path)
    assert listing.found == []
    assert listing.errors[0].startswith(f"{tmp_path / 'work' / '.zot/agents/a.md'}: {said}")


def test_an_empty_list_of_tools_is_none_of_them(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "---", "description: d", "tools: []", "disallowedTools: Write, Bash(git:*)", "---")
    agent = read_agent(str(tmp_path / "a.md"), "user")
    assert agent.tools == []
    assert agent.without == ["Write", "Bash(git:*)"]


def test_the_first_of_a_name_wins_and_a_project_replaces_nothing_of_the_person_or_of_zot(tmp_path: Path) -> None:
    for place in ("home/agents", "user/.claude/agents", "work/.zot/agents", "work/.claude/agents"):
        write(tmp_path / place / "a.md", "---", f"description: from {place}", "---")
        write(tmp_path / place / "explore.md", "---", f"description: from {place}", "---")
    listing = found(tmp_path)
    assert [(each.name, each.description) for each in listing.found] == [
        ("a", "from home/agents"),
        ("explore", "from home/agents"),
    ]
    assert len(listing.notes) == 6
    for name in ("home", "user"):
        (tmp_path / name).rename(tmp_path / f"other-{name}")
    listing = found(tmp_path)
    assert [each.description for each in listing.found] == ["from work/.zot/agents"]
    assert "the name explore belongs to zot's own; it is left out" in listing.notes[0]


def test_a_project_is_read_only_if_it_is_wanted(tmp_path: Path) -> None:
    write(tmp_path / "work/.zot/agents/a.md", "---", "description: d", "---")
    assert found(tmp_path, project=False).found == []
    assert [each.name for each in project_agents(str(tmp_path / "work"), str(tmp_path / "home")).found] == ["a"]
    assert project_agents(str(tmp_path / "work"), str(tmp_path / "work/.zot")).found == []


def test_what_cannot_be_used_is_a_note(tmp_path: Path) -> None:
    folder = tmp_path / "home/agents"
    write(folder / "a.md", "no front matter")
    write(folder / "b b.md", "---", "description: d", "---")
    write(folder / "c.md", "---", "description: d")
    (folder / "d.md").mkdir()
    (folder / "e.md").write_bytes(b"---\ndescription: d\n---\n\0")
    write(folder / "f.txt", "---", "description: d", "---")
    write(folder / "g.md", "---", "description: d", "---", "x" * (64 * 1024))
    listing = found(tmp_path)
    assert listing.found == []
    left_out = [Path(line.partition(".md")[0]).name for line in listing.notes]
    assert left_out == ["a", "b b", "c", "d", "e", "g"]
    assert "a description is missing" in listing.notes[0]


@pytest.mark.parametrize("name", builtin_agents())
def test_the_built_in_agents_can_be_read(name: str) -> None:
    agent = builtin_agent(name)
    assert agent is not None
    assert agent.source == "builtin"
    assert "write" not in (agent.tools or ())
    assert agent.instructions


@pytest.mark.parametrize(
    "line", ["disable: true", "disabled: true", "enabled: false", "disable-model-invocation: true"]
)
def test_an_agent_that_its_file_turns_off_is_not_offered(tmp_path: Path, line: str) -> None:
    write(tmp_path / "work/.zot/agents/a.md", "---", "description: d", line, "---")
    listing = found(tmp_path)
    assert (listing.found, listing.errors) == ([], [])
    assert f"its field {line.partition(':')[0]} turns it off; it is left out" in listing.notes[0]


def test_fields_of_other_agents_that_narrow_are_honoured(tmp_path: Path) -> None:
    front = ("description: d", "mode: subagent", "readonly: true", "maxTurns: 7", "max_turns: 9", "sandbox: inherit")
    more = ("color: red", "temperature: 0.1", "max_tokens: 100", "hooks: {Stop: []}", "returns: text", "enabled: true")
    write(tmp_path / "a.md", "---", *front, *more, "permissionMode: default", "---")
    agent = read_agent(str(tmp_path / "a.md"), "user")
    assert (agent.permissions, agent.steps) == ("plan", 7)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_file_in_another_encoding_keeps_its_letters(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "tester.md"
    path.write_bytes("---\ndescription: Prüft alles\n---\nSei gründlich.\n".encode(encoding))
    found = read_agent(str(path), "user")
    assert (found.description, found.instructions) == ("Prüft alles", "Sei gründlich.")
