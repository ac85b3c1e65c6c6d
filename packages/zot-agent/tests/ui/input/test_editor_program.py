import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from zot_agent.ui.input.editor_program import MAX_BYTES, EditorResult, command, edit, run_program
from zot_provider.errors import ConfigError


def program(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def python(code: str) -> list[str]:
    """An editor: Python code with the file's path in `path`."""
    return [sys.executable, "-c", f"import sys, os; path = sys.argv[1]\n{code}"]


def edited(text: str, code: str) -> EditorResult:
    return asyncio.run(edit(text, python(code), run_program))


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files; nothing may be left in it."""
    room = tmp_path / "temporary"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    return room


def test_visual_comes_before_editor_and_both_may_have_arguments() -> None:
    assert command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert command({"VISUAL": " ", "EDITOR": "'/my editors/ed' -x"}) == ["/my editors/ed", "-x"]


def test_without_a_variable_an_editor_is_looked_for_on_the_path(tmp_path: Path) -> None:
    program(tmp_path, "vi", "#!/bin/sh\n")
    assert command({"PATH": str(tmp_path)}) == ["vi"]
    program(tmp_path, "nano", "#!/bin/sh\n")
    assert command({"PATH": str(tmp_path)}) == ["nano"]


def test_no_editor_and_one_that_cannot_be_read_are_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"set \$EDITOR"):
        command({"PATH": str(tmp_path)})
    with pytest.raises(ConfigError, match=r"\$EDITOR is not a valid command"):
        command({"EDITOR": "vi 'open"})


def test_what_the_editor_wrote_is_the_text(room: Path) -> None:
    code = "old = open(path).read(); open(path, 'w').write(old.upper() + ' Grüße')"
    assert edited("hello\nworld", code) == EditorResult("HELLO\nWORLD Grüße")
    assert [*room.iterdir()] == []


def test_the_file_is_markdown_and_the_persons_own(room: Path) -> None:
    code = "open(path, 'w').write(f'{os.path.basename(path)} {os.stat(path).st_mode & 0o777:o}')"
    assert edited("", code) == EditorResult("prompt.md 600")


def test_the_line_break_that_an_editor_adds_is_taken_off_and_one_that_was_there_stays() -> None:
    add = "open(path, 'a').write('!\\n')"
    assert edited("a", add).text == "a!"
    assert edited("a\n", add).text == "a\n!\n"


def test_an_exit_code_other_than_0_leaves_the_text_as_it_was(room: Path) -> None:
    found = edited("mine", "open(path, 'w').write('other'); sys.exit(3)")
    assert found.text == "mine"
    assert found.problem.endswith(" ended with exit code 3; the text is unchanged")
    assert [*room.iterdir()] == []


def test_an_editor_that_a_signal_ended() -> None:
    assert " exit code 137;" in edited("mine", "os.kill(os.getpid(), 9)").problem


async def test_an_editor_that_is_not_there() -> None:
    found = await edit("mine", ["/nowhere/ed"], run_program)
    assert found == EditorResult("mine", "cannot start ed: No such file or directory; set $EDITOR to another editor")


def test_bytes_that_are_no_text_cost_no_more_than_themselves() -> None:
    assert edited("", "open(path, 'wb').write(b'\\xef\\xbb\\xbfa\\xffb\\r\\nc')").text == "a\ufffdb\nc"


def test_halves_of_characters_reach_the_editor_as_replacements() -> None:
    assert edited("a\ud800b", "open(path, encoding='utf-8').read()").text == "a\ufffdb"


def test_an_editor_that_replaces_its_file_or_leaves_others_beside_it(room: Path) -> None:
    code = "open(path + '~', 'w').write('new'); os.replace(path + '~', path); open(path + '.swp', 'w').close()"
    assert edited("old", code) == EditorResult("new")
    assert [*room.iterdir()] == []


def test_a_file_that_is_gone_or_too_long_leaves_the_text_as_it_was() -> None:
    assert "cannot read the edited text: No such file" in edited("mine", "os.unlink(path)").problem
    found = edited("mine", f"open(path, 'w').write('x' * {MAX_BYTES + 1})")
    assert found.text == "mine"
    assert "longer than" in found.problem
    assert "not a regular file" in edited("mine", "os.unlink(path); os.mkfifo(path)").problem


async def test_cancelling_ends_the_editor_and_leaves_no_file(room: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "ready"
    os.mkfifo(pipe)
    code = f"open({str(pipe)!r}, 'w').write(str(os.getpid())); import time; time.sleep(600)"
    work = asyncio.create_task(edit("mine", python(code), run_program))
    number = int(await asyncio.to_thread(pipe.read_text))
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert [*room.iterdir()] == []


def test_a_folder_for_the_file_that_cannot_be_made(room: Path) -> None:
    room.rmdir()
    found = edited("mine", "pass")
    assert (found.text, found.problem) == (
        "mine",
        "cannot create a file to edit the text in: No such file or directory",
    )
    room.mkdir()
    assert stat.S_ISDIR(room.stat().st_mode)
