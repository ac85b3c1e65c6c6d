from zot_core.tools.text.ends import Ends, left_out
from zot_core.tools.text.truncate import TextLimits


def test_how_much_is_left_out_is_read_from_the_line_in_its_place() -> None:
    ends = Ends(TextLimits(lines=10, bytes=1000), fold_like=False)
    ends.feed(b"".join(b"%d\n" % number for number in range(2000)))
    text = ends.shown().data.decode()
    assert left_out(text) == 2000 - (text.count("\n") - 1)
    assert left_out("1\n2\n") == 0
