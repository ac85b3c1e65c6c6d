import asyncio
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from waiting import PATIENCE, TIME_LIMITS

from zot_core.display import TerminalDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.testing.world import FakeShell, MemoryFiles, RanCommand, Scripted
from zot_core.tools.bash import BashLimits, bash, run_command
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.truncate import TextLimits


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    import tempfile

    folder = tmp_path_factory.mktemp("spill")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def running(context: ToolContext, command: str, **arguments: object) -> ToolResult:
    return asyncio.run(bash.run({"command": command, **arguments}, context))


def timeless(result: ToolResult) -> str:
    return re.sub(r" \d+\.\ds$", " Ns", result.text)


def test_the_defaults_of_the_limits() -> None:
    assert BashLimits() == BashLimits(
        text=TextLimits(2000, 16384),
        largest=131072,
        fold_like=True,
        spill_bytes=1024**3,
        progress_pause=0.1,
        progress_size=16384,
    )


def test_command_output_and_exit_are_the_result(context: ToolContext) -> None:
    result = running(context, "echo out; echo err >&2")
    assert timeless(result) == "out\nerr\n\n[exit 0] Ns"
    assert not result.is_error
    duration = result.details.pop("duration_ms")
    assert 0 <= duration < 5000
    assert result.details == {
        "exit_code": 0,
        "full_output_path": "",
        "lines_truncated": False,
        "bytes_truncated": False,
    }
    (shown,) = result.display
    assert isinstance(shown, TerminalDisplay)
    assert shown.replace(duration=0.0) == TerminalDisplay("echo out; echo err >&2", "out\nerr\n", 0, 0.0)


def test_no_output_leaves_no_gap_and_a_last_line_gets_its_break(context: ToolContext) -> None:
    assert timeless(running(context, "true")) == "[exit 0] Ns"
    assert timeless(running(context, "printf x")) == "x\n\n[exit 0] Ns"


def test_another_exit_code_is_an_error(context: ToolContext) -> None:
    result = running(context, "exit 3")
    assert (result.is_error, result.details["exit_code"]) == (True, 3)
    assert timeless(result) == "[exit 3] Ns"


@pytest.mark.parametrize(
    ("command", "failed"),
    [
        ("grep gone a.txt", False),
        ("cd . && grep -rn gone .", False),
        ("cat a.txt | grep gone", False),
        ("grep -c gone a.txt", False),
        ("ls | grep -c gone", False),
        ("cat a.txt; grep gone b.txt", False),
        ("ls *.txt | xargs grep gone", False),
        ("ls *.txt | xargs grep x gone", True),
        ("[ -f gone ] && cat gone", False),
        ("cat gone; grep x a.txt", True),
        ("nonesuch; grep x a.txt", True),
        ("test -e gone", False),
        ("[ -e gone ]", False),
        ("true; test -e gone", False),
        ("grep x gone", True),  # exit code 2
        ("cat gone | grep x", True),  # standard error says why
        ("cd gone && grep x a.txt", True),
        ("echo no && false", True),
        ("false", True),
        ("grep gone a.txt || exit 1", True),
        ("x='grep'; false", True),
    ],
)
def test_a_search_that_found_nothing_is_no_failure(
    tmp_path: Path, context: ToolContext, command: str, failed: bool
) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.txt").write_text("b\n")
    assert running(context, command).is_error == failed


def test_children_know_that_an_agent_runs_them(context: ToolContext) -> None:
    context.env["EXTRA"] = "more"
    assert running(context, 'echo "$AI_AGENT $ZOT_AGENT $EXTRA"').text.startswith("zot 1 more\n")


def test_the_shell_is_asked_for_what_the_model_wants() -> None:
    shell = FakeShell({"make": Scripted("done\n")})
    context = ToolContext("/proj", MemoryFiles(), shell, env={"AI_AGENT": "other"})
    running(context, "make", timeout="90")
    running(context, "make", timeout=0)
    running(context, "make")
    env = {"AI_AGENT": "other", "ZOT_AGENT": "1"}
    assert shell.ran == [
        RanCommand("make", "/proj", env, 90.0),
        RanCommand("make", "/proj", env, None),
        RanCommand("make", "/proj", env, 300.0),
    ]


def test_a_long_output_keeps_its_ends_and_is_whole_in_a_file(context: ToolContext) -> None:
    result = running(context, "seq 2500")
    path = result.details["full_output_path"]
    head = "".join(f"{number}\n" for number in range(1, 801))
    tail = "".join(f"{number}\n" for number in range(1301, 2501))
    gap = "... [500 lines of 2,301 bytes left out here]\n"
    assert timeless(result) == f"{head}{gap}{tail}\n[exit 0] (full output: {path}) Ns"
    assert result.details["lines_truncated"]
    assert Path(path).read_text() == "".join(f"{number}\n" for number in range(1, 2501))


def test_a_wide_output_is_cut_at_a_character(context: ToolContext) -> None:
    result = running(context, "printf 'x'; yes é | head -n 60000 | tr -d '\\n'")
    assert "é\n... [1 line of 103,618 bytes left out here]\né" in result.text
    assert "é\n\n[exit 0] (full output: " in result.text
    assert "\ufffd" not in result.text
    assert result.details["bytes_truncated"]
    assert os.path.getsize(result.details["full_output_path"]) == 120_001


def test_lines_that_differ_only_in_numbers_are_folded_and_whole_in_a_file(context: ToolContext) -> None:
    command = "seq -f 'case %g of 200 PASSED' 200; echo end"
    result = running(context, command)
    path = result.details["full_output_path"]
    shown = ["case 1 of 200 PASSED", "case 2 of 200 PASSED", "case 3 of 200 PASSED"]
    shown += ["... [196 lines like these, with other numbers]", "case 200 of 200 PASSED", "end", ""]
    assert timeless(result) == "\n".join(shown) + f"\n[exit 0] (full output: {path}) Ns"
    assert Path(path).read_text().count("PASSED") == 200


def test_lines_of_a_file_that_differ_only_in_numbers_come_as_they_are(context: ToolContext) -> None:
    text = "".join(f"  port_{number}: {8000 + number}\n" for number in range(40))
    (Path(context.cwd) / "ports.yaml").write_text(text)
    assert timeless(running(context, "echo ports; cat ports.yaml")) == f"ports\n{text}\n[exit 0] Ns"
    assert "lines like these" in running(context, "python3 -c 'print(open(\"ports.yaml\").read())' | head -50").text


def test_binary_output_is_left_out_between_the_lines_of_text(context: ToolContext) -> None:
    data = bytes(range(128, 256)) * 40
    (Path(context.cwd) / "data").write_bytes(data + b"\nab\n" + data + b"\n")
    result = running(context, "echo before; cat data; echo after")
    path = result.details["full_output_path"]
    text = "before\n... [binary output is left out here]\nafter\n"
    assert timeless(result) == f"{text}\n[exit 0] (full output: {path}) Ns"
    assert data in Path(path).read_bytes()
    assert "\ufffd" in running(context, "echo before; head -c 200 data").text  # it is short


def test_a_call_can_ask_for_more_output(context: ToolContext) -> None:
    command = "seq -f 'case %g of 2000 PASSED' 1500"
    assert "lines like these" in running(context, command).text
    more = running(context, command, limit=60_000)
    assert more.text.count("PASSED\n") == 1500
    assert more.details["full_output_path"] == ""
    assert "bytes left out here]" in running(context, command, limit=1000).text
    assert len(running(context, "yes 'a line of it' | head -c 9000 | tr a-z A-Z | tr '\\n' ,", limit=10).text) < 300
    wide = "head -c 400000 /dev/zero | tr '\\0' x"
    assert len(running(context, wide, limit=10**9).text) < 140_000


def test_bytes_that_are_no_utf8_are_replaced(context: ToolContext) -> None:
    assert "caf\ufffd\n" in running(context, r"printf 'caf\351\n'").text


async def test_a_file_that_does_not_hold_everything_says_so(context: ToolContext) -> None:
    limits = BashLimits(text=TextLimits(lines=2), spill_bytes=10)
    result = await run_command("seq 100", context, None, limits)
    assert "1\n... [98 lines of 286 bytes left out here]\n100\n... [the file with the full" in result.text
    assert "output is incomplete: too long]\n" in result.text


def test_a_time_limit_says_so(context: ToolContext) -> None:
    ran = "; still running then: `sleep 600`" if os.path.isdir("/proc") else ""  # other systems do not show it
    for limit in TIME_LIMITS:
        result = running(context, "echo before; sleep 600", timeout=limit)
        if timeless(result) == f"before\nthe command timed out after {limit:g} s{ran}\n\n[exit -1] Ns":
            break
    else:
        pytest.fail(result.text)
    assert (result.is_error, result.details["exit_code"]) == (True, -1)
    assert result.display[0].exit_code is None  # type: ignore[union-attr]


def test_a_command_without_a_limit_of_its_own_is_ended_at_the_default_limit_and_says_so(context: ToolContext) -> None:
    result = running(context.replace(bash_timeout=0.3), "sleep 600")
    assert result.is_error
    assert "the command timed out after 0.3 s, the default limit; give a longer `timeout`" in result.text


def test_a_background_child_does_not_hold_the_call(context: ToolContext, tmp_path: Path) -> None:
    started = time.monotonic()
    assert "started\n" in running(context, "sleep 600 & echo $! > pid; echo started").text
    assert time.monotonic() - started < PATIENCE
    os.kill(int((tmp_path / "pid").read_text()), 9)


async def test_output_is_shown_while_the_command_runs(context: ToolContext, tmp_path: Path) -> None:
    shown: list[str] = []

    def show(text: str) -> None:
        shown.append(text)
        (tmp_path / "go").touch()

    context.progress = show
    command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two"
    await run_command(command, context, PATIENCE, BashLimits(progress_pause=0.01))
    assert shown == ["one\n", "two\n"]


async def test_cancelling_passes_through_and_leaves_no_file(temporary: Path) -> None:
    shell = FakeShell({"flood": Scripted(b"x\n" * 3000, hangs=True)})
    context = ToolContext("/proj", MemoryFiles(), shell)
    task = asyncio.ensure_future(bash.run({"command": "flood"}, context))
    while not shell.ran:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shell.ran[0].stopped
    assert os.listdir(temporary) == []


def test_what_cannot_be_started_is_told(context: ToolContext) -> None:
    for command in ("", "  \n", "echo \0"):
        with pytest.raises(ToolError, match="the command"):
            running(context, command)
    context.cwd += "/gone"
    with pytest.raises(ToolError, match=r"cannot run the command in .*/gone: No such file or directory"):
        running(context, "true")


@pytest.mark.parametrize("size", [131_071, 131_072, 1_000_000])
def test_a_command_of_any_length_runs(context: ToolContext, size: int) -> None:
    command = "echo $0 $#; echo 'é" + "x" * size + "' | wc -c; exit 3"
    text = running(context, command).text
    assert f"bash 0\n{size + 3}\n" in text.replace(f"{shutil.which('bash')} 0", "bash 0")
    assert "[exit 3]" in text
    assert len(text) < 100


def test_a_command_that_asks_is_answered_with_what_to_do(context: ToolContext) -> None:
    result = running(context, "printf 'Continue? [y/N] '; read answer || exit 1")
    assert result.is_error
    assert "[note: the command seems to ask for input, and gets none: its standard input is empty." in result.text
    assert "[note:" not in running(context, "echo fine").text
