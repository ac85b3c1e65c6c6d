import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.color import DEFAULT, contrast, from_rgb, from_sgr, indexed, nearest, parse_color, rgb

channels = st.tuples(*[st.integers(0, 255)] * 3)
colors = st.integers(0, 255).map(indexed) | channels.map(lambda each: from_rgb(*each))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (204, "204"),
        ("204", "204"),
        ("#FA0", "#ffaa00"),
        (" #0B1020 ", "#0b1020"),
        ("default", DEFAULT),
        ({"mode": "256", "index": 254}, "254"),
        ({"mode": "ansi", "index": 100}, "8"),
        ({"mode": "ansi", "index": 31}, "1"),
        ({"mode": "rgb", "r": 66, "g": 69, "b": 75}, "#42454b"),
    ],
)
def test_a_colour_is_read(value: object, expected: str) -> None:
    assert parse_color(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        256,
        -1,
        True,
        1.5,
        None,
        "",
        "purplish",
        "#12",
        "#12345g",
        "٣",
        [],
        {},
        {"mode": "rgb", "r": 1, "g": 2},
        {"mode": "rgb", "r": 1, "g": 2, "b": 256},
        {"mode": "ansi", "index": 38},
        "x" * 10_000,
    ],
)
def test_what_is_no_colour_is_named_in_one_short_line(value: object) -> None:
    with pytest.raises(ValueError, match="is not a colour") as caught:
        parse_color(value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_indexed_colours_have_the_channels_of_xterm() -> None:
    assert rgb(indexed(16)) == (0, 0, 0)
    assert rgb(indexed(208)) == (255, 135, 0)
    assert rgb(indexed(231)) == (255, 255, 255)
    assert rgb(indexed(244)) == (128, 128, 128)
    assert rgb(DEFAULT) is None


def test_contrast_is_that_of_wcag() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


def test_the_nearest_colour_keeps_what_it_has() -> None:
    assert nearest(indexed(9), 16) == "9"
    assert nearest(from_rgb(255, 0, 0), 16) == "9"
    assert nearest(from_rgb(255, 135, 0), 256) == "208"
    assert nearest(DEFAULT, 16) == DEFAULT


def test_an_sgr_code_that_is_no_colour_is_refused() -> None:
    with pytest.raises(ValueError, match="38 is not a colour"):
        from_sgr(38)


@given(colors)
def test_a_colour_reads_back(color: str) -> None:
    assert parse_color(color) == color


@given(channels, channels)
def test_contrast_is_the_same_both_ways(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    assert 1 <= contrast(one, other) <= 21
    assert contrast(one, other) == contrast(other, one)


@given(colors, st.sampled_from([8, 16, 256]))
def test_the_nearest_colour_is_one_of_those_asked_for(color: str, count: int) -> None:
    assert int(nearest(color, count)) < count
