import os

import pytest

from zot_agent.standard_input import read_stdin
from zot_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("data", "text", "error"),
    [
        (b"\xef\xbb\xbfhello\n", "hello\n", ""),
        (b"caf\xe9", "caf\ufffd", "zot: standard input contains bytes that are not UTF-8; they were replaced\n"),
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
