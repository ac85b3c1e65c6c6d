import asyncio
import base64
import os
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zot_core.display import CodeDisplay, ImageDisplay
from zot_core.errors import ToolError
from zot_core.images import LARGEST
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.read import read
from zot_provider.messages import ImageBlock

PNG = b"\x89PNG\r\n\x1a\nrest"


def reading(content: bytes | str, path: str = "x.txt", **arguments: object) -> ToolResult:
    context = ToolContext("/proj", MemoryFiles({f"/proj/{path}": content}), FakeShell())
    return asyncio.run(read.run({"path": path, **arguments}, context))


def refusal(content: bytes | str, path: str = "x.txt", **arguments: object) -> str:
    with pytest.raises(ToolError) as caught:
        reading(content, path, **arguments)
    return str(caught.value)


def details(start: int, total: int, *, lines: bool = False, bytes_: bool = False) -> dict[str, object]:
    return {
        "path": "/proj/x.txt",
        "start_line": start,
        "lines_truncated": lines,
        "bytes_truncated": bytes_,
        "total_lines": total,
    }


def test_a_file_is_read_as_it_is() -> None:
    result = reading("a\n\tb\r\nc\n")
    assert result.text == "a\n\tb\r\nc\n"
    assert result.details == details(1, 3)
    assert result.display == [CodeDisplay("x.txt", "a\n\tb\r\nc\n", 1)]


def test_a_last_line_without_break_gets_one() -> None:
    assert reading("a\nb").text == "a\nb\n"


def test_an_empty_file_says_so() -> None:
    result = reading("")
    assert result.text == "... [the file is empty]\n"
    assert result.details == details(1, 0)


def test_offset_and_limit_choose_lines_and_are_no_truncation() -> None:
    result = reading("1\n2\n3\n4\n", offset=2, limit="2")
    assert result.text == "2\n3\n[lines 2 to 3 of 4]\n"
    assert result.details == details(2, 4)
    assert result.display == [CodeDisplay("x.txt", "2\n3\n", 2)]


def test_more_than_2000_lines_are_truncated_with_the_true_total() -> None:
    result = reading("x\n" * 5000, limit=4000)
    assert result.text == "x\n" * 2000 + (
        "[lines 1 to 2000 of 5000, truncated at 2000 lines; continue with offset 2001]\n"
    )
    assert result.details == details(1, 5000, lines=True)


def test_the_byte_limit_is_of_the_window_and_at_a_whole_line() -> None:
    row = "x" * 1023 + "\n"
    result = reading(row * 300, offset=101)
    assert result.text == row * 50 + ("[lines 101 to 150 of 300, truncated at 51200 bytes; continue with offset 151]\n")
    assert result.details == details(101, 300, bytes_=True)
    assert reading(row * 300, offset=251).text == row * 50 + "[lines 251 to 300 of 300]\n"


def test_a_line_longer_than_the_limit_is_read_in_pieces() -> None:
    content = "first\n" + "é" * 60_000 + "\nnext\n"
    result = reading(content, offset=2)
    assert result.text == "é" * 25_600 + (
        "\n[characters 1 to 25600 of 60000 in line 2 of 3, truncated at 51200 bytes; "
        "continue with offset 2 and from_character 25601]\n"
    )
    assert result.details["total_lines"] == 3
    end = reading(content, offset=2, from_character=59_999)
    assert end.text == "éé\nnext\n[lines 2 to 3 of 3 from character 59999]\n"
    assert reading("abc", from_character=3).text == "c\n[line 1 of 1 from character 3]\n"
    assert refusal(content, offset=2, from_character=60_001) == (
        "from_character 60001 is past the end: line 2 of x.txt has 60000 characters"
    )


class InPieces(MemoryFiles):
    """Files that arrive in pieces of some bytes."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__({"/proj/x.txt": content})
        self._size = size

    async def chunks(self, path: str) -> AsyncIterator[bytes]:
        content = await self.read(path)
        for at in range(0, len(content), self._size):
            yield content[at : at + self._size]


@given(st.text(st.sampled_from("ab€é\n"), max_size=30), st.integers(1, 4), st.integers(1, 12), st.integers(1, 5))
async def test_any_character_of_any_line_can_be_the_first(text: str, line: int, character: int, size: int) -> None:
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")
    assume(line <= len(lines) and character <= max(len(lines[line - 1]), 1))
    context = ToolContext("/proj", InPieces(text.encode(), size), FakeShell())
    arguments = {"path": "x.txt", "offset": line, "from_character": character}
    found = (await read.run(arguments, context)).display[0]
    assert isinstance(found, CodeDisplay)
    assert found.text == "".join(f"{each}\n" for each in [lines[line - 1][character - 1 :], *lines[line:]] if text)


@pytest.mark.parametrize(("offset", "content"), [(4, "1\n2\n3\n"), (2, "")])
def test_an_offset_past_the_end_is_told_how_many_lines_there_are(offset: int, content: str) -> None:
    total = content.count("\n")
    words = f"offset {offset} is past the end: x.txt has {total} lines"
    assert refusal(content, offset=offset) == words


def test_line_separators_of_unicode_are_text() -> None:
    assert reading("a\u2028b\x0cc\x85d\n").details["total_lines"] == 1


def test_text_in_an_older_encoding_is_read_and_the_guess_is_said() -> None:
    assert reading(b"caf\xe9\n").text == "caf\u00e9\n\n[note: the file is not UTF-8; guessed: windows-1252]"


def test_bytes_that_are_no_text_in_utf8_are_replaced_one_by_one() -> None:
    note = "[note: the file has bytes that are not UTF-8, shown as \ufffd; the rest is taken for UTF-8]"
    assert reading("caf\u00e9 \u20ac\n".encode() + b"\xe2\x82\n").text == f"caf\u00e9 \u20ac\n\ufffd\ufffd\n\n{note}"


def test_a_nul_byte_in_the_first_8_kib_looks_binary() -> None:
    assert refusal(b"a" * 8191 + b"\0") == "x.txt looks binary; it cannot be read as text"
    assert reading(b"a" * 8192 + b"\0").details["total_lines"] == 1


@pytest.mark.parametrize(
    ("path", "content", "mime_type"),
    [
        ("a.PNG", PNG, "image/png"),
        ("a.jpeg", b"\xff\xd8\xff", "image/jpeg"),
        ("a.gif", b"GIF89a", "image/gif"),
        ("a.webp", b"RIFF0000WEBP", "image/webp"),
        ("a.jpg", PNG, "image/png"),
    ],
)
def test_images_are_inline_with_the_type_their_content_tells(path: str, content: bytes, mime_type: str) -> None:
    data = base64.b64encode(content).decode()
    result = reading(content, path)
    assert result.content == [ImageBlock(mime_type, data)]
    assert result.display == [ImageDisplay(mime_type, data, path)]
    assert result.details == {"path": f"/proj/{path}", "mime_type": mime_type, "bytes": len(content)}


def test_a_file_that_is_an_image_by_its_name_alone_is_text_or_refused() -> None:
    result = reading(b"one\ntwo\n", "notes.png", offset=2)
    assert (result.text, result.details["total_lines"]) == ("two\n[line 2 of 2]\n", 2)
    assert refusal(b"\0\0\0\x18ftypheic" + bytes(9), "a.heic") == "a.heic is HEIC; it cannot be read as text"
    assert refusal(bytes(64), "a.webp") == "a.webp looks binary; it cannot be read as text"


def test_an_image_that_no_provider_takes_is_refused() -> None:
    assert "make a smaller copy" in refusal(b"\0" * (LARGEST + 1), "a.png")


async def test_of_a_directory_the_names_are_read(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b" / ".hidden").touch()
    assert (await read.run({"path": "b"}, context)).text == ".hidden\ndeep/"
    assert (await read.run({"path": ".", "limit": 1}, context)).text == "b/"
    assert (await read.run({"path": "b/deep"}, context)).text == "(empty directory)"


async def test_what_is_no_file_is_refused(tmp_path: Path, context: ToolContext) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    for path, words in (
        ("pipe", "pipe is not a regular file; it cannot be read"),
        ("gone", "no such file: gone; check the path"),
        ("circle", "circle: Too many levels of symbolic links"),
    ):
        with pytest.raises(ToolError, match=words):
            await read.run({"path": path}, context)


def test_a_bound_below_one_is_refused() -> None:
    assert refusal("x", limit=0) == (
        "invalid arguments for read: limit: input should be greater than or equal to 1, got 0"
    )


async def test_of_a_file_of_300_megabytes_the_last_lines_are_read_in_little_memory(
    tmp_path: Path, context: ToolContext
) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.write(b"".join(b"line %d\n" % number for number in range(1, 300_001)))
        file.seek(300_000_000)  # the hole between is one line of NUL bytes
        file.write(b"\nlast but one\nlast\n")
    tracemalloc.start()
    try:
        end = await read.run({"path": "@big", "offset": 300_002}, context)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert end.text == "last but one\nlast\n[lines 300002 to 300003 of 300003]\n"
    assert end.details["total_lines"] == 300_003
    assert peak < 8_000_000
