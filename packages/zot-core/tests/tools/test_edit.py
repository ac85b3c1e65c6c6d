import asyncio
import contextlib
import os
from pathlib import Path

import pytest
from waiting import until

from zot_core.display import DiffDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.edit import LARGEST, edit
from zot_provider.messages import TextBlock


def editing(context: ToolContext, path: str, *pairs: tuple[str, str]) -> ToolResult:
    edits = [{"oldText": old, "newText": new} for old, new in pairs]
    return asyncio.run(edit.run({"path": path, "edits": edits}, context))


def refusal(context: ToolContext, path: str, *pairs: tuple[str, str]) -> str:
    with pytest.raises(ToolError) as caught:
        editing(context, path, *pairs)
    return str(caught.value)


def processes() -> list[str]:
    """The numbers of the processes in which this process edits."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(") ")[2].split()[1])
            if parent == os.getpid() and b"edit_text.py" in (path / "cmdline").read_bytes():
                found.append(path.name)
    return found


def test_edits_change_the_file_and_are_shown_as_diff_rows(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x.py").write_text("a = 1\nb = 2\n")
    diff = "-a = 1\n+a = 3\n b = 2\n+c = 4"
    result = editing(context, "x.py", ("a = 1", "a = 3"), ("b = 2\n", "b = 2\nc = 4\n"))
    assert result.replace(seen=None) == ToolResult(
        [TextBlock("changed x.py\n@@ -1,+1 @@\n@@ -3,+3 @@")],
        details={"path": str(tmp_path / "x.py"), "edits": 2, "diff": diff, "starts": [(1, 1)]},
        display=[DiffDisplay("x.py", diff, [(1, 1)])],
        kept=True,
    )
    assert (tmp_path / "x.py").read_text() == "a = 3\nb = 2\nc = 4\n"


def test_the_model_is_told_where_each_change_begins_before_and_after(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("".join(f"{number}\n" for number in range(1, 31)))
    result = editing(context, "x", ("\n5\n", "\n5\nmore\n"), ("\n25\n", "\n"))
    first, second = " 3\n 4\n 5\n+more\n 6\n 7\n 8", " 22\n 23\n 24\n-25\n 26\n 27\n 28"
    assert result.text == "changed x\n@@ -6,+6 @@\n@@ -25,+26 @@"
    assert result.details["diff"] == f"{first}\n...\n{second}"


def test_of_many_places_the_first_are_told(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("".join(f"{number}\n" + "-\n" * 9 for number in range(30)))
    rows = editing(context, "x", *((f"{number}\n-", f"{number}\n+") for number in range(10, 30))).text.split("\n")
    assert rows == ["changed x", *(f"@@ -{at},+{at} @@" for at in range(102, 302, 10))]
    rows = editing(
        context, "x", *((f"{number}\n", f"{number}.\n") for number in range(10, 30)), ("0\n-\n", "0.\n-\n")
    ).text.split("\n")
    assert (len(rows), rows[-1]) == (22, "and 1 more")


def test_the_model_reads_the_lines_that_it_had_not_written_like_that(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x.py").write_text("if a:\n        b = 1\n")
    result = editing(context, "x.py", ("if a:\n    b = 1", "if a:\n    b = 2"))
    assert result.content[0] == TextBlock("@@ -1,+1 @@\n if a:\n-        b = 1\n+        b = 2")


def test_all_wrong_edits_of_a_call_are_told(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("a b a\n")
    told = refusal(context, "x", ("a", "c"), ("b", "c"), ("gone", "c"), ("", "c")).split("\n")
    assert [line.partition("; ")[0] for line in told] == [
        "x was not changed: edit 1 of 4: oldText matches 2 times (lines 1, 1)",
        "edit 3 of 4: oldText not found",
        "edit 4 of 4: oldText is empty",
    ]
    many = refusal(context, "x", *[(f"gone {number}", "") for number in range(30)]).split("\n")
    assert (len(many), many[-1]) == (11, "and 20 more of the edits")


def test_nothing_is_written_unless_all_edits_can_be_done(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("a b a")
    assert refusal(context, "x", ("b", "c"), ("d", "e")).startswith(
        "x was not changed: edit 2 of 2: oldText not found; "
    )
    assert refusal(context, "x", ("a", "c")) == (
        "x was not changed: oldText matches 2 times (lines 1, 1); it must match once: add lines around it"
    )
    assert (tmp_path / "x").read_text() == "a b a"


def test_mark_line_ends_mode_and_odd_bytes_stay(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\nold\nend\r\n")
    (tmp_path / "x").chmod(0o751)
    editing(context, "x", ("old\nend", "new\nend"))
    assert (tmp_path / "x").read_bytes() == b"\xef\xbb\xbfcaf\xe9\r\nnew\nend\r\n"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o751


def test_rows_of_odd_bytes_are_text(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_bytes(b"caf\x81\nold\n")
    assert editing(context, "x", ("old", "new\ud83d")).text.startswith("@@ -1,+1 @@\n caf\ufffd\n-old\n+new?\n[note: ")


def test_a_missing_file_a_directory_and_a_binary_are_refused(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bin").write_bytes(b"a\0")
    assert refusal(context, "gone", ("a", "b")).startswith("no such file: gone")
    assert refusal(context, "folder", ("a", "b")) == "folder is a directory; name a file"
    assert refusal(context, "bin", ("a", "b")) == "bin looks binary; it cannot be read as text"


async def test_missing_fields_are_named(context: ToolContext) -> None:
    with pytest.raises(ToolError, match=r"edits\[0\].newText: field required"):
        await edit.run({"path": "x", "edits": [{"oldText": "a"}]}, context)
    with pytest.raises(ToolError, match=r"^no such file"):
        await edit.run({"path": "gone", "edits": []}, context)


async def test_a_large_edit_ends_with_its_call_and_changes_nothing(tmp_path: Path, context: ToolContext) -> None:
    path = tmp_path / "huge"
    old = "".join(f"{number % 997}\n" for number in range(200_000))
    new = "".join(f"{number * 7 % 991}\n" for number in range(200_000))
    path.write_text(f"first\n{old}last\n")
    before = path.read_bytes()
    call = asyncio.create_task(edit.run({"path": "huge", "edits": [{"oldText": old, "newText": new}]}, context))
    await until(processes)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert processes() == []
    assert path.read_bytes() == before


def test_a_large_edit_is_like_a_small_one(tmp_path: Path, context: ToolContext) -> None:
    rest = b"kept \xe9\r\n" * 50_000
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\nold\nend\r\n" + rest)
    result = editing(context, "x", ("old\nend", "new\nend"))
    assert (tmp_path / "x").read_bytes() == b"\xef\xbb\xbfcaf\xe9\r\nnew\nend\r\n" + rest
    kept = " kept \ufffd\n" * 2 + " kept \ufffd"
    assert result.display == [
        DiffDisplay("x", f" caf\ufffd\n-old\n+new\n end\n{kept[: kept.rindex(chr(10))]}", [(1, 1)])
    ]
    assert refusal(context, "x", ("gone", "other")).startswith("x was not changed: oldText not found; ")
    assert refusal(context, "x", ("kept", "new")).startswith(
        "x was not changed: oldText matches 50000 times (lines 4, "
    )


def test_a_file_of_the_largest_size_is_edited_and_a_larger_one_is_refused(tmp_path: Path, context: ToolContext) -> None:
    path = tmp_path / "x"
    path.write_text("a\n" * (LARGEST // 2 - 1) + "b\n")
    assert editing(context, "x", ("b", "c")).text == "changed x\n@@ -4194304,+4194304 @@"
    assert path.stat().st_size == LARGEST
    path.write_text("a\n" * (LARGEST // 2) + "b")
    assert refusal(context, "x", ("b", "c")) == (
        "x has more than 8,388,608 bytes; change it with a command, such as sed"
    )
