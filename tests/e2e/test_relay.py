"""`make relay`: a person, or a file, answers an agent in the place of a model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import Zot
from waiting import PATIENCE

RELAY = Path(__file__).parents[2] / "benchmarks" / "relay.py"
ANSWERS = """I look.
/call bash {"command": "echo from a tool"}
.
All is
well.
"""


def relay(
    zot: Zot, *options: str, provider: str = "openai", stdin: str = "", output: str = "-p"
) -> "subprocess.CompletedProcess[str]":
    agent = [*zot.command, output, "--provider", provider, "--model", "m", "--base-url", "{url}", "what is here?"]
    return subprocess.run(
        [sys.executable, str(RELAY), *options, "--", *agent],
        cwd=zot.cwd, env=zot.env, input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_model_s_chair_shows_the_prompt_once_and_then_what_is_new(zot: Zot, tmp_path: Path, provider: str) -> None:
    (tmp_path / "answers").write_text(ANSWERS)
    done = relay(zot, "--script", str(tmp_path / "answers"), "--keep", str(tmp_path / "kept"), provider=provider)
    assert (done.returncode, done.stdout) == (0, "All is\nwell.\n"), done.stderr
    first, second = done.stderr.split("== request 2: ")
    assert first.startswith("== request 1: ")
    assert "[tools]" in first
    assert "[user]\nwhat is here?\n" in first
    assert "[tools]" not in second
    assert "what is here?" not in second
    assert "[answers]\nI look.\n[answers]\nbash {" in second
    assert "}\n[bash]\nfrom a tool\n\n[exit 0]" in second
    bodies = [json.loads(line) for line in (tmp_path / "kept").read_text().splitlines()]
    assert [len(body["messages"]) for body in bodies] == [len(bodies[0]["messages"]), len(bodies[0]["messages"]) + 2]


def test_the_chair_counts_tokens_and_what_a_cache_has_of_them(zot: Zot, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text(ANSWERS)
    done = relay(zot, "--script", str(tmp_path / "answers"), output="--json")
    usages = [
        event for event in map(json.loads, done.stdout.splitlines()) if event["type"] == "usage" and event["input"]
    ]
    first, second = ((event["input"], event["cache_read"]) for event in usages)
    assert first[1] == 0
    assert second[1] in range(first[0] - 1, first[0] + 1)
    assert 0 < second[0] < 100


def test_a_person_who_mistypes_a_call_is_asked_again(zot: Zot) -> None:
    done = relay(zot, stdin="/call bash {command}\n.\nDone.\n.\n")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "line 1: the arguments of bash are not JSON" in done.stderr


def test_a_file_with_a_mistake_is_refused_before_anything_runs(zot: Zot, tmp_path: Path) -> None:
    for text in ("Hi.\n.\n/call bash [1]\n", "Hi.\n.\n/call\n.\n/call {}\n"):
        (tmp_path / "answers").write_text(text)
        done = relay(zot, "--script", str(tmp_path / "answers"))
        assert done.returncode == 2
        assert done.stderr.startswith(f"{tmp_path}/answers, line ")
        assert not zot.sessions


def test_when_the_answers_are_over_the_agent_gets_an_error(zot: Zot, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("/call bash {}\n")
    done = relay(zot, "--script", str(tmp_path / "answers"))
    assert done.returncode != 0
    assert "there are no more answers" in done.stderr
