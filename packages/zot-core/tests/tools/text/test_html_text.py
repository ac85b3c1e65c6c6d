"""Pages of HTML as Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.text.html_text import decoded, to_markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>a</h1><h3>b <b>c</b></h3>", "# a\n\n### b **c**"),
        ("<p>a\n b<p>c<br>d", "a b\n\nc d"),
        ("<ul><li>a<ul><li><p>b</p><p>c</p></ul><li>d</ul>", "- a\n  - b\n\n    c\n- d"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n\n> b\n\nc"),
        ("<pre><code>if a:\n    b &lt; 1\n</code></pre>", "```\nif a:\n    b < 1\n```"),
        ("<p>x <code>a  b</code> <em>c</em><b></b>", "x `a b` *c*"),
        ("<a href='/b?c#d'>a</a> <a href='#x'>in</a> <a>n</a>", "[a](https://h.test/b?c#d) in n"),
        ("<a href='http://[x'>a</a>", "[a](http://[x)"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2|<p>3</table>", "| a | b |\n| --- | --- |\n| 1 | 2\\| 3 |"),
        ("<table><tr><td>1<td><pre>a\n  b</pre></table>c", "| 1 |\n| --- |\n\n```\na\n  b\n```\n\nc"),
        ("a<table><tr><td><table><tr><td>b</table></table>", "a\n\n| b |\n| --- |"),
        ("<head><title>T &amp; t</title><style>x{}</style></head><p>a", "# T & t\n\na"),
        ("<title>T</title><h1>T</h1>", "# T"),
        ("<script>a<b</script><svg><title>t</title></svg><!-- c --><img alt='x y'>z", "[image: x y]z"),
        ("a<hr>b</div></li></ul></td>", "a\n\n---\n\nb"),
        ("", ""),
        ("<<<&amp;&nope;", "<<<&&nope;"),
    ],
)
def test_a_page_reads_as_it_looks(html: str, text: str) -> None:
    assert to_markdown(html, "https://h.test/dir/page").strip() == text


@pytest.mark.parametrize("tag", ["div", "b", "ul", "li", "blockquote", "table", "pre", "a href=x", "svg"])
def test_a_deep_page_is_converted(tag: str) -> None:
    assert len(to_markdown(f"<{tag}>x" * 5000)) < 1_000_000


_TAGS = st.sampled_from(["p", "li", "ol", "tr", "td", "table", "pre", "a", "b", "h1", "title", "svg", "blockquote"])
_PARTS = st.one_of(
    st.text(max_size=5), _TAGS.map("<{}>".format), _TAGS.map("</{}>".format), st.sampled_from(["<", "<!", "&#"])
)


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_no_page_is_an_error(html: str) -> None:
    assert isinstance(to_markdown(html, "http://h.test"), str)


@given(
    st.binary(max_size=50), st.sampled_from(["", "utf-8", "utf-16", "latin-1", "idna", "hex", "utf-7", "\0", "x" * 99])
)
def test_all_bytes_are_text_in_every_charset(data: bytes, charset: str) -> None:
    assert isinstance(decoded(data, charset), str)
