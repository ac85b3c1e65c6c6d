from typing import Any

import pytest

from zot_agent.hook_programs.claude.tools import claude_input, claude_names, own_arguments

CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("bash", {"command": "ls", "timeout": 2.5}, {"command": "ls", "timeout": 2500}),
    ("bash", {"command": "ls", "background": True}, {"command": "ls", "run_in_background": True}),
    ("read", {"path": "a", "limit": 3}, {"file_path": "/p/a", "limit": 3}),
    ("write", {"path": "a", "content": "x"}, {"file_path": "/p/a", "content": "x"}),
    ("todo", {"items": []}, {"todos": []}),
    ("agent", {"task": "look", "agent": "explore"}, {"prompt": "look", "subagent_type": "explore"}),
    ("grep", {"pattern": "x", "path": "a"}, {"pattern": "x", "path": "a"}),
    ("mcp__db__query", {"path": "a"}, {"path": "a"}),
    (
        "edit",
        {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        {"file_path": "/p/a", "old_string": "x", "new_string": "y", "replace_all": False},
    ),
    (
        "edit",
        {"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "1", "newText": "2"}]},
        {
            "file_path": "/p/a",
            "old_string": "x\n1",
            "new_string": "y\n2",
            "replace_all": False,
            "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "1", "new_string": "2"}],
        },
    ),
]


@pytest.mark.parametrize(("tool", "own", "theirs"), CALLS)
def test_a_call_has_the_arguments_that_hooks_know_and_changed_ones_come_back(
    tool: str, own: dict[str, Any], theirs: dict[str, Any]
) -> None:
    assert claude_input(tool, own, "/p/a") == theirs
    back = own_arguments(tool, theirs)
    assert back == own | ({"path": theirs["file_path"]} if "file_path" in theirs else {})


def test_arguments_that_a_model_has_made_wrong_are_passed_on() -> None:
    assert claude_input("edit", {"path": 1, "edits": [1, {"oldText": "x"}]}, "") == {
        "file_path": 1,
        "old_string": "x",
        "new_string": "",
        "replace_all": False,
    }
    assert claude_input("bash", {"timeout": "5"}, "") == {"timeout": "5"}
    assert own_arguments("edit", {"file_path": "a", "edits": [1]}) == {"path": "a", "edits": []}


def test_a_matcher_may_use_the_names_of_both() -> None:
    assert claude_names("edit") == ("Edit", "MultiEdit", "edit")
    assert claude_names("mcp__db__query") == ("mcp__db__query",)
