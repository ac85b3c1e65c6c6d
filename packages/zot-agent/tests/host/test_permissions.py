"""Where rules for tool calls come from."""

from pathlib import Path

from zot_agent.config.settings import Settings
from zot_agent.host.permissions import PermissionFiles


def test_rules_that_the_person_added_for_a_project_hold_in_its_worktree(tmp_path: Path) -> None:
    home, project, tree = (str(tmp_path / name) for name in ("home", "project", "tree"))
    PermissionFiles(home, project).save(["bash(make test)"])
    rules = PermissionFiles(home, tree, project).rules(Settings())
    assert [(rule.action, rule.text) for rule in rules] == [("allow", "bash(make test)")]
    assert PermissionFiles(home, tree).rules(Settings()) == []
