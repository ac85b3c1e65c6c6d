"""`zot mcp`: the files that it changes, and what it prints."""

import json
import os
from pathlib import Path

import pytest

from zot_agent.cli.mcp import run
from zot_agent.extensions.declared.bundled import bundled_mcp
from zot_agent.extensions.python.environment import environment_of


class McpCommand:
    """Runs `zot mcp` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path) -> None:
        self._capsys, self.file = capsys, home / "mcp.json"
        made = environment_of(bundled_mcp([]), str(home))
        assert made is not None
        os.makedirs(made.programs)
        for path in (made.python, os.path.join(made.folder, "complete")):
            Path(path).touch()

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """What it prints; with another exit code than 0 the line on standard error."""
        given = run(arguments)
        out, err = self._capsys.readouterr()
        assert given == code, out + err
        return out if code == 0 else err.removeprefix("zot: ").rstrip("\n")

    @property
    def servers(self) -> dict[str, object]:
        """What the file of the person has."""
        found: dict[str, object] = json.loads(self.file.read_text())["mcpServers"]
        return found


@pytest.fixture
def mcp(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> McpCommand:
    return McpCommand(capsys, tmp_path / "zot-home")


def test_servers_are_added_listed_and_removed(mcp: McpCommand, alone: Path) -> None:
    assert mcp("list").startswith("no MCP server is configured")
    assert mcp("add", "time", "-e", "A=b=c", "--", "uvx", "mcp-server-time", "--", "-x").startswith("added time to ")
    mcp("add", "docs", "https://h/mcp", "-H", "Authorization: Bearer ${T}", "--header", "X:y")
    assert mcp.servers == {
        "time": {"command": "uvx", "args": ["mcp-server-time", "--", "-x"], "env": {"A": "b=c"}},
        "docs": {"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}", "X": "y"}},
    }
    assert mcp.file.stat().st_mode & 0o777 == 0o600
    assert mcp("list").splitlines()[1].split()[:4] == ["time", "on", "uvx", "mcp-server-time"]
    assert "already; --replace replaces it" in mcp("add", "time", "--", "x", code=2)
    mcp("add", "time", "--replace", "--", "x")
    assert mcp("remove", "time").startswith("removed time from ")
    assert list(mcp.servers) == ["docs"]
    assert mcp("rm", "dox", code=2) == "unknown MCP server 'dox'; did you mean docs?"


def test_a_readme_s_json_is_added_alone_or_whole(mcp: McpCommand) -> None:
    server = {"command": "npx", "args": ["-y", "x"]}
    mcp("add", "one", "--json", json.dumps(server))
    mcp("add", "two", "--json", json.dumps({"mcpServers": {"two": server}}))
    assert mcp.servers == {"one": server, "two": server}
    mcp("add", json.dumps({"mcpServers": {"three": server, "four": server}}))
    mcp("add", "five", json.dumps({"servers": {"other": server}}))
    assert list(mcp.servers) == ["one", "two", "three", "four", "five"]
    assert "expected an object" in mcp("add", "six", "--json", "[]", code=2)
    assert "found no server" in mcp("add", "six", "--json", "{}", code=2)
    assert "does not name its server" in mcp("add", json.dumps(server), code=2)


def test_the_words_of_other_agents_add_a_server(mcp: McpCommand, alone: Path) -> None:
    mcp("add", "--transport", "http", "docs", "https://h/mcp")
    mcp("add", "-s", "user", "-t", "sse", "old", "https://h/sse")
    mcp("add", "codex", "--url", "https://h/mcp", "--bearer-token-env-var", "T")
    mcp("add", "-e", "A=b", "time", "--", "uvx", "x")
    mcp("add", "bare", "python3", "-m", "x")
    assert mcp.servers == {
        "docs": {"type": "http", "url": "https://h/mcp"},
        "old": {"type": "sse", "url": "https://h/sse"},
        "codex": {"type": "http", "url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}},
        "time": {"command": "uvx", "args": ["x"], "env": {"A": "b"}},
        "bare": {"command": "python3", "args": ["-m", "x"]},
    }
    mcp("add", "here", "--scope", "project", "https://h/mcp")
    assert list(json.loads((alone / ".mcp.json").read_text())["mcpServers"]) == ["here"]


def test_what_else_is_in_the_file_stays(mcp: McpCommand) -> None:
    mcp.file.write_text(json.dumps({"other": 1, "mcpServers": {"a": {"command": "x", "custom": [1]}}}))
    mcp("add", "b", "--", "y")
    mcp("remove", "b")
    assert json.loads(mcp.file.read_text()) == {"other": 1, "mcpServers": {"a": {"command": "x", "custom": [1]}}}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["add", "a"], "expected either a URL or -- COMMAND"),
        (["add"], "expected a name, and a URL or -- COMMAND"),
        (["add", "a", "-t", "http", "--", "x"], "--transport http is for a URL"),
        (["add", "a", "-t", "stdio", "https://h"], "--transport stdio is for a command"),
        (["add", "a", "https://h", "--", "x"], "expected either a URL or -- COMMAND"),
        (["add", "a", "-H", "X: y", "--", "x"], "--header is for a URL"),
        (["add", "a", "https://h", "-e", "X=y"], "--env is for a command"),
        (["add", "a", "https://h", "-H", "X"], "--header 'X' is not NAME:VALUE"),
        (["add", "a/b", "--", "x"], "'a/b' is not a name"),
        (["add", "a", "h"], "'url' does not begin with http"),
        (["dance"], "unknown command 'zot mcp dance'"),
    ],
)
def test_a_mistake_is_a_line_and_changes_nothing(mcp: McpCommand, arguments: list[str], problem: str) -> None:
    assert problem in mcp(*arguments, code=2)
    assert not mcp.file.exists()


def test_servers_of_a_project_are_listed_as_untrusted_and_not_started(mcp: McpCommand, alone: Path) -> None:
    marked = alone / "started"
    mcp("add", "evil", "--project", "--", "touch", str(marked))
    listed = json.loads(mcp("list", "--json"))["servers"]
    assert [(each["name"], each["state"], each["file"]) for each in listed] == [
        ("evil", "untrusted", str(alone / ".mcp.json"))
    ]
    assert "evil              untrusted in " in mcp("doctor")
    assert not marked.exists()
    assert "repeat this with --project" in mcp("remove", "evil", code=2)
    mcp("remove", "evil", "--project")
    assert json.loads((alone / ".mcp.json").read_text()) == {"mcpServers": {}}


def test_states_say_which_server_is_used(mcp: McpCommand, alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (alone.parent / "zot-home" / "config.json").write_text('{"project_trust": "on"}')
    (alone / ".zot").mkdir()
    (alone / ".zot" / "mcp.json").write_text(json.dumps({"mcpServers": {"a": {"command": "x"}}}))
    mcp.file.write_text(json.dumps({"mcpServers": {"a": {"command": "y"}, "b": {"command": "z", "disabled": True}}}))
    found = json.loads(mcp("list", "--json"))["servers"]
    assert [(each["name"], each["state"], each["what"]) for each in found] == [
        ("a", "on", "x"), ("a", "hidden", "y"), ("b", "off", "z"),
    ]  # fmt: skip


def test_a_broken_file_is_a_line(mcp: McpCommand) -> None:
    mcp.file.write_text("{")
    assert "is not JSON" in mcp("list", code=1)


def test_what_is_not_installed_is_said(mcp: McpCommand, tmp_path: Path) -> None:
    mcp.file.write_text(json.dumps({"mcpServers": {"a": {"command": "x"}}}))
    for path in (tmp_path / "zot-home" / "envs" / "mcp").glob("*/complete"):
        path.unlink()
    assert mcp("doctor", code=2) == "the Python packages for MCP are not installed; run: zot ext setup mcp"
    assert mcp("serve", code=2) == "the Python packages for MCP are not installed; run: zot ext setup mcp"
