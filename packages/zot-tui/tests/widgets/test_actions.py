from zot_tui.keys.key import parse_key
from zot_tui.widgets.actions import BINDINGS, DIALOG_ACTIONS, EDITOR_ACTIONS
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.dialogs.picker import Picker
from zot_tui.widgets.dialogs.questions import Confirm, Pages, TextInput
from zot_tui.widgets.input.editor import EditorWidget


def test_no_key_is_bound_twice() -> None:
    places = [(str(parse_key(binding.key)), context) for binding in BINDINGS for context in binding.contexts or ("",)]
    assert len(places) == len(set(places))


def test_every_action_of_the_editor_is_a_method_and_says_what_it_does() -> None:
    assert [action for action in EDITOR_ACTIONS if not callable(getattr(EditorWidget, action.method, None))] == []
    assert all(action.help for action in (*EDITOR_ACTIONS, *DIALOG_ACTIONS))


def test_every_action_of_dialogs_is_a_method_of_one() -> None:
    dialogs = (Dialog, Picker, Confirm, TextInput, Pages)
    assert [
        action for action in DIALOG_ACTIONS if not any(callable(getattr(each, action.method, None)) for each in dialogs)
    ] == []


def test_the_names_of_actions_are_unique() -> None:
    names = [action.name for action in (*EDITOR_ACTIONS, *DIALOG_ACTIONS)]
    assert len(names) == len(set(names))
