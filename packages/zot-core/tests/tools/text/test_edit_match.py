from hypothesis import assume, given
from hypothesis import strategies as st

from zot_core.tools.text.edit_hint import not_found_hint
from zot_core.tools.text.edit_match import licence_lines, near_places, without_line_numbers
from zot_core.tools.text.edit_text import EditError, TextReplacement, edit_text

WORDS = st.sampled_from(["a", "b()", "c = “x”", "if d:", "e - f", "g\u00a0h", "}", "", "# – i"])
DEPTHS = st.integers(0, 3)
LINES = st.lists(st.tuples(DEPTHS, WORDS), min_size=1, max_size=8)
TRAILS = st.sampled_from(["", " ", "\t", "  "])
PLAIN = str.maketrans({"“": '"', "”": '"', "–": "-", "\u00a0": " "})


def replaced(plain: str, old: str, new: str) -> str:
    (place,) = near_places(plain, old, new)
    return plain[: place.start] + place.new + plain[place.end :]


@given(LINES, st.lists(TRAILS, min_size=8, max_size=8), st.data())
def test_a_text_in_another_style_changes_only_the_line_that_it_means(
    shape: list[tuple[int, str]], trails: list[str], data: st.DataObject
) -> None:
    """The model writes four blanks, plain quotes and no white space at line ends; the file has tabs and typography."""
    file = ["\t" * depth + word + trail if word else "" for (depth, word), trail in zip(shape, trails, strict=False)]
    seen = [("    " * depth + word if word else "").translate(PLAIN) for depth, word in shape]
    start = data.draw(st.integers(0, len(shape) - 1))
    end = data.draw(st.integers(start + 1, len(shape)))
    at = data.draw(st.integers(start, end - 1))
    assume(shape[at][1])
    plain, old = "\n".join(file), "\n".join(seen[start:end])
    assume(old not in plain)
    changed = [*seen[start:end]]
    changed[at - start] = changed[at - start][: len("    " * shape[at][0])] + "new"
    assume(len(near_places(plain, old, "\n".join(changed))) == 1)

    lines = replaced(plain, old, "\n".join(changed)).split("\n")

    assert [line for number, line in enumerate(lines) if number != at] == file[:at] + file[at + 1 :]
    assert lines[at].rstrip() == "\t" * shape[at][0] + "new"


@given(st.text(alphabet='ab \t\n“"-–{', max_size=40), st.text(alphabet='ab \t\n“"-–{', min_size=1, max_size=20))
def test_any_two_texts_give_an_edit_or_words(plain: str, old: str) -> None:
    try:
        edited = edit_text(plain, [TextReplacement(old, "new")])
    except EditError:
        return
    assert "new" in edited.text
    assert bool(edited.notes) == (old not in plain)


def test_indentation_follows_the_style_of_the_file() -> None:
    assert replaced("\tx\n", "  x\n", "  x\n  if y:\n    z\n") == "\tx\n\tif y:\n\t\tz\n"
    assert replaced("        x\n", "    x", "    if y:\n        x") == "        if y:\n            x\n"
    assert replaced("if a:\n  x\n    y\n", "if a:\n\tx\n\t\ty", "if a:\n\tx\n\t\t\ty") == "if a:\n  x\n      y\n"


def test_an_indentation_that_the_file_has_not_is_written_as_it_is() -> None:
    assert replaced("\tx\n", "  x", "  x\n\ty") == "\tx\n\ty\n"


def test_a_replacement_whose_indentation_cannot_be_known_is_not_made() -> None:
    assert near_places("\tx\n", "    x", "  y") == []
    assert near_places("\t x\n    y\n", "  x\n    y", "   z\n     w") == []


def test_lines_that_are_indented_in_another_order_do_not_match() -> None:
    assert near_places("\tx\ny\n", "x\n    y\n", "z") == []


def test_a_part_of_a_line_is_meant_only_when_it_is_exact() -> None:
    assert near_places("    return “as is”, 1\n", '"as is"', "other") == []
    assert replaced("    say “as is”\n", 'say "as is"', 'say "no"') == "    say “no”\n"


def test_the_place_with_the_same_indentation_wins() -> None:
    assert replaced("x \n    x \n", "    x\n", "    y\n") == "x \n    y \n"


def test_numbers_of_lines_must_be_those_of_the_file() -> None:
    assert without_line_numbers("a\nb\nc\n", "2: b\n3: c", "d") is not None
    assert without_line_numbers("a\nb\nc\n", "1: b\n2: c", "d") is None
    assert without_line_numbers("a\nb\nc\n", "2: b\nc", "d") is None


def test_a_licence_is_a_comment_at_the_beginning() -> None:
    assert licence_lines("#!/bin/sh\n# Copyright 2026\n\nx = 1\n# licence\n") == 3
    assert licence_lines('"""All of it.\n\nLicense: MIT\n"""\nx = 1\n') == 4
    assert licence_lines("/*\n Copyright\n */\nint x;\n") == 3
    assert licence_lines("# plain words\nx = 1  # Copyright\n") == 0
    assert licence_lines("") == 0


def test_a_long_line_is_shown_around_its_first_difference() -> None:
    line = "word " * 60 + "here" + " y" * 1000
    hint = not_found_hint(line + "\n", line.replace("here", "there"))
    assert "here" in hint
    assert len(hint) < 600
