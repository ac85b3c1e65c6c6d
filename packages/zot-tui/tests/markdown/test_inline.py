import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zot_tui.markdown.inline import HEAD, _runs, inline

SIGNS = [
    *("*", "**", "_", "__", "~~", "`", "``", "[", "]", "(", ")", "](/u)", "[a](b c)", "<", "<b", "</b>", ">", "&amp;"),
    *("&", "&#95;", "\\_", "\\*", "\\`", "!", "![", " ", " ", "  ", "\n", "  \n", "\\\n", "word", "x_y", "<!--"),
    *("-->", "<br>", "[a]: /b", "*a*", "**b c**", "`d e`", "\u0301", "\u00a0", "***", "long words " * (HEAD // 8)),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", [("text", "plain")]),
        ("", []),
        ("a **b** *c* ~~d~~", [
            ("text", "a "), ("markdown.strong", "b"), ("text", " "), ("markdown.emphasis", "c"), ("text", " "),
            ("markdown.strike", "d"),
        ]),
        ("***both***", [("markdown.strong", "both")]),
        ("`a*b*`", [("markdown.code", "a*b*")]),
        ("[a **b**](http://x)", [("markdown.link", "a b"), ("markdown.url", " (http://x)")]),
        ("<http://x>", [("markdown.link", "http://x")]),
        ("<a@b.c>", [("markdown.link", "a@b.c")]),
        ("![cat](c.png)", [("markdown.link", "cat"), ("markdown.url", " (c.png)")]),
        ("one\ntwo", [("text", "one two")]),
        ("one  \ntwo\\\nthree<br>four", [("text", "one\ntwo\nthree\nfour")]),
        ("a <b>c</b>", [("text", "a <b>c</b>")]),
        ("&lt;&copy;", [("text", "<©")]),
        ("snake_case_name and 2*3*4", [("text", "snake_case_name and 2"), ("markdown.emphasis", "3"), ("text", "4")]),
        ("[a]: http://x\n[b]: http://y", [("text", "[a]: http://x\n[b]: http://y")]),
        ("[run](javascript:x)", [("text", "[run](javascript:x)")]),
    ],
)  # fmt: skip
def test_text_becomes_runs(text: str, expected: list[tuple[str, str]]) -> None:
    assert inline(text) == expected


def test_a_link_shows_where_it_leads_even_if_its_text_says_otherwise() -> None:
    assert inline("[http://good](http://bad)") == [("markdown.link", "http://good"), ("markdown.url", " (http://bad)")]


def test_a_mark_behind_the_sign_of_emphasis_does_not_join_what_is_before() -> None:
    assert inline("a **\u0301b** c") == [("text", "a "), ("markdown.strong", "◌\u0301b"), ("text", " c")]


@settings(max_examples=4 * settings.default.max_examples)
@given(st.lists(st.sampled_from(SIGNS), max_size=40).map("".join))
@example("word ![a `b ](/u) " + "word " * HEAD + "`")
@example("word [(`" + "word " * HEAD + " ]`")
@example("word\n\u0301word")
@example("word [a](/u " + "word " * HEAD + "\n'b')")
def test_a_long_text_that_is_parsed_in_parts_has_the_runs_of_the_whole(text: str) -> None:
    assert inline(text) == _runs(text, "text")[0]


def test_emphasis_that_ends_far_from_where_it_begins_is_found() -> None:
    words = "word " * HEAD
    assert inline(f"**a {words}b** c") == [("markdown.strong", f"a {words}b"), ("text", " c")]
