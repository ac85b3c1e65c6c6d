"""What extensions send about the editor and about panels: modes, answers about keys, spans, frames of panels."""

import asyncio
import json
from pathlib import Path
from typing import Any

from hostile import damaged, doctored, few, json_bytes, json_values
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.extensions.panels.panel import LONGEST_LINE, MOST_LINES, PanelWishes
from zot_agent.extensions.panels.panels import Panels
from zot_agent.ui.extensions.editing.answer import read_answer
from zot_agent.ui.extensions.editing.decorations import read_marks
from zot_core.conversation import events
from zot_ext.protocol.codec import decode_from_extension
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import PanelDraw, PanelKeyResult
from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.mode import KeyedMode
from zot_tui.editor.keyed.read import read_modes
from zot_tui.keys.key import parse_key
from zot_tui.theme.load import builtin
from zot_tui.widgets.input.editor import EDITOR_ACTIONS, EditorWidget

EXAMPLES = Path(__file__).parents[2] / "examples" / "extensions"
ACTIONS = {action.name: action.run for action in EDITOR_ACTIONS}
MODES: list[Any] = [
    *(json.loads((EXAMPLES / name / "extension.json").read_text())["editor_modes"] for name in ("emacs-keys",)),
    {
        "a": {"cursor": "bar", "keys": {"esc": "mode b", "j k": ["mode b", "undo"]}},
        "b": {
            "kind": "command", "label": "b", "counts": True, "after_operator": {"i w": "inner_word"},
            "keys": {"d": "cut", "w": "move word", "f": "move find", "x": "cut right", "i": "insert", "v": "select",
                     "r": "replace", ".": "repeat", "R": "overwrite", "u": "undo", "g g": "move text_start"},
        },
        "c": {"kind": "select", "fallthrough": "a", "exclusive": True, "motions_from": "b", "keys": {"d": "cut"}},
        "d": {"like": "c", "kind": "select_lines", "keys": {"x": "cut lines"}},
    },
]  # fmt: skip
PRESSED = [
    "esc",
    "enter",
    "j",
    "k",
    "d",
    "w",
    "f",
    "x",
    "i",
    "v",
    "r",
    ".",
    "R",
    "2",
    "alt+x",
    "ctrl+x",
    "ctrl+space",
    "é",
]
TEXTS = st.sampled_from(["", "one two\nthree", "a👍🏽 é\t(b)", "[pasted] x"])


@few
@given(doctored(MODES) | json_values, st.lists(st.sampled_from(PRESSED), max_size=20), TEXTS)
def test_modes_may_say_anything_and_keys_leave_a_whole_text(given: object, keys: list[str], text: str) -> None:
    editor = EditorWidget(Buffer(text))
    try:
        modes = read_modes(given if isinstance(given, dict) else {"a": given}, {*ACTIONS, "submit"})
    except ValueError:
        return
    editor.mode = KeyedMode(editor.buffer, modes, lambda name: ACTIONS.get(name, EditorWidget.restart)(editor))
    for name in keys:
        if name == "esc":
            editor.escape()
        elif name != "enter" or not editor.enter():
            editor.press(parse_key(name))
        assert 0 <= editor.buffer.cursor <= len(editor.text)
    editor.render((20,), focus=True)


ANSWERS: list[Any] = [
    {"ops": [{"insert": "x"}, {"delete": [0, 3]}, {"move": 2}, {"set": "a\nb"}, {"do": "undo"}], "consumed": True},
    {"keys": ["ctrl+a", "x"], "ops": [{"mode": "normal"}]},
]


@few
@given(doctored(ANSWERS), TEXTS)
def test_an_answer_about_a_key_is_done_whole_or_refused(given: object, text: str) -> None:
    editor = EditorWidget(Buffer(text))
    actions = {name: lambda run=run: run(editor) for name, run in ACTIONS.items()}  # type: ignore[misc]
    if not isinstance(given, dict) or not all(isinstance(given.get(name) or [], list) for name in ("ops", "keys")):
        return  # the host checks these types before
    try:
        answer = read_answer(given, actions)
    except ValueError:
        return
    answer.edit(editor, actions, lambda name: None)
    assert 0 <= editor.buffer.cursor <= len(editor.text)
    editor.render((20,), focus=True)


SPANS: list[Any] = [[{"start": 0, "end": 3, "style": "accent", "bold": True}, {"start": 2, "end": 9, "bg": "#102030"}]]


@few
@given(doctored(SPANS) | json_values, TEXTS)
def test_spans_may_say_anything_and_the_text_is_drawn_as_it_is(given: object, text: str) -> None:
    plain, drawn = EditorWidget(Buffer(text)), EditorWidget(Buffer(text))
    drawn.marks = read_marks(given if isinstance(given, list) else [given], len(text), builtin("dark"))
    assert len(drawn.marks) == len(text)
    assert drawn.render((20,), focus=True).text == plain.render((20,), focus=True).text


FRAMES: list[Any] = [
    {"type": "panel_draw", "panel_id": "p", "lines": ["a", [{"text": "b", "style": "accent"}]], "cursor_row": 0,
     "cursor_column": 3},
    {"type": "panel_key_result", "panel_id": "p", "seq": 1, "consumed": False},
]  # fmt: skip


class Owner:
    """An extension that hears nothing."""

    name = "x"

    def send(self, frame: object) -> None:
        """See `PanelOwner`."""


@few
@given(st.lists(doctored(FRAMES).map(json_bytes) | damaged([json_bytes(each) for each in FRAMES]), max_size=8))
async def test_a_panel_may_be_drawn_with_anything(lines: list[bytes]) -> None:
    emitted: list[events.ExtensionEvent] = []
    panels = Panels(emitted.append)
    panels.resize(40, 12)
    owner = Owner()
    panels.open_drawn(owner, "p", PanelWishes(), {})
    panels.press("a")
    for line in lines:
        try:
            frame = decode_from_extension(line)
        except FrameError:
            continue
        if isinstance(frame, PanelDraw | PanelKeyResult):
            panels.received(owner, frame)
    await asyncio.sleep(0)
    for event in emitted:
        if isinstance(event, events.PanelShow):
            assert len(event.panel.lines) <= MOST_LINES
            assert all(len(each) <= LONGEST_LINE for each in event.panel.lines)
    panels.drop(owner)
