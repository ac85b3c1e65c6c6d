from typing import Any

import pytest

from zot_tui.keys.key import parse_key
from zot_tui.widgets.actions import Action, bindings
from zot_tui.widgets.dialogs.dialog import DIALOG, DIALOG_ACTIONS, LIST, LIST_ACTIONS, Dialog
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, Pages, TextInput
from zot_tui.widgets.input.editor import EDITOR, EDITOR_ACTIONS
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS

ALL: list[Action[Any]] = [*EDITOR_ACTIONS, *DIALOG_ACTIONS, *LIST_ACTIONS, *TRANSCRIPT_ACTIONS]


@pytest.mark.parametrize(
    ("context", "actions"), [(EDITOR, EDITOR_ACTIONS), (DIALOG, DIALOG_ACTIONS), (LIST, LIST_ACTIONS)]
)
def test_no_key_is_bound_twice(context: str, actions: tuple[Action[Any], ...]) -> None:
    keys = [str(parse_key(binding.key)) for binding in bindings(context, actions)]
    assert len(keys) == len(set(keys))


def test_every_action_says_what_it_does() -> None:
    assert all(action.help and callable(action.run) for action in ALL)


@pytest.mark.parametrize("action", [*DIALOG_ACTIONS, *LIST_ACTIONS], ids=lambda action: action.name)
def test_every_action_of_dialogs_can_be_done_in_each(action: Action[Dialog[Any]]) -> None:
    choices = [ConfirmChoice("y", "yes", "yes")]
    for dialog in (
        Dialog[str]("title"), Picker("title", [PickerItem("one", "one")]), Confirm("title", choices, "text"),
        Confirm("title", choices), TextInput("title"), Pages("title", "text"),
    ):  # fmt: skip
        action.run(dialog)


def test_the_names_of_actions_are_unique() -> None:
    names = [action.name for action in ALL]
    assert len(names) == len(set(names))
