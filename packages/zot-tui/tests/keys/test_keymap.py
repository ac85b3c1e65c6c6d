import pytest

from zot_tui.keys.key import parse_key
from zot_tui.keys.keymap import RESERVED, Binding, Keymap

BUILTIN = [
    Binding("enter", "submit", ("editor",), "send the message"),
    Binding("enter", "accept", ("picker",), "take it"),
    Binding("ctrl+k", "kill-line", ("editor",)),
    Binding("ctrl+o", "expand", (), "expand output"),
    Binding("ctrl+c", "interrupt"),
    Binding("?", "help", ("picker",)),
    Binding("rune", "insert", ("editor", "picker")),
]


def action(keymap: Keymap, key: str, *contexts: str) -> str | None:
    binding = keymap.find(parse_key(key), contexts)
    return binding.action if binding else None


def test_the_innermost_context_decides() -> None:
    keymap = Keymap(BUILTIN)
    assert action(keymap, "enter", "editor") == "submit"
    assert action(keymap, "enter", "picker", "editor") == "accept"
    assert action(keymap, "enter") is None
    assert action(keymap, "Ctrl+O", "editor") == "expand"


def test_a_typed_character_is_a_rune_unless_it_is_bound() -> None:
    keymap = Keymap(BUILTIN)
    assert action(keymap, "x", "editor") == "insert"
    assert action(keymap, "?", "picker") == "help"
    assert action(keymap, "?", "editor") == "insert"
    assert action(keymap, "f1", "editor") is None


def test_a_person_binds_over_what_is_built_in() -> None:
    keymap, problems = Keymap(BUILTIN).override({"Ctrl+K": "/model", "ctrl+o": None, "f5": "reload"})
    assert problems == []
    assert action(keymap, "ctrl+k", "editor") == "/model"
    assert action(keymap, "ctrl+o", "editor") is None
    assert action(keymap, "f5") == "reload"


def test_a_choice_holds_in_its_contexts_only() -> None:
    keymap, _ = Keymap(BUILTIN).override({"enter": "newline"}, ("editor",))
    assert action(keymap, "enter", "editor") == "newline"
    assert action(keymap, "enter", "picker") == "accept"


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_a_reserved_key_keeps_its_meaning(key: str) -> None:
    keymap, problems = Keymap(BUILTIN).override({key.upper(): "/model"})
    assert problems == [f"{key} is reserved and keeps its meaning: choose another key for '/model'"]
    assert action(keymap, key) == action(Keymap(BUILTIN), key)


def test_an_extension_cannot_take_a_reserved_key_either() -> None:
    assert action(Keymap(BUILTIN).over([Binding("ctrl+c", "mine")]), "ctrl+c") == "interrupt"


def test_what_cannot_be_used_is_reported_and_the_rest_is_used() -> None:
    keymap, problems = Keymap(BUILTIN).override({"strg+o": "a", "ctrl+o": "b", "Ctrl+O": "c"})
    assert len(problems) == 2
    assert "'strg+o'" in problems[0]
    assert "'Ctrl+O'" in problems[1]
    assert action(keymap, "ctrl+o") == "b"


def test_the_first_of_two_bindings_of_a_key_in_a_context_is_used() -> None:
    keymap = Keymap(
        [*BUILTIN, Binding("return", "newline", ("editor", "form")), Binding("ctrl+o", "open", ("editor",))]
    )
    assert action(keymap, "enter", "editor") == "submit"


def test_an_unreadable_key_is_refused() -> None:
    with pytest.raises(ValueError, match="'strg\\+o' is not a key"):
        Keymap([Binding("strg+o", "open")])


def test_the_keys_of_an_action_are_those_that_do_it() -> None:
    keymap = Keymap([*BUILTIN, Binding("alt+k", "kill-line", ("editor",))])
    assert [str(key) for key in keymap.keys("kill-line", ("editor",))] == ["ctrl+k", "alt+k"]
    overridden, _ = keymap.override({"ctrl+k": "/model"})
    assert [str(key) for key in overridden.keys("kill-line", ("editor",))] == ["alt+k"]
    assert keymap.keys("kill-line") == []


def test_bindings_are_listed_strongest_first() -> None:
    keymap = Keymap(BUILTIN).over([Binding("f5", "reload")])
    assert [binding.action for binding in keymap.bindings][:2] == ["reload", "submit"]
    assert keymap.bindings[1].help == "send the message"
