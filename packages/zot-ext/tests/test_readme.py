import re
import subprocess
import sys
from pathlib import Path

from zot_ext import parse_manifest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_test_in_the_readme_passes(tmp_path: Path) -> None:
    (tmp_path / "test.py").write_text(blocks("python")[1], encoding="utf-8")

    done = subprocess.run([sys.executable, "test.py"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_extension_in_the_readme_runs_as_a_process(tmp_path: Path) -> None:
    lines = (
        '{"type":"hello_ack","protocol_version":1}\n'
        '{"type":"tool_call","id":"1","name":"weather","args":{"city":"Berlin"}}\n'
        '{"type":"shutdown"}\n'
    )

    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[0]], input=lines, capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.splitlines()[-2:] == [
        '{"type":"tool_result","id":"1","content":[{"type":"text","text":"Berlin: 16°C, fog"}]}',
        '{"type":"shutdown_ack"}',
    ]
    assert done.stderr == ""


def test_the_manifest_in_the_readme_is_valid() -> None:
    (text,) = blocks("json")

    assert parse_manifest(text).name == "weather"
