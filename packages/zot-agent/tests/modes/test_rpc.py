"""`zot rpc` with files as its streams, and its command line."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from waiting import PATIENCE

ZOT = [
    sys.executable,
    "-m",
    "zot_agent",
    "rpc",
    "--provider",
    "openai",
    "--model",
    "m",
    "--base-url",
    "http://127.0.0.1:9/v1",
]


def zot(alone: Path, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    env = os.environ | {"OPENAI_API_KEY": "sk-x"}
    return subprocess.run(ZOT, cwd=alone, env=env, stderr=subprocess.PIPE, timeout=PATIENCE, check=False, **options)


def test_commands_may_stand_in_a_file_and_answers_go_to_one(alone: Path) -> None:
    (alone / "commands").write_text('{"type":"ping"}\n{"type":"prompt","message":"hi"}\n')

    with open(alone / "commands", "rb") as commands, open(alone / "answers", "wb") as answers:
        done = zot(alone, stdin=commands, stdout=answers)

    lines = (alone / "answers").read_text().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "pong" in lines[0]
    assert lines[-1] == '{"type":"done"}'


def test_without_input_there_is_nothing_to_do(alone: Path) -> None:
    done = zot(alone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_prompt_on_the_command_line_is_a_mistake(alone: Path) -> None:
    env = os.environ | {"OPENAI_API_KEY": "sk-x"}
    done = subprocess.run([*ZOT, "hello"], cwd=alone, env=env, capture_output=True, timeout=PATIENCE, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"zot: zot rpc takes no prompt")
