from base64 import b64encode
from unicodedata import category

from display_blocks import Code, Diff, Files, Image, Markdown, Other, Terminal, Text, TodoItem, Todos
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.color import indexed
from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.transcript.blocks import KIND, RENDERERS, SOURCE, RenderableBlock, RenderedBlock, render_block
from zot_tui.widgets.transcript.chunks import SIZE


def rows(drawn: RenderedBlock, width: int = 40) -> list[str]:
    return [plain(row) for chunk in drawn.chunks for row in chunk.rows(width)]


def styles(drawn: RenderedBlock, width: int = 40) -> list[list[object]]:
    return [[style for style, _ in row] for chunk in drawn.chunks for row in chunk.rows(width)]


def test_text_keeps_the_colours_of_programs() -> None:
    drawn = render_block(Text("plain \x1b[32mgreen\x1b[0m\n"))

    assert rows(drawn) == ["plain green"]
    assert styles(drawn) == [["tool_out", Sgr(indexed(2))]]
    assert render_block(Text(" \n")).chunks == []


def test_markdown_is_formatted() -> None:
    drawn = render_block(Markdown("# Title\n\n- *one*\n- `two`\n"))

    assert rows(drawn) == ["# Title", "", "• one", "• two"]
    assert render_block(Markdown(" \n")).chunks == []


def test_code_has_numbers_and_the_colours_of_its_language() -> None:
    drawn = render_block(Code("src/app.py", "def f():\n\treturn 1\n", 99), "src/app.py")

    assert rows(drawn) == ["  99   def f():", " 100       return 1"]
    assert "syntax.keyword" in styles(drawn)[0]
    assert plain(drawn.note) == "99–100"


def test_a_file_is_named_unless_the_row_above_names_it() -> None:
    assert rows(render_block(Code("a.txt", "x"), "other"))[0] == "a.txt"
    assert rows(render_block(Diff("a.txt", "+x"), "a.txt")) == ["+ x"]
    assert rows(render_block(Diff("/home/me/src/a.txt", "+x"), "src/a.txt")) == ["+ x"]
    assert rows(render_block(Diff("a.txt", "+x"), "")) == ["a.txt", "+ x"]


def test_long_code_comes_in_parts_that_go_on_in_the_state_of_the_one_before() -> None:
    text = 'x = """\n' + "def not_code():\n" * 100 + '"""\ndef code(): pass\n'
    drawn = render_block(Code("a.py", text), "a.py")

    assert len(drawn.chunks) == 3
    assert rows(drawn)[-1] == " 103   def code(): pass"
    last = drawn.chunks[-1].rows(60)
    assert "syntax.keyword" in [style for style, _ in last[-1]]
    assert "syntax.keyword" not in [style for style, _ in last[-3]]


def test_a_line_of_code_that_is_cut_has_one_number() -> None:
    drawn = render_block(Code("a.txt", f"one\n{'x' * (2 * SIZE + 1)}\nthree"), "a.txt")
    gutters = [plain(runs)[:4].strip() for chunk in drawn.chunks for runs in chunk.rows(100)]
    numbers = [*filter(None, gutters)]

    assert numbers == ["1", "2", "3"]
    assert sum(row.count("x") for row in rows(drawn, 100)) == 2 * SIZE + 1


def test_a_diff_has_its_signs_styles_and_a_note_of_what_changed() -> None:
    drawn = render_block(Diff("a.py", " kept\n-old\n+new\n+more\n...\n far", [(9, 9), (40, 41)]), "a.py")

    assert rows(drawn) == [
        "   9   kept", "  10 - old", "  10 + new", "  11 + more", "     ⋯", "  41   far",
    ]  # fmt: skip
    assert drawn.note == [("diff.added", "+2"), ("muted", " "), ("diff.removed", "−1")]
    assert render_block(Diff("a.py", "-x"), "a.py").note == [("diff.removed", "−1")]


def test_a_list_of_things_to_do_has_a_mark_for_each_and_a_note_of_how_many_are_done() -> None:
    drawn = render_block(Todos([TodoItem("read", "completed"), TodoItem("write", "in_progress"), TodoItem("x", "?")]))

    assert rows(drawn) == ["✓ read", "▸ write", "○ x"]
    assert plain(drawn.note) == "1 of 3 done"
    assert plain(render_block(Todos()).note) == "empty"


def test_a_long_diff_comes_in_parts_whose_numbers_go_on() -> None:
    diff = "\n".join(["+first", *(f" {number}" for number in range(1, 100)), "-gone", "...", "...", "+last"])
    drawn = render_block(Diff("a", diff, [(1, 1), (0, 0), (700, 1701)]), "a")
    shown = rows(drawn)

    assert shown[:2] == ["   1 + first", "   2   1"]
    assert shown[99:] == [" 100   99", " 100 - gone", "     ⋯", "     ⋯", "1701 + last"]


@given(
    st.lists(st.sampled_from([" kept", "-old", "+new"]), min_size=1, max_size=130),
    st.integers(1, 2000),
    st.integers(1, 2000),
)
def test_numbers_of_a_diff_do_not_depend_on_how_it_is_cut(lines: list[str], old: int, new: int) -> None:
    found = [row.split() for row in rows(render_block(Diff("a", "\n".join(lines), [(old, new)]), "a"))]

    for line, row in zip(lines, found, strict=True):
        assert row[0] == str(old if line[0] == "-" else new)
        old += line[0] != "+"
        new += line[0] != "-"


def test_files_show_their_name_before_their_folder() -> None:
    drawn = render_block(Files(["src/app.py", "src/lib/", "README"]))

    assert rows(drawn) == ["src/app.py", "src/lib/", "README"]
    assert styles(drawn) == [["muted", "text"], ["muted"], ["text"]]
    assert plain(drawn.note) == "3 files"


def test_a_terminal_shows_its_command_unless_it_is_named_above() -> None:
    assert rows(render_block(Terminal("git status", "clean\n"), "git status")) == ["clean"]
    assert rows(render_block(Terminal("a\nb", "out"), "other")) == ["$ a", "  b", "out"]
    assert rows(render_block(Terminal("true", ""), "true")) == []


def test_a_terminal_notes_how_it_ended() -> None:
    assert plain(render_block(Terminal("x", "", 0, 0.3)).note) == "0.3s"
    assert plain(render_block(Terminal("x", "", 0, 0.001)).note) == ""
    assert render_block(Terminal("x", "", 2, 72)).note == [("error", "exit 2"), ("muted", " · 1m 12s")]
    assert render_block(Terminal("x", "", None, 0)).note == [("warning", "stopped")]


def test_an_image_is_told_by_its_type_and_size() -> None:
    data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")

    assert rows(render_block(Image("image/png", b64encode(data).decode(), "a.png"))) == [
        "▨ PNG · 640×480 · 24 B  a.png"
    ]
    assert rows(render_block(Image("image/x", "not base64!"))) == ["▨ X · 0 B"]
    large = b64encode(data + bytes(99_977)).decode()
    assert rows(render_block(Image("image/png", large, ""))) == ["▨ PNG · 640×480 · 100 kB"]


def test_whoever_names_an_image_cannot_fill_the_screen_with_the_name() -> None:
    found = rows(render_block(Image("image/" + "x" * 100_000, "", "y" * 100_000)))
    assert found[0].startswith("▨ " + "X" * (KIND - 1) + "… · 0 B")
    assert sum(map(len, found)) < SOURCE + 2 * KIND


def test_an_unknown_kind_is_its_name() -> None:
    assert rows(render_block(Other())) == ["(hologram)"]


ANY = st.text(st.sampled_from("ab /\t\n\r\x1b[31m-+.日\u0301👩‍💻\u202e"), max_size=120)


@given(ANY, st.integers(1, 24))
def test_no_block_is_wider_than_its_width_or_prints_a_control_character(text: str, width: int) -> None:
    blocks: list[RenderableBlock] = [
        Text(text),
        Markdown(text),
        Code(text, text),
        Diff(text, text, [(1, 1)]),
        Files([text]),
        Terminal(text, text, 1),
        Image(text, text, text),
        Todos([TodoItem(text, "pending"), TodoItem(text, text)]),
    ]
    assert {block.kind for block in blocks} == set(RENDERERS)
    for block in blocks:
        for chunk in render_block(block).chunks:
            for row in chunk.rows(width):
                assert runs_width(row) <= width
                assert "Cc" not in map(category, plain(row))
