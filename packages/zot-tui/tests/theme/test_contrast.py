import pytest

from zot_tui.color import DEFAULT, Color, Rgb, contrast, indexed, nearest, parse_color, rgb
from zot_tui.terminal.terminal import Terminal
from zot_tui.text.runs import Over
from zot_tui.theme import TOKENS, Paint, Theme, builtin, builtin_names, palette, weaknesses
from zot_tui.theme.contrast import TERMINAL_BACKGROUNDS
from zot_tui.theme.detect import TRUE_COLOR, Background, Depth
from zot_tui.theme.palette import urwid_color
from zot_tui.theme.tokens import READ, SEEN

BAND = 1.25
"""The least contrast of a band to what is around it: seen, and quiet. 1.16 on white is not seen."""

BASIC = {urwid_color(indexed(index)): indexed(index) for index in range(16)}
GREYS: tuple[Rgb, ...] = ((85, 85, 85), (104, 104, 104), (127, 127, 127))
"""What "dark gray" is on VGA, in Konsole, in xterm."""


@pytest.mark.parametrize("name", builtin_names())
def test_every_token_of_a_built_in_theme_can_be_read(name: str) -> None:
    assert [str(weakness) for weakness in weaknesses(builtin(name))] == []


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("token", ["text", "muted", "accent", "match"])
def test_what_a_chosen_row_shows_can_be_seen_on_it(name: str, token: str) -> None:
    theme = builtin(name)
    assert contrast(rgb(theme.style(token).foreground), rgb(theme.style("selection").background)) >= 3


BANDS = [
    (name, token.name)
    for name in builtin_names()
    for token in TOKENS
    if token.band is None
    and builtin(name).style(token.name).background not in (None, DEFAULT, builtin(name).style("text").background)
]


def drawn(theme: Theme, token: str, depth: Depth) -> tuple[list[Rgb], list[Rgb], list[Rgb]]:
    """What a terminal of `depth` colours may show: the text of a token, its own background, and what is around it."""
    _, basic, basic_behind, _, high, high_behind = next(each for each in palette(theme) if each[0] == token)
    around = theme.style("text").background
    grounds = TERMINAL_BACKGROUNDS[theme.mode] if around in (None, DEFAULT) else (around,)
    if depth == 16:
        return shades(basic), shades(basic_behind), [each for ground in grounds for each in shades(nearest(ground, 16))]
    return [reduced(high, depth)], [reduced(high_behind, depth)], [reduced(each, depth) for each in grounds]


def shades(color: str) -> list[Rgb]:
    index = BASIC.get(color.split(",")[0], Color(color.split(",")[0]))
    return [*GREYS] if index == "8" else [rgb(index) or (0, 0, 0)]


def reduced(color: str, depth: Depth) -> Rgb:
    found = Color(color.split(",")[0])
    return rgb(found if depth == TRUE_COLOR else nearest(found, 256)) or (0, 0, 0)


@pytest.mark.parametrize("depth", [16, 256, TRUE_COLOR])
@pytest.mark.parametrize("terminal", ["dark", "light"])
@pytest.mark.parametrize(("name", "token"), BANDS)
def test_a_band_is_seen_and_its_text_is_read_on_every_terminal(
    name: str, terminal: Background, depth: Depth, token: str
) -> None:
    theme = builtin(name).for_background(terminal)
    text, band, around = drawn(theme, token, depth)

    assert min(contrast(one, other) for one in text for other in band) >= READ
    assert min(contrast(one, other) for one in band for other in around) >= BAND


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("terminal", ["dark", "light"])
def test_what_a_search_found_is_told_by_more_than_bold_from_text_of_its_colour(name: str, terminal: Background) -> None:
    entries = {entry[0]: entry[1].split(",") for entry in palette(builtin(name).for_background(terminal))}
    color, *settings = entries["match"]

    same = [token for token, (other, *_) in entries.items() if other == color and token != "match"]

    assert same == [] or {"underline", "standout"} & set(settings)


LINES = [token for token in TOKENS if token.band is not None]


@pytest.mark.parametrize("name", builtin_names())
def test_code_of_every_kind_is_read_on_the_bands_of_a_diff(name: str) -> None:
    theme = builtin(name)
    for line in LINES:
        _, (band,), _ = drawn(theme, line.name, TRUE_COLOR)
        read = [each.name for each in TOKENS if each.name == line.name or each.name.startswith("syntax.")]
        assert [name for name in read if contrast(reduced(theme.style(name).foreground, TRUE_COLOR), band) < READ] == []


@pytest.mark.parametrize("name", builtin_names())
def test_the_bands_of_a_diff_have_two_hues_in_256_colours_and_code_is_read_on_them(name: str) -> None:
    terminal = Terminal(environment={"TERM": "xterm-256color"})
    terminal.register_palette(palette(builtin(name)))
    bands = dict[str, tuple[int, ...]]()
    for line in LINES:
        own = terminal.resolve_attr(line.name, 3)
        bands[line.name] = behind = own.get_rgb_values()[3:]
        code = [token.name for token in TOKENS if token.name.startswith("syntax.")]
        shown = [own, *(terminal.resolve_attr(Over(each, line.name), 3) for each in code)]
        assert {each.get_rgb_values()[3:] for each in shown} == {behind}
        assert min(contrast(each.get_rgb_values()[:3], behind) for each in shown) >= READ
        assert len({*behind}) > 1
    assert bands["diff.added_line"] != bands["diff.removed_line"]
    assert bands["diff.added_word"] != bands["diff.removed_word"]


@pytest.mark.parametrize("name", builtin_names())
def test_sixteen_colours_show_a_diff_by_its_letters_alone(name: str) -> None:
    entries = {entry[0]: entry for entry in palette(builtin(name))}
    assert {entries[line.name][2] for line in LINES} == {"inherit"}
    assert all("standout" not in entries[line.name][3] for line in LINES)


XTERM = (
    "#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5 "
    "#7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff"
)
VGA = (
    "#000000 #aa0000 #00aa00 #aa5500 #0000aa #aa00aa #00aaaa #aaaaaa "
    "#555555 #ff5555 #55ff55 #ffff55 #5555ff #ff55ff #55ffff #ffffff"
)


@pytest.mark.parametrize("palette_of", [XTERM, VGA])
@pytest.mark.parametrize("terminal", ["dark", "light"])
@pytest.mark.parametrize("name", builtin_names())
def test_all_text_is_read_and_every_mark_seen_in_sixteen_colours(
    name: str, terminal: Background, palette_of: str
) -> None:
    colors = [rgb(parse_color(each)) or (0, 0, 0) for each in palette_of.split()]
    own = {"default": 0 if terminal == "dark" else 15}  # the terminal's own background
    entries = {entry[0]: entry for entry in palette(builtin(name).for_background(terminal))}
    shown = {color: int(index) for color, index in BASIC.items()}

    def drawn(color: str) -> Rgb:
        found = color.split(",")[0]
        return colors[(shown | own)[entries["text"][2] if found == "inherit" else found]]

    weak = [
        f"{token.name}: {foreground} on {background}"
        for token in TOKENS
        for _, foreground, background, *_ in [entries[token.name]]
        if contrast(drawn(foreground), drawn(background)) < token.contrast
    ]
    assert weak == []
    chosen = drawn(entries["selection"][2])
    assert min(contrast(drawn(entries[each][1]), chosen) for each in ("text", "muted", "accent", "match")) >= SEEN


def test_the_high_contrast_theme_has_seven_to_one() -> None:
    theme = builtin("high-contrast")
    assert all(contrast(rgb(theme.style(token).foreground), (0, 0, 0)) >= 7 for token in theme.paints)


def test_a_weak_token_is_named_with_its_ratio() -> None:
    theme = Theme("t", paints={"text": Paint("#ffffff"), "muted": Paint("#555555")}, backgrounds={"text": "#000000"})
    weak = {weakness.token: str(weakness) for weakness in weaknesses(theme)}
    assert weak["muted"] == "muted: #555555 on #000000 is 2.8:1, below 4.5:1"
    assert weak["dim"] == "dim: #555555 on #000000 is 2.8:1, below 3:1"
    assert "text" not in weak


def test_the_terminals_own_colours_cannot_be_judged() -> None:
    assert weaknesses(Theme("t")) == []
