import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.theme.detect import TRUE_COLOR, background, color_depth, colorfgbg, reply_color


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", (255, 255, 255)),
        ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", (30, 30, 46)),
        ("\x1b]11;rgb:0/8/f\x07", (0, 136, 255)),
        ("\x1b]11;rgba:ffff/0000/0000/8000\x07", (255, 0, 0)),
        ("\x1b]11;#1E1E2E\x07", (30, 30, 46)),
        ("typed\x1b[?62c\x1b]11;rgb:00/00/00\x1b\\more", (0, 0, 0)),
        ("\x1b]11;rgb:ffff/ffff/ff", None),
        ("\x1b]10;rgb:ff/ff/ff\x07", None),
        ("\x1b]11;rgb:gg/ff/ff\x07", None),
        ("", None),
    ],
)
def test_the_answer_of_a_terminal_is_read(reply: str, expected: tuple[int, int, int] | None) -> None:
    assert reply_color(reply) == expected


@given(st.tuples(*[st.integers(0, 65535)] * 3))
def test_any_colour_comes_back_in_eight_bits(channels: tuple[int, int, int]) -> None:
    red, green, blue = channels
    assert reply_color(f"\x1b]11;rgb:{red:04x}/{green:04x}/{blue:04x}\x07") == tuple(
        round(each / 257) for each in channels
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("15;0", "dark"),
        ("0;15", "light"),
        ("0;default;7", "light"),
        ("12;8", "dark"),
        ("0;11", "light"),
        ("15;default", None),
        ("15", None),
        ("0;99", None),
        ("", None),
    ],
)
def test_colorfgbg_is_read(value: str, expected: str | None) -> None:
    assert colorfgbg(value) == expected


def test_the_answer_counts_before_the_environment() -> None:
    assert background("\x1b]11;rgb:00/00/00\x07", {"COLORFGBG": "0;15"}) == "dark"
    assert background("\x1b]11;rgb:f0/f0/e0\x07", {}) == "light"
    assert background("", {"COLORFGBG": "0;15"}) == "light"
    assert background("", {}) is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TRUE_COLOR),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 1),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 256),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, 1),
        ({"TERM": "screen-256color"}, 256),
        ({"TERM": "xterm-direct"}, TRUE_COLOR),
        ({"TERM": "xterm-kitty"}, TRUE_COLOR),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, 256),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, TRUE_COLOR),
        ({"TERM": "linux"}, 16),
        ({"WT_SESSION": "x"}, TRUE_COLOR),
        ({}, 16),
    ],
)
def test_the_depth_of_colour_is_told_by_the_environment(environment: dict[str, str], expected: int) -> None:
    assert color_depth(environment) == expected
