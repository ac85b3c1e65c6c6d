"""Where rules for tool calls come from."""

import json
from pathlib import Path

import pytest

from zot_agent.config.settings import Settings
from zot_agent.host.permissions import PermissionFiles
from zot_provider.errors import ConfigError


def test_rules_that_the_person_added_for_a_project_hold_in_its_worktree(tmp_path: Path) -> None:
    home, project, tree = (str(tmp_path / name) for name in ("home", "project", "tree"))
    PermissionFiles(home, project).save(["bash(make test)"])
    rules = PermissionFiles(home, tree, project).rules(Settings())
    assert [(rule.action, rule.text) for rule in rules] == [("allow", "bash(make test)")]
    assert PermissionFiles(home, tree).rules(Settings()) == []


def test_what_a_person_writes_beside_the_answers_counts_and_stays(tmp_path: Path) -> None:
    files = PermissionFiles(str(tmp_path), str(tmp_path / "project"))
    content = {"folders": {f"{tmp_path}/project/": {"deny": ["bash(rm *)"], "ask": ["write"], "allow": ["bash(ls)"]}}}
    (tmp_path / "permissions.json").write_text(json.dumps(content))
    files.save(["bash(make)"])
    found = [(rule.action, rule.text) for rule in files.rules(Settings())]
    assert sorted(found) == [
        ("allow", "bash(ls)"), ("allow", "bash(make)"), ("ask", "write"), ("deny", "bash(rm *)"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        {"deny": ["bash"]}, {"Folders": {}}, {"folders": [], "mode": "ask"}, {"folders": {"here": {"deny": ["bash"]}}},
        {"folders": {"HERE": {"deny": ["bsh"]}}}, {"folders": {"HERE": {"mode": "plan"}}},
        {"folders": {"HERE": {"denny": ["bash"]}}}, {"folders": {"HERE": ["bash"]}},
        {"folders": {"HERE": {"deny": ["bash"]}, "HERE/": {}}},
    ],
)  # fmt: skip
def test_what_is_not_understood_beside_the_answers_is_an_error(tmp_path: Path, content: object) -> None:
    text = json.dumps(content).replace("HERE", str(tmp_path / "project"))
    (tmp_path / "permissions.json").write_text(text)
    with pytest.raises(ConfigError, match=r"permissions\.json: "):
        PermissionFiles(str(tmp_path), str(tmp_path / "project")).rules(Settings())
