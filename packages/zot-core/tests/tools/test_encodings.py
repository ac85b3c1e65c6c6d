"""The tools for files with text that is not UTF-8, and with names that are not."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zot_core.errors import ToolError
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.edit import edit
from zot_core.tools.find import find
from zot_core.tools.grep import grep
from zot_core.tools.read import read
from zot_core.tools.write import write

PRICES = "prix: café naïve déjà vu\nprochain\n"
TEXTS = {"cp1252": PRICES, "cp932": "# 日本語のコメント\nx = 1\n", "gb18030": "# 中文注释\nx = 1\n"}
TEXTS |= {"koi8-r": "# Проверка значения\nx = 1\n", "cp949": "# 한국어 주석\nx = 1\n", "utf-16": "# 日本語\nx = 1\n"}


async def editing(context: ToolContext, path: str, old: str, new: str) -> str:
    """The diff of an edit, and what the model reads about it."""
    done = await edit.run({"path": path, "edits": [{"oldText": old, "newText": new}]}, context)
    return f"{done.details['diff']}\n{done.text}"


@pytest.mark.parametrize(("codec", "text"), TEXTS.items())
async def test_what_read_shows_can_be_edited_and_written_and_the_encoding_stays(
    tmp_path: Path, context: ToolContext, codec: str, text: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(text.encode(codec))
    shown = (await read.run({"path": "x"}, context)).text
    assert shown.startswith(text)
    assert "not UTF-8" in shown
    first, second = text.splitlines()
    assert "not UTF-8" in await editing(context, "x", first, f"{first} {first[2:]}")
    assert path.read_bytes() == f"{first} {first[2:]}\n{second}\n".encode(codec)
    assert "not UTF-8" in (await write.run({"path": "x", "content": text}, context)).text
    assert path.read_bytes() == text.encode(codec)


CODECS = ["utf-8", "latin-1", "cp1250", "cp1251", "cp1252", "cp932", "cp949", "cp950", "euc_jp", "gb18030", "koi8-r"]
CODECS += ["utf-8-sig", "utf-16"]
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Co", "Cn"], exclude_characters="\ufeff"), max_size=30)


async def edited(context: ToolContext, old: str, new: str) -> tuple[str, str]:
    """The result of an edit of the file `x`, or why it was refused."""
    try:
        return await editing(context, "x", old, new), ""
    except ToolError as error:
        return "", str(error)


def is_utf_8(content: bytes) -> bool:
    return content == content.decode("utf-8", "ignore").encode()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    codec=st.sampled_from(CODECS),
    before=st.lists(LINES, max_size=5),
    new=LINES,
    after=st.lists(LINES, max_size=5),
    charset=st.booleans(),
)
async def test_an_edit_keeps_every_other_byte_and_its_text_is_right_unless_it_says_that_it_guessed(
    tmp_path: Path, context: ToolContext, codec: str, before: list[str], new: str, after: list[str], *, charset: bool
) -> None:
    def held(text: str) -> str:
        return text.encode(codec, "ignore").decode(codec)

    first, last = held("".join(f"{line}\n" for line in before)), held("".join(f"\n{line}" for line in after))
    old, mark = "<the only one>", "".encode(codec)
    config = "root = true\n[*]\ncharset = latin1\n" if charset and codec == "latin-1" else "root = true\n"
    (tmp_path / ".editorconfig").write_text(config)
    path = tmp_path / "x"
    path.write_bytes(f"{first}{old}{last}".encode(codec))
    result, refused = await edited(context, old, new)
    if refused:
        assert re.search("has no |must have as many|looks binary", refused)
        assert path.read_bytes() == f"{first}{old}{last}".encode(codec)
        return
    head, tail = first.encode(codec) or mark, last.encode(codec).removeprefix(mark)
    made = path.read_bytes()
    assert made.startswith(head)
    assert made.endswith(tail)
    unsure = "guessed" in result or "not UTF-8, shown" in result
    could_be_utf_8 = is_utf_8(head) and is_utf_8(tail)
    named = charset and codec == "latin-1" and (f"{first}{last}".isascii() or not could_be_utf_8)
    if named or codec.startswith("utf"):
        assert not unsure
        assert made == f"{first}{new}{last}".encode(codec)
    else:
        assert unsure or could_be_utf_8


async def test_a_character_that_the_encoding_lacks_is_refused_and_nothing_is_written(
    tmp_path: Path, context: ToolContext
) -> None:
    (tmp_path / "x").write_bytes(PRICES.encode("cp1252"))
    refused = r"windows-1252, the encoding of the file, has no '日' \(line 2\); use other characters, or convert"
    with pytest.raises(ToolError, match=refused):
        await editing(context, "x", "prochain", "日本")
    with pytest.raises(ToolError, match=refused):
        await write.run({"path": "x", "content": "a\n日本"}, context)
    assert (tmp_path / "x").read_bytes() == PRICES.encode("cp1252")


async def test_a_mark_before_utf8_is_said_and_stays_when_the_file_is_written(
    tmp_path: Path, context: ToolContext
) -> None:
    note = "[note: the file begins with a byte order mark]"
    for old in ("old\n", ""):
        (tmp_path / "x").write_bytes(f"\ufeff{old}".encode())
        assert (await read.run({"path": "x"}, context)).text.endswith(note)
        result = await read.run({"path": "x"}, context)
        assert result.text.startswith(old)
        assert result.seen is not None
        context.seen_files.take(result.seen)  # the model has read it
        for new in ("é\n", "\ufeffé\n"):
            assert (await write.run({"path": "x", "content": new}, context)).text.endswith(note)
            assert (tmp_path / "x").read_bytes() == "\ufeffé\n".encode()


async def test_a_character_that_iso_2022_jp_would_take_for_another_one_is_refused(
    tmp_path: Path, context: ToolContext
) -> None:
    content = "日本\nend\n".encode("iso2022_jp")
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ToolError, match="x is in ISO-2022-JP; convert it to UTF-8 first"):
        await editing(context, "x", "end", "終")
    await editing(context, "x", "end", "ende")
    assert (tmp_path / "x").read_bytes() == content.replace(b"end", b"ende")


async def test_bytes_that_are_no_text_stay_in_the_lines_that_are_copied_from_read(
    tmp_path: Path, context: ToolContext
) -> None:
    path = tmp_path / "x"
    path.write_bytes("é é é\n".encode() + b"bad \xff byte\nend\n")
    shown = (await read.run({"path": "x"}, context)).text
    assert shown.startswith(
        "é é é\nbad \ufffd byte\nend\n\n[note: the file has bytes that are not UTF-8, shown as \ufffd; "
    )
    await editing(context, "x", "bad \ufffd byte\nend", "one bad \ufffd byte\nthe end")
    assert path.read_bytes() == "é é é\n".encode() + b"one bad \xff byte\nthe end\n"
    await write.run({"path": "x", "content": "é\n\ufffd\n"}, context)
    assert path.read_bytes() == "é\n".encode() + b"\xff\n"
    with pytest.raises(ToolError, match=r"newText must have as many . \(U\+FFFD\) as oldText"):
        await editing(context, "x", "\ufffd\n", "\ufffd\ufffd!\n")
    with pytest.raises(ToolError, match=r"x has 1 bytes that are no text, .* 2 times: use `edit`"):
        await write.run({"path": "x", "content": "\ufffd\ufffd"}, context)
    assert path.read_bytes() == "é\n".encode() + b"\xff\n"


async def test_control_characters_are_shown_as_symbols_and_stay_what_they_are(
    tmp_path: Path, context: ToolContext
) -> None:
    path = tmp_path / "late.log"
    path.write_bytes(b"ok\n" * 4000 + b"ERR \x00 \x1b[31mred\x1b[0m\n")
    assert (await read.run({"path": "late.log", "offset": 4001}, context)).text == (
        "ERR \u2400 \u241b[31mred\u241b[0m\n[line 4001 of 4001]\n"
    )
    assert (await grep.run({"pattern": "ERR"}, context)).text == "late.log:4001: ERR \u2400 \u241b[31mred\u241b[0m"
    await editing(context, "late.log", "ERR \u2400 \u241b[31mred", "ERROR \u2400! \u241b[31mRED")
    assert path.read_bytes().endswith(b"\nERROR \x00! \x1b[31mRED\x1b[0m\n")


async def test_editorconfig_says_the_encoding(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / ".editorconfig").write_text("root = true\n[*.{txt,md}]\ncharset = latin1\n[*.md]\ncharset = utf-8\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_bytes(b"\xcf\xf0\xe8\xe2\xe5\xf2\n")  # Cyrillic, if it were guessed
    assert "ISO-8859-1, not UTF-8" in (await read.run({"path": "sub/a.txt"}, context)).text
    await write.run({"path": "sub/new.txt", "content": "é"}, context)
    await write.run({"path": "sub/new.md", "content": "é"}, context)
    assert (tmp_path / "sub/new.txt").read_bytes() == b"\xe9"
    assert (tmp_path / "sub/new.md").read_bytes() == "é".encode()
    (tmp_path / ".editorconfig").write_text("root = true\n[*.txt]\ncharset = windows-1251\n")
    shown = (await read.run({"path": "sub/a.txt"}, context)).text
    assert shown == "Привет\n\n[note: the file is in windows-1251, not UTF-8]"
    (tmp_path / ".editorconfig").write_text("root = true\n[*.txt]\ncharset = no-such-thing\n")
    assert "guessed: windows-1251" in (await read.run({"path": "sub/a.txt"}, context)).text


@pytest.mark.parametrize(
    ("charset", "codec"), [("utf-16le", "utf-16-le"), ("utf-16be", "utf-16-be"), ("utf-8-bom", "utf-8")]
)
@pytest.mark.parametrize("text", ["plain\n", "日本語\n"])
async def test_a_new_file_has_the_mark_that_editorconfig_asks_for_and_is_read_again(
    tmp_path: Path, context: ToolContext, charset: str, codec: str, text: str
) -> None:
    (tmp_path / ".editorconfig").write_text(f"root = true\n[*.txt]\ncharset = {charset}\n")
    made = await write.run({"path": "new.txt", "content": text}, context)
    assert made.details["content"] == text
    assert (tmp_path / "new.txt").read_bytes() == f"\ufeff{text}".encode(codec)
    again = (await read.run({"path": "new.txt"}, context)).text
    assert again.removeprefix("\ufeff").startswith(text)
    await write.run({"path": "new.txt", "content": again.partition("\n")[0] + "\nmore\n"}, context)
    assert (tmp_path / "new.txt").read_bytes() == f"\ufeff{text}more\n".encode(codec)


@pytest.mark.parametrize("codec", ["cp1252", "utf-16", "utf-8"])
async def test_grep_finds_words_in_any_encoding_and_shows_them_as_read_does(
    tmp_path: Path, context: ToolContext, codec: str
) -> None:
    (tmp_path / "a.txt").write_text("plain café\n")
    (tmp_path / "b.txt").write_bytes(PRICES.encode(codec))
    (tmp_path / "c.txt").write_text("last café\n")
    found = (await grep.run({"pattern": "café"}, context)).text.splitlines()
    assert found == ["a.txt:1: plain café", "b.txt:1: prix: café naïve déjà vu", "c.txt:1: last café"]
    assert (await grep.run({"pattern": "prix"}, context)).text == "b.txt:1: prix: café naïve déjà vu"


async def test_a_file_whose_name_is_not_utf8_is_named_as_it_is_shown(tmp_path: Path, context: ToolContext) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    Path(os.fsdecode(os.path.join(folder, b"lat\xe9.txt"))).write_text("hello\n")
    assert (await read.run({"path": "caf\ufffd/lat\ufffd.txt"}, context)).text == "hello\n"
    shown = "caf\ufffd/lat\ufffd.txt"
    assert (await find.run({"pattern": "lat\ufffd.txt"}, context)).text == shown
    assert (await grep.run({"pattern": "hello", "glob": "lat\ufffd.*"}, context)).text == f"{shown}:1: hello"
    assert "+hullo" in await editing(context, shown, "hello", "hullo")
    await write.run({"path": shown, "content": "hello\n"}, context)
    assert sorted(os.listdir(folder)) == [b"lat\xe9.txt"]
    Path(os.fsdecode(os.path.join(folder, b"lat\xe8.txt"))).write_text("other\n")
    with pytest.raises(ToolError, match="no such file"):
        await read.run({"path": "caf\ufffd/lat\ufffd.txt"}, context)


async def test_a_change_in_a_long_line_is_shown_with_what_is_around_it(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "min.js").write_text("".join(f"k{number}=1;" for number in range(60_000)))
    shown = await editing(context, "min.js", "k30000=1", "K30000=1")
    assert len(shown) < 6000
    assert "k29999=1;k30000=1;k30001=1" in shown
    assert "k29999=1;K30000=1;k30001=1" in shown
    assert "[" in shown.splitlines()[0]


async def test_results_of_edit_and_write_are_limited(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("old\n")
    many = "line\n" * 100_000
    shown = await editing(context, "x", "old\n", many)
    assert len(shown) < 51 * 1024
    assert "... [truncated at 2000 lines]\nchanged x\n" in shown
    written = (await write.run({"path": "y", "content": many}, context)).details["content"]
    assert len(written) < 51 * 1024
    assert written.endswith("... [truncated at 2000 lines]\n")
    assert (tmp_path / "x").read_text() == (tmp_path / "y").read_text() == many
