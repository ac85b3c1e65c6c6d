"""Editor modes as data: what is read, and what the modes of the examples do."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.mode import KeyedMode
from zot_tui.editor.keyed.read import read_modes
from zot_tui.editor.keyed.vi import vi_modes
from zot_tui.editor.mode import EditorMode
from zot_tui.keys.key import parse_key
from zot_tui.widgets.input.editor import EDITOR_ACTIONS, EditorWidget

EXAMPLES = Path(__file__).parents[4] / "examples" / "extensions"
EDITING = {action.name for action in EDITOR_ACTIONS}
OTHERS = {"submit", "up", "down", "edit", "scroll_page_up", "scroll_page_down"}


def of_example(name: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((EXAMPLES / name / "extension.json").read_text())
    modes: dict[str, Any] = manifest["editor_modes"]
    return modes


def keyed(given: dict[str, Any], text: str = "") -> tuple[EditorWidget, list[str]]:
    """Return an editor with these modes, and the actions that are not those of editors, as they are done."""
    done: list[str] = []
    editor = EditorWidget(Buffer(text))

    def act(name: str) -> None:
        run = next((action.run for action in EDITOR_ACTIONS if action.name == name), None)
        if run is None:
            done.append(name)
        else:
            run(editor)

    editor.mode = KeyedMode(editor.buffer, read_modes(given, EDITING | OTHERS), act, editor.spans)
    return editor, done


def type_keys(editor: EditorWidget, keys: str) -> None:
    """Press keys, which are separated by spaces."""
    for each in keys.split():
        key = parse_key(each)
        if each == "esc":
            editor.escape()
        elif each == "enter":
            editor.enter()
        else:
            editor.press(key)


VI = of_example("modal-editor")
EMACS = of_example("emacs-keys")


def test_the_keys_of_vi_are_those_of_the_example_that_people_copy() -> None:
    assert vi_modes() == read_modes(VI, EDITING | OTHERS)


def test_a_mode_like_another_one_has_its_keys_and_fields_and_its_own_are_stronger() -> None:
    given = {
        "insert": {"keys": {"esc": "mode select"}},
        "select": {"kind": "select", "label": "s", "counts": True, "keys": {"d": "cut", "y": "copy"}},
        "lines": {"like": "select", "kind": "select_lines", "label": "l", "keys": {"y": "mode insert"}},
    }
    modes = read_modes(given, EDITING).modes
    assert modes["lines"].counts
    assert (modes["lines"].kind, modes["lines"].label) == ("select_lines", "l")
    assert modes["lines"].keys[("d",)] == modes["select"].keys[("d",)]
    assert modes["lines"].keys[("y",)] != modes["select"].keys[("y",)]


def test_a_mode_that_selects_has_the_parts_of_the_text_of_the_mode_whose_motions_it_has() -> None:
    given = {
        "insert": {"keys": {"esc": "mode normal"}},
        "normal": {"kind": "command", "keys": {"v": "select"}, "after_operator": {"i w": "inner_word"}},
        "select": {"kind": "select", "motions_from": "normal", "keys": {"d": "cut"}},
    }
    editor, _ = keyed(given, "one two")
    type_keys(editor, "esc v i w d")
    assert editor.text == "one "


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ("esc d w", "two three"),
        ("esc 2 d w", "three"),
        ("esc d d", ""),
        ("esc w c i w x esc", "one x three"),
        ("esc g U w", "ONE two three"),
        ("esc d f t", "wo three"),
        ("esc v e d", " two three"),
        ("esc w R X Y backspace esc", "one Xwo three"),
        ("esc x . .", " two three"),
        ("esc d q x", "ne two three"),
    ],
)
def test_operators_counts_and_repetition_work_in_modes_that_are_data(keys: str, after: str) -> None:
    editor, _ = keyed(VI, "one two three")
    editor.buffer.move(0)
    type_keys(editor, keys)
    assert editor.text == after


def test_the_region_of_emacs_ends_before_the_cursor_and_typing_leaves_it() -> None:
    editor, done = keyed(EMACS, "one two")
    editor.buffer.move(0)
    type_keys(editor, "ctrl+space ctrl+e")
    assert (editor.mode.name, editor.mode.selection) == ("region", (0, 7))
    type_keys(editor, "ctrl+w")
    assert (editor.text, editor.mode.name) == ("", "")
    type_keys(editor, "a ctrl+y")
    assert editor.text == "aone two"
    type_keys(editor, "ctrl+space b")
    assert (editor.text, editor.mode.name) == ("aone twob", "")
    type_keys(editor, "ctrl+x ctrl+s")
    assert done == ["submit"]


def test_the_case_of_a_word_changes_as_in_emacs_and_typed_letters_are_one_step_to_undo() -> None:
    editor, _ = keyed(EMACS, "")
    type_keys(editor, "o n e space t w o")
    editor.buffer.move(0)
    type_keys(editor, "alt+u alt+u")
    assert editor.text == "ONE TWO"
    type_keys(editor, "ctrl+x u")
    assert editor.text == "ONE two"


def test_a_sequence_that_leads_nowhere_loses_no_key() -> None:
    modes = {"insert": {"keys": {"j k": "mode normal", "ctrl+x u": "undo"}}, "normal": {"kind": "command"}}
    editor, _ = keyed(modes)
    type_keys(editor, "j j x ctrl+x b j")
    assert (editor.text, editor.mode.name) == ("jjxbj", "")
    type_keys(editor, "k")
    mode = editor.mode
    assert isinstance(mode, KeyedMode)
    assert (editor.text, mode.current) == ("jjxb", "normal")


def test_a_slash_is_typed_in_every_mode_while_the_editor_is_empty() -> None:
    editor, _ = keyed(VI)
    type_keys(editor, "esc / h i")
    assert editor.text == "/hi"


def test_a_text_from_elsewhere_ends_what_waits_for_more_keys() -> None:
    editor, _ = keyed(VI, "one two")
    type_keys(editor, "esc d")
    editor.set_text("three four", 0)
    type_keys(editor, "w")
    assert editor.text == "three four"


@pytest.mark.parametrize(
    ("modes", "problem"),
    [
        ({}, "there must be 1 to 20 modes"),
        ({"a": {"kind": "command"}}, "nothing could be typed"),
        ({"a": {"keys": {"x": "fly"}}}, "mode a: x: nothing is done by 'fly'"),
        ({"a": {"keys": {"x": "mode b"}}}, "there is no mode 'b'"),
        ({"a": {"keys": {"ctrl+c": "undo"}}}, "keeps its meaning"),
        ({"a": {"keys": {"no key": "undo"}}}, "is not a key"),
        ({"a": {"keys": {"x": ["cut", "undo"]}}}, "must be the only step"),
        ({"a": {"keys": {"x": ["replace", "undo"]}}}, "must be the last"),
        ({"a": {}, "b": {"kind": "select", "keys": {"x": "cut word"}}}, "works on the selection"),
        ({"a": {"keys": {"x": {}}}}, "must be a text or a list"),
        ({"a": {"keys": []}}, "must be objects"),
        ({"a": 1}, "must be objects"),
        ({"a": {"motions_from": "b"}}, "there is no mode 'b'"),
        ({"a": {"like": 1}}, "like: there is no mode 1"),
        ({"a": {"like": "a"}}, "is like another one itself"),
        ({"a": {"fallthrough": "a"}}, "there is no other mode"),
        ({"a": {"kind": "fly"}}, "kind must be one of"),
        ({"a": {"cursor": "fly"}}, "cursor must be one of"),
        ({"a": {"after_operator": {"x": "fly"}}}, "neither a motion nor"),
        ({"a": {"keys": {"a b c d e f": "undo"}}}, "must be 1 to 5 keys"),
    ],
)
def test_what_is_wrong_with_modes_is_said_in_one_line(modes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        read_modes(modes, EDITING)
    assert "\n" not in str(caught.value)


def test_the_plain_mode_is_another_mode() -> None:
    assert not isinstance(EditorMode(), KeyedMode)
