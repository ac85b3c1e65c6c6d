"""What vi makes of keys: a text with `|` before the cursor, what is typed in normal mode, and the text afterwards.

The texts afterwards are what Vim 9.0 makes of the same without any settings (`vim -u NONE -N`, with `shiftwidth=4
expandtab`), but for the cursor after `u`, which goes back to where it was.
"""

import re

import pytest

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.vi import vi_mode
from zot_tui.keys.key import RUNE, Key, parse_key

Case = tuple[str, str, str]

MOTIONS: list[Case] = [
    ("one t|wo", "h", "one |two"),
    ("one| two", "3h", "|one two"),
    ("|one", "l", "o|ne"),
    ("on|e", "l", "on|e"),
    ("  on|e", "0", "|  one"),
    ("  on|e", "^", "  |one"),
    ("|one two", "$", "one tw|o"),
    ("o|ne\ntwo\nthree", "2$", "one\ntw|o\nthree"),
    ("|one two.three", "w", "one |two.three"),
    ("|one two.three", "2w", "one two|.three"),
    ("|one two.three", "3w", "one two.|three"),
    ("|one two.three x", "2W", "one two.three |x"),
    ("one tw|o\n\nthree", "w", "one two\n|\nthree"),
    ("one |two", "w", "one tw|o"),
    ("|one two.three", "e", "on|e two.three"),
    ("|one two.three", "2e", "one tw|o.three"),
    ("|one two.three", "3e", "one two|.three"),
    ("|one two.three x", "2E", "one two.thre|e x"),
    ("one two.th|ree", "b", "one two.|three"),
    ("one two.th|ree", "2b", "one two|.three"),
    ("one two.th|ree", "B", "one |two.three"),
    ("|x\n one", "b", "|x\n one"),
    ("one two t|hree", "ge", "one tw|o three"),
    ("one two.x t|hree", "2ge", "one two|.x three"),
    ("one two.x t|hree", "gE", "one two.|x three"),
    ("one t|wo  ", "g_", "one tw|o  "),
    ("one two three|", "5|", "one |two three"),
    ("on|e\ntwo\nthree", "j", "one\ntw|o\nthree"),
    ("on|e\nx\nthree", "jj", "one\nx\nth|ree"),
    ("on|e\nx\nthree", "2j", "one\nx\nth|ree"),
    ("one\ntwo\nth|ree", "k", "one\ntw|o\nthree"),
    ("one\ntwo\nth|ree", "9k", "on|e\ntwo\nthree"),
    ("o|ne\nx\nthree", "$jj", "one\nx\nthre|e"),
    ("one\nt|wo", "2$", "one\nt|wo"),
    ("one\n  two\nth|ree", "gg", "|one\n  two\nthree"),
    ("o|ne\n  two\n  three", "G", "one\n  two\n  |three"),
    ("o|ne\n  two\n  three", "2G", "one\n  |two\n  three"),
    ("o|ne\n  two\n  three", "2gg", "one\n  |two\n  three"),
    ("|one two one", "fo", "one tw|o one"),
    ("|one two one", "2fo", "one two |one"),
    ("|one two one", "to", "one t|wo one"),
    ("|one two one", "fo;", "one two |one"),
    ("|one two one", "to;", "one two| one"),
    ("one two o|ne", "Fo", "one two |one"),
    ("one two o|ne", "To", "one two o|ne"),
    ("one two on|e", "Fo;", "one tw|o one"),
    ("|one two one", "fo;,", "one tw|o one"),
    ("|one", "fx", "|one"),
    ("|a (b [c] d) e", "%", "a (b [c] d|) e"),
    ("a |(b [c] d) e", "%", "a (b [c] d|) e"),
    ("a (b [c|] d) e", "%", "a (b |[c] d) e"),
    ("f|oo(\n  x\n)", "%", "foo(\n  x\n|)"),
    ("|one\ntwo\n\nthree", "}", "one\ntwo\n|\nthree"),
    ("|one\n\ntwo\n\nthree", "2}", "one\n\ntwo\n|\nthree"),
    ("|one\n\ntwo", "}}", "one\n\ntw|o"),
    ("one\n\ntwo\nth|ree", "{", "one\n|\ntwo\nthree"),
    ("|漢字 かな abc", "w", "漢字 |かな abc"),
    ("|漢字 かな abc", "e", "漢|字 かな abc"),
]
OPERATORS: list[Case] = [
    ("one |two three", "dw", "one |three"),
    ("one two |three", "dw", "one two| "),
    ("one tw|o\nthree", "dw", "one t|w\nthree"),
    ("one\n|\n  two", "dw", "one\n  |two"),
    ("|one two three", "d2w", "|three"),
    ("|one two three", "2dw", "|three"),
    ("one t|wo", "db", "one |wo"),
    ("|one two three", "de", "| two three"),
    ("one |two", "d0", "|two"),
    ("one| two", "d$", "on|e"),
    ("one| two", "D", "on|e"),
    ("one\nt|wo", "2D", "one\nt|wo"),
    ("o|ne two\n\nthree", "2D", "|o\nthree"),
    ("one\nt|wo\nthree", "dd", "one\n|three"),
    ("one\ntwo\nth|ree", "dd", "one\n|two"),
    ("o|ne", "dd", "|"),
    ("o|ne\ntwo\nthree", "2dd", "|three"),
    ("o|ne\ntwo\nthree", "dj", "|three"),
    ("one\ntwo\nth|ree", "dk", "|one"),
    ("one\nt|wo\nthree", "dG", "|one"),
    ("one\nt|wo\nthree", "dgg", "|three"),
    ("|one two one", "dfo", "| one"),
    ("|one two one", "dto", "|o one"),
    ("|one two one", "2dto", "|one"),
    ("a |(b (c)) d", "d%", "a | d"),
    ("|one\ntwo\n\nthree", "d}", "|\nthree"),
    ("  o|ne two", "d^", "  |ne two"),
    ("one |two three", "cwX<esc>", "one |X three"),
    ("one |two three", "c2wX<esc>", "one |X"),
    ("one| two", "cwX<esc>", "one|Xtwo"),
    ("one |two three", "ceX<esc>", "one |X three"),
    ("one t|wo", "cbX<esc>", "one |Xwo"),
    ("one t|wo\nthree", "ccX<esc>", "|X\nthree"),
    ("one t|wo\nthree", "SX<esc>", "|X\nthree"),
    ("o|ne two", "CX<esc>", "o|X"),
    ("o|ne", "sX<esc>", "o|Xe"),
    ("o|ne two", "3sX<esc>", "o|Xtwo"),
    ("o|ne\ntwo", "cjX<esc>", "|X"),
    ("one t|wo", "yiwP", "one tw|otwo"),
    ("o|ne\ntwo", "yyp", "one\n|one\ntwo"),
    ("o|ne\ntwo", "yyP", "|one\none\ntwo"),
    ("o|ne\ntwo", "Yjp", "one\ntwo\n|one"),
    ("|one two", "yw$p", "one twoone| "),
    ("one\nt|wo", "ykP", "|one\ntwo\none\ntwo"),
    ("one t|wo", "y0P", "one |tone two"),
    ("o|ne\ntwo", ">>", "    |one\ntwo"),
    ("    o|ne", "<<", "|one"),
    ("  o|ne", "<<", "|one"),
    ("|one\ntwo\nthree", ">j", "    |one\n    two\nthree"),
    ("one t|wo", "g~iw", "one |TWO"),
    ("ONE T|WO", "guiw", "ONE |two"),
    ("one t|wo", "gUU", "|ONE TWO"),
    ("one t|wo", "g~~", "|ONE TWO"),
    (" |  one", "gUU", " |  ONE"),
    ("o|ne two", "gU$", "o|NE TWO"),
]
TEXT_OBJECTS: list[Case] = [
    ("one t|wo three", "diw", "one | three"),
    ("one t|wo three", "daw", "one |three"),
    ("one two th|ree", "daw", "one tw|o"),
    ("one two| three", "diw", "one two|three"),
    ("one two| three", "daw", "one tw|o"),
    ("|one two three", "d2aw", "|three"),
    ("one t|wo.x three", "diW", "one | three"),
    ("one t|wo.x three", "daW", "one |three"),
    ('say "he|llo" now', 'di"', 'say "|" now'),
    ('say "he|llo" now', 'da"', "say |now"),
    ('s|ay "hello" now', 'di"', 'say "|" now'),
    ("it's 'o|ne' x", "da'", "it's |x"),
    ('a "b\\"c|" d', 'di"', 'a "|" d'),
    ("run `l|s` now", "ci`X<esc>", "run `|X` now"),
    ("f(a, |b) c", "di(", "f(|) c"),
    ("f(a, |b) c", "da(", "f| c"),
    ("f(a, (b|)) c", "dib", "f(a, (|)) c"),
    ("f(a, (b|)) c", "2di(", "f(|) c"),
    ("f|(a)", "di(", "f(|)"),
    ("f(|)", "ci(X<esc>", "f(|X)"),
    ("x[a|b]y", "di[", "x[|]y"),
    ("x[a|b]y", "da]", "x|y"),
    ("f {\n  a|\n}", "di{", "f {\n|}"),
    ("f { a| }", "diB", "f {|}"),
    ("fo|o(a)", "ci(X<esc>", "foo(|X)"),
    ("|one\ntwo\n\nthree", "dip", "|\nthree"),
    ("|one\ntwo\n\nthree", "dap", "|three"),
    ("one\n\nth|ree", "dap", "|one"),
    ("one\n\nt|wo\n\nthree", "yipP", "one\n\n|two\ntwo\n\nthree"),
]
CHANGES: list[Case] = [
    ("o|ne", "x", "o|e"),
    ("o|ne", "5x", "|o"),
    ("on|e", "X", "o|e"),
    ("|one", "rX", "|Xne"),
    ("|one", "2rX", "X|Xe"),
    ("|one", "5rX", "|one"),
    ("one| two", "r<enter>", "one\n|two"),
    ("|one", "~", "O|ne"),
    ("|one", "9~", "ON|E"),
    ("|one two", "xp", "n|oe two"),
    ("|one two", "dwwP", "twone| o"),
    ("|ab", "xp", "b|a"),
    ("|ab", "ylp", "a|ab"),
    ("|ab", "yl3p", "aaa|ab"),
    ("one|\ntwo", "J", "one| two"),
    ("on|e\n  two\nthree", "3J", "one two| three"),
    ("f(|\n)", "J", "f(|)"),
    ("|one\n\ntwo", "J", "on|e\ntwo"),
    ("o|ne\n  two\nthree", "gJ", "one|  two\nthree"),
    ("o|ne\n  two\nthree", "3gJ", "one  two|three"),
    ("o|ne", "iX<esc>", "o|Xne"),
    ("o|ne", "aX<esc>", "on|Xe"),
    ("  o|ne", "IX<esc>", "  |Xone"),
    ("|one", "AX<esc>", "one|X"),
    ("o|ne\ntwo", "oX<esc>", "one\n|X\ntwo"),
    ("o|ne\ntwo", "OX<esc>", "|X\none\ntwo"),
    ("o|ne", "3iab<esc>", "oababa|bne"),
    ("o|ne", "2oX<esc>", "one\nX\n|X"),
    ("|one", "RXY<esc>", "X|Ye"),
    ("|one", "RXYZ12<esc>", "XYZ1|2"),
    ("|one", "RXY<backspace><esc>", "|Xne"),
    ("|one", "2Rx<esc>", "x|xe"),
    ("one|", "iX<esc>", "on|Xe"),
]
AGAIN_AND_BACK: list[Case] = [
    ("|one two three", "x..", "| two three"),
    ("|one two three", "dw.", "|three"),
    ("|one two three", "cwX<esc>w.", "X |X three"),
    ("|one two three", "ifoo <esc>w.", "foo foo| one two three"),
    ("|one\ntwo\nthree", "Ax<esc>j.", "onex\ntwo|x\nthree"),
    ("|one\ntwo\nthree", "dd.", "|three"),
    ("|abcdefgh", "2x.", "|efgh"),
    ("|abcdefgh", "x3.", "|efgh"),
    ("|abcdefgh", "x3..", "|h"),
    ("|one two", "3ix<esc>$.", "xxxone twxx|xo"),
    ("o|ne", "ox<esc>.", "one\nx\n|x"),
    ("|one (two) (three)", "f(di(f(f(.", "one () (|)"),
    ("|aaa", "rbl.", "b|ba"),
    ("|aaaa", "~l.", "AaA|a"),
    ("one\n|two\nthree", ">>.", "one\n        |two\nthree"),
    ("|a b c d", "daw..", "|d"),
    ("o|ne", "xu", "o|ne"),
    ("o|ne", "xxuu", "o|ne"),
    ("o|ne", "xxu<ctrl+r>", "|o"),
    ("|one two", "cwabc<esc>u", "|one two"),
    ("o|ne", "ddu", "o|ne"),
    ("|one", "A, two and three<esc>u", "|one"),
    ("o|ne", "xu<ctrl+r>", "o|e"),
    ("|one two three", "dw.u", "|two three"),
    ("|one two three", "dw.2u", "|one two three"),
    ("|abc", "Rxyz<esc>u", "|abc"),
    ("one\ntw|o", "Ju", "one\ntw|o"),
]
VISUAL: list[Case] = [
    ("o|ne two", "vld", "o| two"),
    ("o|ne two", "vex", "o| two"),
    ("one t|wo", "vbd", "one |o"),
    ("o|ne two", "viwcX<esc>", "|X two"),
    ("one t|wo three", "vawd", "one |three"),
    ("one| two three", "vawawd", "on|e"),
    ("o|ne\ntwo\nthree", "Vd", "|two\nthree"),
    ("o|ne\ntwo\nthree", "Vjd", "|three"),
    ("o|ne\ntwo\nthree", "VjcX<esc>", "|X\nthree"),
    ("o|ne two", "vlyP", "on|ene two"),
    ("o|ne\ntwo", "VyP", "|one\none\ntwo"),
    ("o|ne two", "vlrX", "o|XX two"),
    ("o|ne two", "vl~", "o|NE two"),
    ("ON|E", "Vu", "|one"),
    ("one|", "VU", "|ONE"),
    ("o|ne\ntwo", "Vj>", "    |one\n    two"),
    ("o|ne\ntwo", "VjJ", "one| two"),
    ("one t|wo", "yiw0viwp", "tw|o two"),
    ("o|ne two", "vlohd", "| two"),
    ("o|ne two", "vl<esc>x", "on| two"),
    ("|a (b c) d", "f(v%d", "a | d"),
    ("|abcdefgh", "vld.", "|efgh"),
    ("|a\nb\nc\nd", "Vjd.", "|"),
    ("o|ne", "vX", "|"),
    ("o|ne\ntwo", "vD", "|two"),
    ('x "a|b" y', 'vi"d', 'x "|" y'),
    ("one t|wo", "viwovd", "one |two"),
    ("|one", "vlAX<esc>", "on|Xe"),
    ("on|e\ntwo", "vjd", "o|n"),
    ("|a b", "vwvx", "a| "),
    ("|one\n\ntwo", "V}d", "|two"),
    ("|one\n", "Vjd", "|"),
    ("o|ne\n", "vGd", "|o"),
    ("one\n|", "Vgg>", "    |one\n"),
    ("|one\ntwo\n", "vGJ", "one tw|o"),
    ("o|ne\ntwo", "v$d", "o|two"),
    ("o|ne two\nthree\nx", "v$jd", "o|x"),
    ("a|b\ncd\nef", "v$dj0.", "acd\n|"),
    ("o|ne two", "Viwd", "| two"),
    ("o|ne", "V3>", "            |one"),
    ("            o|ne", "V2<", "    |one"),
    ("one t|wo", "yiw0viw3p", "twotwotw|o two"),
    ("o|ne\ntwo", "yyjV2p", "one\n|one\none"),
    ("one t|wo\nx", "yiwVp", "|two\nx"),
    ("o|ne\n  two", "VjgJ", "one|  two"),
]


def typed(before: str, keys: str) -> str:
    """The text with its cursor after `keys` were typed where `before` has it."""
    buffer = Buffer(before.replace("|", ""))
    mode = vi_mode(buffer)
    mode.escape()
    buffer.move(before.index("|"))
    mode.settle()
    for name, char in re.findall(r"<([a-z+]{3,})>|(.)", keys):
        key = parse_key(name) if name else Key(RUNE, (), char)
        if name == "esc":
            mode.escape()
        elif name == "enter":
            mode.enter()
        elif not mode.press(key):  # what an editor does
            if name == "backspace":
                buffer.backspace()
            else:
                buffer.insert(char)
        mode.settle()
    return f"{buffer.text[: buffer.cursor]}|{buffer.text[buffer.cursor :]}"


@pytest.mark.parametrize(("before", "keys", "after"), MOTIONS)
def test_a_motion_leads_where_vi_has_it(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after


@pytest.mark.parametrize(("before", "keys", "after"), OPERATORS)
def test_an_operator_takes_what_its_motion_passes(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after


@pytest.mark.parametrize(("before", "keys", "after"), TEXT_OBJECTS)
def test_a_text_object_is_what_vi_takes_for_it(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after


@pytest.mark.parametrize(("before", "keys", "after"), CHANGES)
def test_a_change_is_done_as_vi_does_it(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after


@pytest.mark.parametrize(("before", "keys", "after"), AGAIN_AND_BACK)
def test_changes_are_done_again_and_taken_back(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after


@pytest.mark.parametrize(("before", "keys", "after"), VISUAL)
def test_what_is_selected_is_changed(before: str, keys: str, after: str) -> None:
    assert typed(before, keys) == after
