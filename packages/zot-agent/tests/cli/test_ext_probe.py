import json
from pathlib import Path

import pytest

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.cli.ext.probe import probe
from zot_agent.extensions.discover import DiscoveredExtension, read_extension

UNTIL_SHUTDOWN = """
while read -r line; do
  case "$line" in *shutdown*) echo '{"type":"shutdown_ack"}'; exit;; esac
done
"""


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
    late = DoctorLine("--", "ready", "it sends no ready frame, so zot waits 0.25 s at each start")
    assert probe([found]) == {found.directory: [DoctorLine("ok", "start", "runs"), *([] if ready else [late])]}


def test_extensions_are_started_together_so_that_a_name_of_two_is_noticed(tmp_path: Path) -> None:
    command = '{"type":"register_command","name":"go","description":"go"}'
    one, two = (installed(tmp_path / name, hello(command, '{"type":"ready"}')) for name in ("one", "two"))
    lines = probe([one, two])
    assert DoctorLine("ok", "commands", "/go") in lines[one.directory]
    assert [line.state for line in lines[two.directory]] == ["ok", "no"]
    assert "go" in lines[two.directory][1].text


def test_an_extension_that_does_not_start_does_not_hide_the_others(tmp_path: Path) -> None:
    broken = installed(tmp_path / "broken", "exit 3\n")
    sound = installed(tmp_path / "sound", hello('{"type":"ready"}'))
    lines = probe([broken, sound])
    assert [(line.state, line.topic) for line in lines[broken.directory]] == [("no", "start")]
    assert lines[sound.directory] == [DoctorLine("ok", "start", "runs")]
