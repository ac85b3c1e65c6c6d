import json
from pathlib import Path

import pytest

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.cli.ext.probe import ProbeResult, probe
from zot_agent.extensions.discover import DiscoveredExtension, read_extension

UNTIL_SHUTDOWN = """
while read -r line; do
  case "$line" in *shutdown*) echo '{"type":"shutdown_ack"}'; exit;; esac
done
"""

BARE = DoctorLine("ok", "start", "runs; it has registered no command, tool, event or guard")


def installed(folder: Path, program: str) -> DiscoveredExtension:
    folder.mkdir()
    (folder / "extension.json").write_text(json.dumps({"name": folder.name, "exec": "./run"}))
    (folder / "run").write_text(f"#!/bin/sh\n{program}")
    (folder / "run").chmod(0o755)
    found = read_extension(str(folder), "global")
    assert isinstance(found, DiscoveredExtension)
    return found


def hello(*frames: str) -> str:
    """A program that says hello, sends `frames` and waits for its end."""
    return "".join(f"echo '{frame}'\n" for frame in ('{"type":"hello","name":"x"}', *frames)) + UNTIL_SHUTDOWN


@pytest.mark.parametrize("ready", [True, False])
def test_an_extension_that_sends_no_ready_frame_is_told_what_that_costs(ready: bool, tmp_path: Path) -> None:
    found = installed(tmp_path / "a", hello(*['{"type":"ready"}'] * ready))
    late = DoctorLine("--", "ready", "it sends no ready frame, so zot waits 0.25 s at every start")
    expected = [BARE, *([] if ready else [late])]
    assert probe([found]) == {found.directory: ProbeResult(expected, [])}


def test_an_extension_that_is_not_ready_in_time_is_not_said_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = '{"type":"register_command","name":"go","description":"go"}'
    program = 'echo \'{"type":"hello","name":"x","capabilities":["ready"]}\'\n'
    found = installed(tmp_path / "a", f"{program}echo '{command}'\n{UNTIL_SHUTDOWN}")
    absence = "still loading: it was not ready in the time that zot waits"
    lines = [DoctorLine("no", "start", absence), DoctorLine("ok", "commands", "/go")]
    expected = {found.directory: ProbeResult(lines, [], absence)}
    for patience in ("0.2", "2", "20"):  # on a busy machine it comes that far later
        monkeypatch.setenv("ZOT_EXT_PATIENCE", patience)
        seen = probe([found])
        if seen == expected:
            break
    assert seen == expected


def test_extensions_are_started_together_so_that_a_name_of_two_is_noticed(tmp_path: Path) -> None:
    command = '{"type":"register_command","name":"go","description":"go"}'
    one, two = (installed(tmp_path / name, hello(command, '{"type":"ready"}')) for name in ("one", "two"))
    registered = probe([one, two])
    first, second = registered[one.directory], registered[two.directory]
    assert DoctorLine("ok", "commands", "/go") in first.lines
    assert first.name_conflicts == []
    (why,) = second.name_conflicts
    assert why == "the command /go is shadowed by that of extension one, which is loaded before"
    assert second.lines == [BARE, DoctorLine("no", "name", why)]


def test_a_command_with_the_name_of_one_of_the_screen_is_noticed_once(tmp_path: Path) -> None:
    command = '{"type":"register_command","name":"Help","description":"help"}'
    found = installed(tmp_path / "a", hello(command, command, '{"type":"ready"}'))
    assert probe([found])[found.directory].name_conflicts == ["the command /Help is shadowed by zot's own"]


def test_an_extension_that_does_not_start_does_not_hide_the_others(tmp_path: Path) -> None:
    broken = installed(tmp_path / "broken", "exit 3\n")
    sound = installed(tmp_path / "sound", hello('{"type":"ready"}'))
    registered = probe([broken, sound])
    assert [(line.state, line.topic) for line in registered[broken.directory].lines] == [("no", "start")]
    assert registered[sound.directory].lines == [BARE]
