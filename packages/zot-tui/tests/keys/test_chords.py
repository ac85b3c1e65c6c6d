import pytest
from hypothesis import given
from hypothesis import strategies as st
from urwid.display import escape

from zot_tui.keys.chords import notes, unsupported_key
from zot_tui.keys.key import MODIFIERS, from_urwid, parse_key

RESERVED = ("esc", "ctrl+c", "ctrl+d")

# What a terminal without a protocol sends (kitty's description of its protocol, "Legacy key event encoding").
SENT = {
    "ctrl+p": b"\x10",
    "ctrl+space": b"\x00",
    "ctrl+\\": b"\x1c",
    "ctrl+]": b"\x1d",
    "ctrl+_": b"\x1f",
    "alt+x": b"\x1bx",
    "alt+shift+x": b"\x1bX",
    "ctrl+alt+x": b"\x1b\x18",
    "alt+enter": b"\x1b\r",
    "alt+backspace": b"\x1b\x7f",
    "shift+tab": b"\x1b[Z",
    "ctrl+left": b"\x1b[1;5D",
    "ctrl+alt+shift+up": b"\x1b[1;8A",
    "shift+f5": b"\x1b[15;2~",
    "ctrl+delete": b"\x1b[3;5~",
    "f12": b"\x1b[24~",
    "alt+,": b"\x1b,",
}
INSTEAD = {
    "ctrl+h": ("backspace", b"\x08"),
    "ctrl+i": ("tab", b"\t"),
    "ctrl+m": ("enter", b"\r"),
    "ctrl+[": ("esc", b"\x1b"),
    "ctrl+3": ("esc", b"\x1b"),
    "ctrl+1": ("1", b"1"),
    "ctrl+7": ("ctrl+_", b"\x1f"),
    "ctrl+?": ("backspace", b"\x7f"),
    "ctrl+shift+p": ("ctrl+p", b"\x10"),
    "ctrl+enter": ("enter", b"\r"),
    "shift+enter": ("enter", b"\r"),
    "ctrl+alt+enter": ("alt+enter", b"\x1b\r"),
    "ctrl+tab": ("tab", b"\t"),
    "ctrl+shift+tab": ("shift+tab", b"\x1b[Z"),
    "shift+esc": ("esc", b"\x1b"),
    "shift+backspace": ("backspace", b"\x7f"),
    "ctrl+backspace": ("backspace", b"\x08"),
    "ctrl+alt+i": ("alt+tab", b"\x1b\t"),
    "ctrl+alt+shift+x": ("ctrl+alt+x", b"\x1b\x18"),
}


def read(data: bytes) -> str:
    """The key that arrives for some bytes."""
    events, rest = escape.process_keyqueue(list(data), more_available=False)
    assert not rest
    return str(from_urwid(events[0]))


@pytest.mark.parametrize("chord", SENT)
def test_what_is_sent_for_a_chord_is_that_chord(chord: str) -> None:
    assert read(SENT[chord]) == chord
    assert unsupported_key(parse_key(chord), "legacy") is None


@pytest.mark.parametrize("chord", INSTEAD)
def test_what_is_sent_for_another_chord_is_said(chord: str) -> None:
    instead, data = INSTEAD[chord]
    found = unsupported_key(parse_key(chord), "legacy")
    assert found is not None
    assert found.sent == instead == read(data)
    assert unsupported_key(parse_key(chord), "modify other keys") is None
    assert unsupported_key(parse_key(chord), "kitty") is None


@pytest.mark.parametrize(
    ("chord", "tell"),
    [
        ("capslock", set()),
        ("shift+1", set()),
        ("shift+space", set()),
        ("super+x", {"kitty"}),
        ("hyper+up", {"kitty"}),
        ("f25", {"kitty"}),
        ("ctrl+;", {"kitty", "modify other keys"}),
        ("f5", {"kitty", "modify other keys", "legacy"}),
        ("?", {"kitty", "modify other keys", "legacy"}),
    ],
)
def test_terminals_tell_more_and_less(chord: str, tell: set[str]) -> None:
    assert {
        each for each in ("legacy", "modify other keys", "kitty") if unsupported_key(parse_key(chord), each) is None
    } == tell


def test_a_line_says_what_to_write_instead() -> None:
    chords = [
        "Ctrl+I",
        "ctrl+enter",
        "ctrl+shift+y",
        "cmd+k",
        "ctrl+shift+p",
        "ctrl+[",
        "ctrl+1",
        "shift+1",
        "ctrl+p",
        "nonsense+x",
    ]
    assert notes(chords, "legacy", RESERVED) == [
        "ctrl+i cannot be used: this terminal sends tab for it; choose alt+i",
        "ctrl+enter cannot be used: this terminal sends enter for it; choose another key",
        "ctrl+shift+y cannot be used: this terminal sends ctrl+y for it; write ctrl+y, or alt+y",
        "super+k cannot be used: this terminal does not report Super and Hyper; choose alt+k",
        "ctrl+shift+p cannot be used: this terminal sends ctrl+p for it, which you have bound as well",
        "ctrl+[ cannot be used: this terminal sends esc for it, which is reserved; choose another key",
        "ctrl+1 cannot be used: this terminal sends 1 for it; choose alt+1",
        "shift+1 cannot be used: it types a character: write that",
    ]


def test_two_names_of_one_key_are_a_conflict_where_the_terminal_makes_them_one() -> None:
    assert notes(["tab", "ctrl+i"], "legacy") == [
        "ctrl+i cannot be used: this terminal sends tab for it, which you have bound as well"
    ]
    assert notes(["tab", "ctrl+i"], "kitty") == []


NAMES = ("a", "i", "[", "1", ";", "enter", "tab", "esc", "backspace", "space", "left", "f3", "f30", "menu", "capslock")


@given(st.sets(st.sampled_from(MODIFIERS)), st.sampled_from(NAMES))
def test_what_is_sent_instead_is_a_chord_that_arrives(modifiers: set[str], name: str) -> None:
    found = unsupported_key(parse_key("+".join([*modifiers, name])), "legacy")
    if found is not None and found.sent:
        assert unsupported_key(parse_key(found.sent), "legacy") is None


@given(st.sets(st.sampled_from(MODIFIERS)), st.sampled_from(NAMES))
def test_who_tells_more_tells_all_that_others_do(modifiers: set[str], name: str) -> None:
    key = parse_key("+".join([*modifiers, name]))
    told = [unsupported_key(key, each) is None for each in ("legacy", "modify other keys", "kitty")]
    assert told == sorted(told)
