"""Which way images are drawn."""

import pytest

from zot_tui.image.protocol import ProtocolChoice, choose, problem
from zot_tui.theme.detect import TRUE_COLOR

KITTY = {"TERM": "xterm-kitty"}
ITERM = {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}
TERMINALS = [
    ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "kitty"),
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "kitty"),
    ({"TERM": "xterm-kitty", "TERM_PROGRAM": "ghostty"}, "kitty"),
    (ITERM, "iterm"),
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm"),
    ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm"),
    ({"TERM": "xterm-256color"}, "half"),
    # What another terminal inherits of the one it was started in says nothing.
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1", "LC_TERMINAL": "iTerm2"}, "half"),
]


@pytest.mark.parametrize(("environment", "protocol"), TERMINALS)
def test_a_terminal_is_known_by_its_name(environment: dict[str, str], protocol: str) -> None:
    assert choose(environment, TRUE_COLOR) == ProtocolChoice(protocol)  # type: ignore[arg-type]  # one of the ways


def test_kitty_shows_half_blocks_until_it_has_answered_with_its_version() -> None:
    """Before 0.28 it does not know placeholders, and shows a box for each cell."""
    assert choose(KITTY, TRUE_COLOR) == ProtocolChoice("half", better="kitty")
    assert choose({**KITTY, "ZOT_INLINE_IMAGES": "kitty"}, TRUE_COLOR) == ProtocolChoice("kitty")


def test_few_colours_show_no_images_whatever_is_asked_for() -> None:
    for depth in (1, 16):
        for wanted in ("", "kitty", "iterm", "half"):
            assert choose({**KITTY, "ZOT_INLINE_IMAGES": wanted}, depth).protocol == "off"  # type: ignore[arg-type]
    assert choose(KITTY, 256).better == "kitty"


def test_the_variable_counts_more_than_the_terminal_and_the_setting() -> None:
    for wanted in ("kitty", "iterm", "half", "off"):
        assert choose({**ITERM, "ZOT_INLINE_IMAGES": wanted}, TRUE_COLOR, enabled=False).protocol == wanted
    assert choose({**ITERM, "ZOT_INLINE_IMAGES": " Auto "}, TRUE_COLOR, enabled=False).protocol == "iterm"
    assert choose(ITERM, TRUE_COLOR, enabled=False).protocol == "off"


def test_multiplexers_show_half_blocks_unless_kitty_is_asked_for() -> None:
    tmux, screen = {"TMUX": "/tmp/tmux,1,0"}, {"STY": "1.pts"}
    assert choose({**KITTY, **tmux}, TRUE_COLOR) == ProtocolChoice("half", tmux=True)
    assert choose({**ITERM, **screen}, TRUE_COLOR) == ProtocolChoice("half")
    assert choose({**tmux, "ZOT_INLINE_IMAGES": "kitty"}, TRUE_COLOR) == ProtocolChoice("kitty", tmux=True)
    assert choose({**tmux, "ZOT_INLINE_IMAGES": "iterm"}, TRUE_COLOR) == ProtocolChoice("half", tmux=True)


def test_a_multiplexer_that_is_known_by_its_term_alone_shows_half_blocks() -> None:
    """Past ssh, which passes `$LC_TERMINAL` on, and past sudo."""
    over_ssh = {"SSH_CONNECTION": "1 2 3 4", "LC_TERMINAL": "iTerm2"}
    for term in ("tmux-256color", "screen-256color", "screen.xterm-256color"):
        assert choose({**over_ssh, "TERM": term}, TRUE_COLOR).protocol == "half"
    assert choose({"TERM": "tmux-256color", "ZOT_INLINE_IMAGES": "kitty"}, TRUE_COLOR) == ProtocolChoice(
        "kitty", tmux=True
    )


def test_an_unknown_value_is_one_line_and_like_none() -> None:
    unknown = {**ITERM, "ZOT_INLINE_IMAGES": "sixel\n\x1b[2J" + "x" * 500}
    assert choose(unknown, TRUE_COLOR).protocol == "iterm"
    said = problem(unknown)
    assert said.startswith("ZOT_INLINE_IMAGES: expected one of kitty, iterm, half, off, auto, got 'sixel")
    assert said.isprintable()
    assert len(said) < 160
    for known in ("", "  ", "kitty", "OFF", "auto"):
        assert problem({"ZOT_INLINE_IMAGES": known}) == ""
    assert problem({}) == ""
