import re
import subprocess
import sys
from pathlib import Path

from zot_ext import parse_manifest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_extension_in_the_readme_answers_a_tool_call_and_stops() -> None:
    (program,) = blocks("python")
    lines = (
        '{"type":"hello_ack","protocol_version":1}\n'
        "not json\n"
        '{"type":"tool_call","id":"1","name":"weather","args":{"city":"Berlin"}}\n'
        '{"type":"shutdown"}\n'
    )

    done = subprocess.run(
        [sys.executable, "-c", program], input=lines, capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.splitlines()[3:] == [
        '{"type":"tool_result","id":"1","content":[{"type":"text","text":"Berlin: 16°C, fog"}]}',
        '{"type":"shutdown_ack"}',
    ]
    assert done.stderr == "line is not a JSON object\n"


def test_the_manifest_in_the_readme_is_valid() -> None:
    (text,) = blocks("json")

    assert parse_manifest(text).name == "weather"
