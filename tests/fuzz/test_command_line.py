"""Arguments of `zot`, and URLs in them."""

import functools

from hostile import few, outcome, texts
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.cli.args import build_parser, parse
from zot_provider.client.endpoint import endpoint
from zot_provider.errors import ConfigError, ZotError
from zot_provider.transport.url import location, parse_url
from zot_provider.wire import WIRES, load_wire

FLAGS = sorted({name for action in build_parser()._actions for name in action.option_strings} - {"-h", "--help"})
words = st.one_of(
    st.sampled_from(FLAGS),
    texts.map(lambda text: text.replace("\0", "")),
    st.builds("{}={}".format, st.sampled_from(FLAGS), texts.map(lambda text: text.replace("\0", ""))),
    st.sampled_from(["--", "-", "@", "@a.txt", "-pc", "rpc", "ext", "1", "0", "-1", "http://h", "{}", "off", "high"]),
)


@few
@given(st.lists(words, max_size=8))
def test_arguments_are_parsed_or_refused_in_one_line(argv: list[str]) -> None:
    line = outcome(lambda: parse(argv, key_on_stdin=False), ZotError)
    assert line is None or line.prompt.encode() is not None


URL_PARTS = [
    *("http", "https", "ftp", ":", "//", "/", "@", "[", "]", "?", "#", "%", "%41", "a=b", "v1", "\\", ".", "..", " "),
    *("::1", "127.0.0.1", "h", "é", "h.example", "xn--", "ß", "\u3002", "\u2100", "fe80::1%25eth0", "x" * 64),
    *(":80", ":99999", ":-1", ":0", "user:secret@"),
]
urls = st.builds(
    "{}{}".format, st.sampled_from(["http://", "https://", "", "HTTP://"]),
    st.lists(st.sampled_from(URL_PARTS) | texts, max_size=8).map("".join),
)  # fmt: skip


@few
@given(urls)
def test_a_url_is_parsed_or_refused_in_one_line_and_a_request_can_be_made_of_it(url: str) -> None:
    for wire in WIRES:
        whole = endpoint(url, load_wire(wire))
        parsed = outcome(functools.partial(parse_url, whole), ConfigError)
        if parsed is None:
            continue
        for text in (parsed.host, parsed.authority, parsed.target, parsed.authorization):
            assert text.isascii()
            assert not set(text) & set("\r\n\0")
        assert " " not in parsed.target
        assert 0 < parsed.port < 65536
        assert "secret@" in parsed.target or "secret@" not in location(whole)  # behind a slash it is no password
