"""Commands that the person runs."""

import asyncio
import os
import re
from pathlib import Path

import pytest
from processes import runs
from waiting import PATIENCE, TIME_LIMITS, wait_until

from zot_core.conversation.shell_command import (
    STOPPED,
    RunningCommand,
    ShellCommand,
    ShellResult,
    message_with_output,
    read_shell_command,
)
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell
from zot_core.tools.bash import BashLimits
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.truncate import TextLimits
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, TextBlock


def context(cwd: Path, **env: str) -> ToolContext:
    return ToolContext(str(cwd), LocalFiles(), LocalShell(), env=env)


def ran(
    cwd: Path, command: str, limits: BashLimits | None = None, timeout: float | None = None
) -> tuple[ShellResult, str]:
    """What came of a command, and what was shown meanwhile."""
    shown: list[str] = []

    async def main() -> ShellResult:
        running = RunningCommand(
            ShellCommand(command), context(cwd, WORD="env"), shown.append, timeout=timeout, limits=limits
        )
        return await running.run()

    return asyncio.run(main()), "".join(shown)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("!ls -l", ShellCommand("ls -l")), ("  ! ls\n", ShellCommand("ls")),
        ("!!ls", ShellCommand("ls", in_context=False)), ("!cat <<E\na\nE", ShellCommand("cat <<E\na\nE")),
        ("ls !", None), ("", None),
    ],
)  # fmt: skip
def test_the_syntax_of_shell_commands(text: str, command: ShellCommand | None) -> None:
    assert read_shell_command(text) == command


@pytest.mark.parametrize("text", ["!", "!!", "! \n", " !! "])
def test_a_mark_without_a_command_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="no command follows the !"):
        read_shell_command(text)


def test_the_result_reads_as_that_of_the_tool(tmp_path: Path) -> None:
    found, shown = ran(tmp_path, 'echo "$PWD $WORD"; echo oops >&2; exit 3')
    assert re.fullmatch(
        rf'\$ echo "\$PWD \$WORD"; echo oops >&2; exit 3\n\n{tmp_path} env\noops\n\n\[exit 3\] \d+\.\ds',
        found.text,
    )
    assert shown == f"{tmp_path} env\noops\n"
    assert found.display is not None
    assert (found.display.exit_code, found.display.output, found.stopped) == (3, f"{tmp_path} env\noops\n", False)


def test_a_long_command_is_told_shortened(tmp_path: Path) -> None:
    found, _ = ran(tmp_path, f": {'x' * 20_000}; echo done")
    assert "... [10,013 more characters]\n\ndone\n" in found.text


def test_output_is_bounded(tmp_path: Path) -> None:
    found, _ = ran(tmp_path, "seq 100000", BashLimits(text=TextLimits(lines=10)))
    assert found.text.count("\n") < 20
    assert "... [99,990 lines of 588,850 bytes left out here]" in found.text
    full = re.search(r"full output: (\S+)\)", found.text)
    assert full
    assert len(Path(full[1]).read_text().splitlines()) == 100_000
    os.unlink(full[1])


def test_a_command_may_have_a_limit_in_time(tmp_path: Path) -> None:
    for limit in TIME_LIMITS:
        found, shown = ran(tmp_path, "echo begun; sleep 600", timeout=limit)
        if shown:
            break
    assert f"begun\nthe command timed out after {limit:g} s" in found.text
    assert not found.stopped


def test_a_command_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    found, _ = ran(tmp_path / "gone", "ls")
    assert found.text == f"$ ls\n\n[cannot run the command in {tmp_path}/gone: No such file or directory]"
    assert found.display is None


def begun(tmp_path: Path, *, cancel: bool) -> ShellResult | None:
    """A command that never ends and is stopped once its output is seen; its child has ended with it."""

    async def main() -> tuple[ShellResult | None, int]:
        seen = asyncio.Event()
        text: list[str] = []

        def show(piece: str) -> None:
            text.append(piece)
            if "\n" in piece:
                seen.set()

        running = RunningCommand(ShellCommand("sleep 600 & echo $!; wait"), context(tmp_path), show)
        work = asyncio.create_task(running.run())
        async with asyncio.timeout(PATIENCE):
            await seen.wait()
            if cancel:
                work.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await work
            else:
                running.stop()
                await work
                running.stop()
        return None if cancel else work.result(), int("".join(text))

    found, number = asyncio.run(main())
    wait_until(lambda: not runs(number))
    return found


def test_a_stopped_command_returns_its_output_so_far(tmp_path: Path) -> None:
    found = begun(tmp_path, cancel=False)
    assert found is not None
    assert found.stopped
    assert re.search(r"\n\n\d+\n\n\[exit 130\] .*\n" + re.escape(STOPPED) + "$", found.text)
    assert found.display is not None
    assert found.display.exit_code == 130


def test_cancelling_leaves_nothing_running(tmp_path: Path) -> None:
    assert begun(tmp_path, cancel=True) is None


async def test_a_command_that_is_stopped_before_it_began_ends_at_once(tmp_path: Path) -> None:
    running = RunningCommand(ShellCommand("sleep 600"), context(tmp_path), lambda text: None)
    running.stop()
    async with asyncio.timeout(PATIENCE):
        assert (await running.run()).stopped


def test_the_model_reads_outputs_before_the_next_prompt_but_hidden_ones() -> None:
    results = [
        ShellResult(ShellCommand("a"), "$ a\n\n[exit 0]"),
        ShellResult(ShellCommand("b", in_context=False), "$ b"),
        ShellResult(ShellCommand("c"), "$ c"),
    ]

    def read(results: list[ShellResult], prompt: str) -> tuple[str, str | None, int]:
        message = message_with_output(results, prompt)
        return message.text, message.display_text, message.commands

    assert read(results, "go on") == ("$ a\n\n[exit 0]\n\n$ c\n\ngo on", "go on", 2)
    assert read(results[:1], "") == ("$ a\n\n[exit 0]", "", 1)
    assert read(results[1:2], "go on") == ("go on", None, 0)
    assert read([], "") == ("", None, 0)


def test_images_go_with_the_output() -> None:
    image = ImageBlock("image/png", "AAAA")
    message = message_with_output([ShellResult(ShellCommand("a"), "$ a")], "go on", [image])
    assert message.content == [TextBlock("$ a\n\ngo on"), image]
