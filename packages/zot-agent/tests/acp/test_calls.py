import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.acp import calls
from zot_core.display import (
    CodeDisplay,
    DiffDisplay,
    DisplayBlock,
    FilesDisplay,
    ImageDisplay,
    TerminalDisplay,
    TextDisplay,
)
from zot_core.tools import BUILTIN_TOOLS

TOOLS = {tool.name: tool for tool in BUILTIN_TOOLS}
lines = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=5), max_size=4)


@pytest.mark.parametrize(
    ("block", "arguments", "kind"),
    [
        (DiffDisplay("x", "-a\n+b"), {}, "edit"),
        (CodeDisplay("x", "text"), {"path": "x"}, "read"),
        (CodeDisplay("x", "text"), {"path": "x", "content": "text"}, "edit"),
        (TerminalDisplay("ls", "", 0, 0.1), {}, "execute"),
        (FilesDisplay(["a"]), {}, "search"),
        (ImageDisplay("image/png", "AAAA"), {}, "read"),
        (TextDisplay("words"), {}, "other"),
        (TextDisplay("words"), {"url": "https://example.org"}, "fetch"),
    ],
)
def test_a_call_is_of_the_kind_that_it_shows(block: DisplayBlock, arguments: dict[str, Any], kind: str) -> None:
    assert calls.kind([block], arguments) == kind


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("read", {"path": "x"}, "read"),
        ("write", {"path": "x", "content": ""}, "edit"),
        ("edit", {"path": "x", "edits": []}, "edit"),
        ("bash", {"command": "ls"}, "execute"),
        ("grep", {"pattern": "x"}, "search"),
        ("read", {}, "other"),
        ("nobody", {"path": "x"}, "other"),
    ],
)
def test_the_kind_is_guessed_before_a_call_has_run(name: str, arguments: dict[str, Any], kind: str) -> None:
    assert calls.kind(calls.preview(TOOLS.get(name), arguments), arguments) == kind


@given(st.lists(st.tuples(lines, lines, lines, lines).filter(lambda place: bool(place[1] or place[2])), min_size=1))
def test_every_hunk_of_a_diff_has_the_text_before_and_after(places: list[tuple[list[str], ...]]) -> None:
    rows = [
        [*(f" {line}" for line in before), *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
        + [f" {line}" for line in after]
        for before, old, new, after in places
    ]
    told = calls.hunks(DiffDisplay("x", "\n...\n".join("\n".join(place) for place in rows)), "/home")

    assert [each["newText"] for each in told] == [
        "".join(f"{line}\n" for line in [*before, *new, *after]) for before, _, new, after in places
    ]
    assert [each.get("oldText") for each in told] == [
        "".join(f"{line}\n" for line in [*before, *old, *after]) or None for before, old, _, after in places
    ]
    assert {each["path"] for each in told} == {"/home/x"}


def test_rows_that_are_no_diff_are_shown_as_text() -> None:
    (content,) = calls.content_of([DiffDisplay("x", "x was not changed")], "/home")

    assert content == {"type": "content", "content": {"type": "text", "text": "```diff\nx was not changed\n```"}}


@given(st.text())
def test_no_text_ends_its_own_block_of_code(text: str) -> None:
    first, *_, last = calls.fenced(text).split("\n")

    assert first == last
    assert set(first) == {"`"}
    assert first not in text


def test_a_title_is_one_line_of_bounded_length() -> None:
    title = calls.title("bash", json.dumps({"command": "echo \x1b[31m\n" + "x" * 500}))

    assert title.startswith("bash echo \\x1b[31m ↵ x")
    assert len(title) == 200


def test_replacements_in_arguments_are_changes_of_their_file() -> None:
    arguments = {"file_path": "x", "old_string": "a", "new_string": "b"}

    assert calls.requested_changes(arguments, "/home") == [
        {"type": "diff", "path": "/home/x", "oldText": "a", "newText": "b"}
    ]
    assert calls.requested_changes({"old_string": "a", "new_string": "b"}, "/home") == []
    assert calls.requested_changes({"path": "x", "edits": ["a", {"oldText": 1, "newText": "b"}]}, "/home") == []
