import json
import sys
from pathlib import Path

import pytest

from zot_agent.cli import ext
from zot_agent.cli.ext.new import scaffold
from zot_provider.errors import ConfigError

run = ext.run.load("check").run
"""Runs `zot ext check`; an error is raised."""


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return Path(scaffold("sound", "python", str(tmp_path)))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "extension.json").write_text('{"name": "broken", "exec": "./program"}')
    (folder / "program").write_text(
        f"#!{sys.executable} -S\nimport sys\n"
        'print(\'{"type":"hello","name":"other"}\\n\\x1b[2Jstarting\\n{"type":"ready"}\', flush=True)\n'
        "for line in sys.stdin:\n    if 'shutdown' in line:\n"
        '        print(\'{"type":"shutdown_ack"}\', flush=True)\n        break\n'
    )
    (folder / "program").chmod(0o755)
    return folder


def test_a_sound_extension_is_one_line_and_exit_code_0(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([str(sound)]) == 0
    assert capsys.readouterr().out == "sound: follows the protocol (command sound, tool sound_count)\n"


def test_findings_are_told_with_their_frames_and_exit_code_1(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([str(broken), "--seconds", "20"]) == 1
    assert capsys.readouterr().out == (
        "warning: hello says 'other', the manifest 'broken'; the manifest wins [name-mismatch]\n"
        '    {"type":"hello","name":"other"}\n'
        "error: a line on standard output is not a frame; log to standard error [stdout-noise]\n"
        "    starting\n"
        "broken: 1 error, 1 warning\n"
    )


def test_the_report_as_json(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([str(broken), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert [(each["level"], each["rule"]) for each in report["findings"]] == [
        ("warning", "name-mismatch"),
        ("error", "stdout-noise"),
    ]
    assert report["findings"][1]["frame"] == "\x1b[2Jstarting"


def test_without_calls_nothing_is_run(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = sound / "main.py"
    main.write_text(
        main.read_text()
        .replace("return display", "os._exit(1)  #")
        .replace("from zot_ext", "import os\nfrom zot_ext", 1)
    )
    assert run([str(sound), "--no-calls"]) == 0
    assert run([str(sound)]) == 1
    assert "[exited-early]" in capsys.readouterr().out


def test_a_slow_answer_is_one_within_the_seconds_that_are_asked_for(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = sound / "main.py"
    main.write_text(
        main.read_text().replace("    return display", "    __import__('time').sleep(4)\n    return display")
    )
    assert run([str(sound), "--seconds", "2"]) == 1
    assert "was answered after more than the 2 s that a host waits [late-reply]" in capsys.readouterr().out


def test_it_waits_as_long_as_a_run_does(
    sound: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "0.00001")
    assert run([str(sound)]) == 1
    assert "error: no frame within 0.0003 s [no-hello]" in capsys.readouterr().out


def test_a_folder_without_a_manifest_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([str(tmp_path)]) == 1
    assert "error: extension.json: cannot be read in" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["missing"], [".", "--seconds", "0"], [".", "--seconds", "nan"], [".", "-x"]]
)
def test_mistakes_in_the_command_line_are_one_line(arguments: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        run(arguments)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_theme_is_read_as_the_screen_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "extension.json").write_text('{"name": "solar"}')
    theme = tmp_path / "theme.json"
    theme.write_text('{"accent": "nope"}')
    assert run([str(tmp_path)]) == 1
    assert "'accent': 'nope' is not a colour: use 0 to 255, '#rgb', '#rrggbb' or 'default' [bad-theme]" in (
        capsys.readouterr().out
    )
    theme.write_text('{"acent": 1}')
    assert run([str(tmp_path)]) == 0
    assert "warning: 'acent': no such entry; it is left out [theme-entry]" in capsys.readouterr().out
    theme.write_text('{"accent": 1}')
    assert run([str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("solar: 1 note\n")


def test_modes_of_the_editor_are_read_as_the_screen_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "extension.json"
    manifest.write_text('{"name": "keys", "editor_modes": {"a": {"keys": {"f6": "fly"}}}}')
    assert run([str(tmp_path)]) == 1
    assert "error: mode a: f6: nothing is done by 'fly' [bad-editor-mode]" in capsys.readouterr().out
    manifest.write_text('{"name": "keys", "editor_modes": {"a": {"keys": {"f6": "next_model"}}}}')
    assert run([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("echo hello\n", "give it a first line such as #!/usr/bin/env python3"),
        ("#!/no/such\n", "is missing; install it"),
    ],
)
def test_what_the_system_does_not_start_is_told_as_when_it_is_run(
    program: str, words: str, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (broken / "program").write_text(program)
    assert run([str(broken)]) == 1
    (line, last) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"error: extension 'broken': '{broken}/program' cannot be started: ")
    assert words in line
    assert last == "broken: 1 error"
