"""What a compaction keeps without asking the model."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.agent import user_message
from zot_core.compaction.kept_facts import KeptFacts, failed_tests, kept_facts
from zot_core.testing import make_agent
from zot_core.tools import BUILTIN_TOOLS
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.testing import ScriptedClient


def call(name: str, text: str = "ok", *, failed: bool = False, **arguments: Any) -> list[Message]:
    block = ToolCallBlock("call_0", name, json.dumps(arguments))
    result = ToolResultBlock("call_0", [TextBlock(text)], failed)
    return [Message("assistant", [block]), Message("tool", [result])]


def kept(messages: list[Message], cwd: Path) -> KeptFacts:
    agent = make_agent(ScriptedClient([]), *BUILTIN_TOOLS)
    agent.place.change(cwd=str(cwd))
    return asyncio.run(kept_facts(agent, messages))


def after(facts: KeptFacts) -> Message:
    """The summary that has these facts."""
    return Message("user", [TextBlock("notes")], summarized_tokens=1, kept=facts.json())


def test_files_are_told_apart_by_what_was_done_to_them(tmp_path: Path) -> None:
    calls = [
        *call("read", path="a.py"),
        *call("read", path="b.py"),
        *call("edit", path=str(tmp_path / "b.py"), edits=[{"oldText": "x", "newText": "y"}]),
        *call("write", path="../c.py", content="c"),
        *call("read", path="none.py", failed=True),
        *call("grep", pattern="x"),
        *call("nobody", path="d.py"),
        *call("read", path=[7, {}]),
    ]
    facts = kept(calls, tmp_path)
    assert (facts.read, facts.changed) == (["a.py"], ["b.py", str(tmp_path.parent / "c.py")])
    later = kept([after(facts), *call("read", path="b.py"), *call("read", path="e.py")], tmp_path)
    assert (later.read, later.changed) == (["a.py", "e.py"], facts.changed)
    assert "## Files that were only read\n\n- a.py\n- e.py" in later.text()


def test_what_the_user_has_written_stays_as_it_was_through_compactions(tmp_path: Path) -> None:
    typed = user_message("Fix it.\n\nThen `run` it.")
    others = [
        user_message("a long skill", display_text="/skill:x now"),
        user_message("job 1 has ended", hidden="job 1"),
        Message("user", [TextBlock("by an extension")], extension="e"),
    ]
    facts = kept([typed, *others], tmp_path)
    assert facts.prompts == ["Fix it.\n\nThen `run` it.", "/skill:x now"]
    later = kept([after(facts), user_message("And quickly.")], tmp_path)
    assert later.prompts == [*facts.prompts, "And quickly."]
    assert "> Fix it.\n>\n> Then `run` it.\n\n> /skill:x now\n\n> And quickly." in later.text()


def test_of_many_messages_the_first_and_the_last_ones_are_kept(tmp_path: Path) -> None:
    facts = kept([user_message(f"{number} " + "x" * 2990) for number in range(20)], tmp_path)
    assert [text[:2].strip() for text in facts.prompts] == ["0", "17", "18", "19"]
    assert "\n\n[... 16 later ones left out ...]\n\n> 17 " in facts.text()
    assert len(kept([user_message("y" * 100_000)], tmp_path).text()) < 4200


@pytest.mark.parametrize(
    ("output", "names"),
    [
        (
            "FAILED tests/test_a.py::test_b[x y] - assert 1 == 2\n== 1 failed in 0.1s ==",
            ["tests/test_a.py::test_b[x y]"],
        ),
        ("ERROR tests/test_a.py - ImportError", ["tests/test_a.py"]),
        (
            "--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/zero (0.00s)\nFAIL\texample/add",
            ["TestAdd", "TestAdd/zero"],
        ),
        ("test add::works ... FAILED\ntest add::fits ... ok", ["add::works"]),
        ("FAIL: test_add (tally.AddTest)", ["test_add (tally.AddTest)"]),
        ("FAIL: test_add (t.Add.test_add) (i=1)\n\nFAILED (failures=1)", ["test_add (t.Add.test_add) (i=1)"]),
        (
            "t.py::test_b[1] FAILED        [ 50%]\nt.py::Test::test_c PASSED [100%]\nFAILED t.py::test_b[1] - no",
            ["t.py::test_b[1]"],
        ),
        ("[gw0] [ 50%] FAILED t.py::test_b \n[gw1] [100%] PASSED t.py::test_c ", ["t.py::test_b"]),
        (" FAIL  src/add.test.js\n  ● add › takes zero\n\n    expect(1)\n  ● Console", ["add › takes zero"]),
        (" FAIL  src/add.test.ts > add > takes zero", ["src/add.test.ts > add > takes zero"]),
        ("[  FAILED  ] Add.Zero (0 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Add.Zero", ["Add.Zero"]),
        ("ok 1 - adds\nnot ok 2 - subtracts", ["subtracts"]),
        ("  ✕ subtracts (3 ms)\n  ✓ adds (1 ms)", ["subtracts"]),
        ("rspec ./spec/a_spec.rb:3 # A adds", ["./spec/a_spec.rb:3"]),
        ("\t  2 - sub (Failed)", ["sub"]),
        ("ERROR: no such file\nFAILED\n3 passed", []),
    ],
)
def test_failed_tests_are_known_by_what_the_usual_runners_print(output: str, names: list[str]) -> None:
    assert failed_tests(output) == names


def test_tests_that_failed_are_kept_until_their_command_passes(tmp_path: Path) -> None:
    failing = call("bash", "FAILED t.py::test_a - no\nFAILED t.py::test_b - no", failed=True, command="pytest -q")
    facts = kept([*failing, *call("bash", "2 passed", command="pytest t.py")], tmp_path)
    assert facts.failed == {"pytest -q": ["t.py::test_a", "t.py::test_b"]}
    assert "## Tests that failed when `pytest -q` last ran\n\n- t.py::test_a\n- t.py::test_b" in facts.text()
    assert kept([after(facts), *call("read", path="a")], tmp_path).failed == facts.failed
    assert kept([after(facts), *call("bash", "2 passed", command="pytest  -q")], tmp_path).failed == {}


def test_of_tests_that_failed_it_is_said_whether_files_have_changed_since(tmp_path: Path) -> None:
    failing = call("bash", "FAILED t.py::test_a - no", failed=True, command="pytest -q")
    edit = call("edit", path="a.py", edits=[{"oldText": "x", "newText": "y"}])
    changed = kept([*failing, *edit, *call("bash", "2 passed", command="pytest -q | tail -1")], tmp_path)
    title = "## Tests that failed when `pytest -q` last ran, before later changes\n"
    assert title in changed.text()
    assert title in kept([after(changed), *call("read", path="a.py")], tmp_path).text()
    assert "before later changes" not in kept([after(changed), *failing], tmp_path).text()
    assert "before later changes" not in kept([*edit, *failing], tmp_path).text()


@given(st.text() | st.builds(json.dumps, st.recursive(st.none() | st.text() | st.integers(), st.lists)))
def test_a_row_that_something_else_has_written_is_read_as_no_facts(text: str) -> None:
    message = Message("user", [TextBlock("notes")], summarized_tokens=1, kept=text)
    assert kept([message], Path("/")).text() == ""


@given(st.text())
def test_any_output_is_searched_for_failed_tests(text: str) -> None:
    assert isinstance(failed_tests(text), list)


def test_without_facts_there_is_nothing_to_say_or_to_store() -> None:
    assert KeptFacts().text() == ""
    assert KeptFacts().json() == ""
