import os

import pytest

from zot_agent.standard_input import read_stdin
from zot_core.tools.text.encoding import BROKEN_UTF_8
from zot_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("data", "text", "error"),
    [
        (b"\xef\xbb\xbfhello\n", "hello\n", ""),
        (b"caf\xe9", "café", "zot: standard input is not UTF-8; guessed: windows-1252\n"),
        ("größer\r\n".encode("utf-16"), "größer\r\n", "zot: standard input is in UTF-16 (little-endian), not UTF-8\n"),
        ("é\x00\x1b[1mb".encode() + b"\xff", "é\u2400b\ufffd", f"zot: {BROKEN_UTF_8.about('standard input')}\n"),
        (b"a\0b", "a\u2400b", ""),
        (b"", "", ""),
    ],
)
def test_piped_text_is_read_to_its_end(
    data: bytes, text: str, error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert read_stdin(has_prompt=True, wait=None) == text
    assert capsys.readouterr().err == error


def test_too_much_piped_text_is_refused_without_reading_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero", encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(ConfigError, match=r"^standard input is larger than 8\.4 MB; "):
            read_stdin(has_prompt=True, wait=None)
