from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.keys.key import MODIFIERS, NAMES, Key, from_urwid, parse_key, to_urwid


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ctrl+o", Key("o", ("ctrl",))),
        ("Ctrl+O", Key("o", ("ctrl",))),
        ("shift+ctrl+p", Key("p", ("ctrl", "shift"))),
        ("alt+enter", Key("enter", ("alt",))),
        ("meta+Return", Key("enter", ("alt",))),
        ("Escape", Key("esc")),
        ("pgup", Key("pageup")),
        ("f12", Key("f12")),
        ("a", Key("rune", (), "a")),
        ("A", Key("rune", (), "A")),
        ("shift+a", Key("rune", (), "A")),
        ("?", Key("rune", (), "?")),
        ("+", Key("rune", (), "+")),
        ("ctrl++", Key("+", ("ctrl",))),
        ("ctrl+-", Key("-", ("ctrl",))),
        ("space", Key("rune", (), " ")),
        ("ctrl+space", Key("space", ("ctrl",))),
        ("rune", Key("rune")),
        ("é", Key("rune", (), "é")),
    ],
)
def test_a_key_is_read(text: str, expected: Key) -> None:
    assert parse_key(text) == expected


@pytest.mark.parametrize("text", ["", "ctrl+", "+a", "hyperspace", "strg+o", "ctrl+rune", "f36", "ab", "\n", "ctrl+++"])
def test_what_is_no_key_is_named_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="is not a key") as caught:
        parse_key(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("ctrl+o", "Ctrl+O"),
        ("alt+enter", "Alt+Enter"),
        ("pageup", "PgUp"),
        ("shift+up", "Shift+↑"),
        ("?", "?"),
        ("a", "a"),
        ("f5", "F5"),
        ("space", "Space"),
        ("ctrl+space", "Ctrl+Space"),
    ],
)
def test_a_key_is_shown_to_people(text: str, label: str) -> None:
    assert parse_key(text).label == label


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("a", "a"),
        ("A", "A"),
        (" ", "space"),
        ("é", "é"),
        ("ctrl o", "ctrl+o"),
        ("ctrl A", "ctrl+shift+a"),
        ("meta enter", "alt+enter"),
        ("meta b", "alt+b"),
        ("meta A", "alt+shift+a"),
        ("page up", "pageup"),
        ("shift page down", "shift+pagedown"),
        ("shift meta ctrl left", "ctrl+alt+shift+left"),
        ("shift tab", "shift+tab"),
        ("ctrl _", "ctrl+_"),
        ("<0>", "ctrl+space"),
        ("meta <0>", "ctrl+alt+space"),
        ("ctrl  ", "ctrl+space"),
        ("super k", "super+k"),
        ("caps lock", "capslock"),
        ("shift 1", "shift+1"),
    ],
)
def test_the_keys_of_urwid_are_ours(reported: str, expected: str) -> None:
    assert str(from_urwid(reported)) == expected


@pytest.mark.parametrize(
    "reported",
    [
        "",
        "focus in",
        "begin paste",
        "window resize",
        "left shift",
        "media play",
        "<csi 1;2x>",
        "<200>",
        None,
        5,
        ("mouse press", 1, 2, 3),
    ],
)
def test_what_is_no_press_is_no_key(reported: object) -> None:
    assert from_urwid(reported) is None


def test_every_key_that_urwid_can_report_is_known_or_no_press() -> None:
    from urwid.display.escape import input_sequences

    no_press = {"focus in", "focus out", "begin paste", "end paste", "mouse", "sgrmouse", "status ok"}
    unknown = {name for _, name in input_sequences if isinstance(name, str) and from_urwid(name) is None}
    assert unknown <= no_press


keys = st.builds(
    lambda name, modifiers: "+".join((*modifiers, name)),
    st.sampled_from(sorted(NAMES)) | st.characters(exclude_categories=["C", "Z"]),
    st.lists(st.sampled_from(MODIFIERS), unique=True),
).filter(lambda text: text != "rune")


@given(st.sampled_from([*sorted(NAMES), "a", "ä", "漢", "+", "/", "5"]), st.sets(st.sampled_from(MODIFIERS)))
def test_urwids_name_of_a_key_reads_back(name: str, modifiers: set[str]) -> None:
    key = parse_key("+".join([*sorted(modifiers), name]))
    assert from_urwid(to_urwid(key)) == key


@given(keys)
def test_a_written_key_reads_back(text: str) -> None:
    key = parse_key(text)
    assert parse_key(str(key)) == key


@given(st.characters())
def test_a_typed_character_is_itself(char: str) -> None:
    key = from_urwid(char)
    if category(char) in ("Cc", "Cs"):
        assert key is None
    else:
        assert key == Key("rune", (), char)


@given(st.sampled_from(["", "alt+"]), st.characters())
def test_what_a_key_is_called_reads_back_whatever_it_types(modifier: str, char: str) -> None:
    key = from_urwid(char)
    if key is not None:
        assert parse_key(modifier + key.text) == parse_key(str(parse_key(modifier + key.text)))


@given(st.text())
def test_reading_a_key_gives_a_key_or_a_reason(text: str) -> None:
    try:
        key = parse_key(text)
    except ValueError:
        return
    assert parse_key(str(key)) == key


@given(st.text() | st.text(alphabet="ctrlmeashif <>").map(lambda text: text))
def test_nothing_that_urwid_says_is_an_error(text: str) -> None:
    key = from_urwid(text)
    assert key is None or parse_key(str(key)) == key
