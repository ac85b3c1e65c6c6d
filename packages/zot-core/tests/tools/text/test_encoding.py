"""`encoding`: any bytes come back unchanged, and the usual encodings are told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.text.edit_text import EditError, TextReplacement, edit_bytes
from zot_core.tools.text.encoding import BROKEN_UTF_8, TextEncoding, decode, encode, guess, shown, utf_16

CODECS = [
    *("utf-8", "latin-1", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254"),
    *("cp932", "cp949", "cp950", "euc_jp", "gb18030", "koi8-r"),
]

SAMPLES = [
    ("cp1252", "prix: café naïve déjà vu\n"),
    ("cp1252", "# Größe der Datei\nx = 1\n"),
    ("cp1252", "año señor\n"),
    ("cp1250", "příliš žluťoučký kůň\n"),
    ("cp1251", "# Проверка значения\nx=1\n"),
    ("koi8-r", "// ошибка в строке\n"),
    ("cp932", "# 日本語のコメント\nx=1\n"),
    ("euc_jp", "こんにちは世界\n"),
    ("gb18030", "# 中文注释\nx=1\n"),
    ("cp950", "錯誤處理函式\n"),
    ("cp949", "# 한국어 주석\nx=1\n"),
    ("cp1253", "# Ελληνικά σχόλια\n"),
]


@given(content=st.binary(), codec=st.sampled_from(CODECS))
def test_any_bytes_come_back_unchanged_from_any_encoding(content: bytes, codec: str) -> None:
    assert encode(decode(content, codec), codec) == content


@given(text=st.text(), codec=st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_text_in_utf_16_comes_back_unchanged(text: str, codec: str) -> None:
    content = text.encode(codec, "replace")
    assert encode(decode(content, codec), codec) == content


@given(
    codec=st.sampled_from(CODECS),
    before=st.lists(st.binary(max_size=20), max_size=4),
    after=st.lists(st.binary(max_size=20), max_size=4),
    new=st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=9),
)
def test_bytes_outside_of_an_edit_stay_whatever_encoding_was_guessed(
    codec: str, before: list[bytes], after: list[bytes], new: str
) -> None:
    first, last = b"\n".join([*before, b""]), b"\n".join([b"", *after])
    try:
        made, _ = edit_bytes(first + b"<the-only-one>" + last, [TextReplacement("<the-only-one>", new)], codec)
    except EditError:  # the bytes around it have it too
        return
    assert made == first + new.encode() + last


@pytest.mark.parametrize(("codec", "text"), SAMPLES)
def test_a_short_text_in_a_usual_encoding_is_recognised_as_a_guess(codec: str, text: str) -> None:
    found = guess(text.encode(codec), "")
    assert found == TextEncoding(codec, sure=False)
    assert decode(text.encode(codec), found.codec) == text


def test_the_locale_decides_where_it_fits() -> None:
    text = "Größe"
    assert guess(text.encode("latin-1"), "iso8859-15") == TextEncoding("iso8859-15", sure=False)
    assert guess("# 中文注释\n".encode("gbk"), "gb18030") == TextEncoding("gb18030", sure=False)


def test_a_text_in_utf_8_with_a_few_wrong_bytes_is_utf_8() -> None:
    content = "é" * 100
    assert guess(content.encode() + b"\xff", "iso8859-1") == BROKEN_UTF_8
    assert shown(decode(content.encode() + b"\xff", "utf-8")) == f"{content}\ufffd"


@given(st.binary(max_size=300))
def test_a_guess_never_fails(content: bytes) -> None:
    decode(content, guess(content, "").codec)


@pytest.mark.parametrize(
    ("start", "codec"),
    [
        ("hello there".encode("utf-16-le"), "utf-16-le"),
        ("hello there".encode("utf-16-be"), "utf-16-be"),
        ("日本".encode("utf-16"), "utf-16-le"),
        ("日本\n".encode("utf-32"), ""),
        (b"\x7fELF\x02\x01\x01" + bytes(9), ""),
        (bytes(64), ""),
        (b"a\0", ""),
    ],
)
def test_utf_16_is_told_from_what_is_no_text(start: bytes, codec: str) -> None:
    assert utf_16(start) == codec
