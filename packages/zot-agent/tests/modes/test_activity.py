import pytest

from zot_agent.modes.activity import Activity, clip, failure
from zot_agent.modes.output import Output
from zot_core.display import TerminalDisplay, main_argument
from zot_core.events import TextDelta, ToolCall, ToolResultEvent
from zot_provider.messages import ImageBlock, TextBlock


def failed(text: str, **options: object) -> ToolResultEvent:
    return ToolResultEvent("c", "t", True, [ImageBlock("image/png", ""), TextBlock(text)], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"path": "a", "command": "ls"}', "ls"),
        ('{"name": "n", "path": "a"}', "a"),
        ('{"query": "q", "url": "u"}', "u"),
        ('{"path": 3, "pattern": "*"}', "*"),
        ('{"file_path": "f"}', "f"),
        ('{"other": "x"}', ""),
        ("[]", ""),
        ('{"path": ', ""),
        ("", ""),
        ("[" * 100_000, ""),
    ],
)
def test_the_argument_that_says_what_a_call_is_about(arguments: str, expected: str) -> None:
    assert main_argument(arguments) == expected


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("a\n b\t\tc\r\n", 20, "a b c"),
        ("  failed: x\ny", 20, "  failed: x y"),
        ("a\x1b]0;owned\x07b\x1b[2Jc\x1b[31md\x07", 20, "abcd"),
        ("a\u202eb\u200b", 20, "a�b"),
        ("日本語", 6, "日本語"),
        ("日本語x", 6, "日本…"),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("x" * 1_000_000, 3, "xx…"),
        ("", 3, ""),
    ],
)
def test_a_line_fits_and_holds_nothing_a_terminal_obeys(text: str, columns: int, expected: str) -> None:
    assert clip(text, columns) == expected


def test_a_failure_is_told_by_its_first_line() -> None:
    assert failure(failed("\n\nfirst\nsecond")) == "first"
    assert failure(failed("")) == ""
    command = TerminalDisplay("cat x", "cat: x: no\nmore\n", 1, 0.1)
    assert failure(failed("$ cat x\n\ncat: x: no", display=[command])) == "exit 1: cat: x: no"
    assert failure(failed("$ x", display=[command.replace(output="", exit_code=None)])) == "stopped"


@pytest.mark.parametrize(
    ("environ", "shown"), [({}, "\x1b[2m{}\x1b[0m"), ({"NO_COLOR": "1"}, "{}"), ({"TERM": "dumb"}, "{}")]
)
def test_calls_and_failures_are_dim_lines(
    capsys: pytest.CaptureFixture[str], environ: dict[str, str], shown: str
) -> None:
    stopped: list[int] = []
    activity = Activity(Output(lambda: None), stopped, environ)
    activity(TextDelta("hello"))
    activity(ToolCall("c", "read", '{"path": "a"}'))
    activity(ToolResultEvent("c", "read", False, []))
    activity(failed("no such file"))
    stopped.append(2)
    activity(failed("aborted"))
    assert capsys.readouterr().err == "".join(
        f"{shown.format(line)}\n" for line in ("read a", "  failed: no such file")
    )
