from zot_core.tools.text.ends import Ends, left_out
from zot_core.tools.text.truncate import TextLimits


def test_how_much_is_left_out_is_read_from_the_line_in_its_place() -> None:
    ends = Ends(TextLimits(lines=10, bytes=1000), lambda: False)
    ends.feed(b"".join(b"%d\n" % number for number in range(2000)))
    text = ends.shown().data.decode()
    assert text.count("\n") + left_out(text) == 2000
    assert left_out("1\n2\n") == 0


def test_an_output_has_as_many_lines_as_are_shown_and_left_out_however_it_is_folded() -> None:
    ends = Ends(TextLimits(lines=40, bytes=4000), lambda: True)
    lines = [*["same"] * 500, *(f"test {n} passed" for n in range(300)), *(f"{n}" for n in range(200))]
    ends.feed("".join(f"{line}\n" for line in lines).encode())
    text = ends.shown().data.decode()
    assert text.count("... [") >= 2
    assert text.count("\n") + left_out(text) == 1000
