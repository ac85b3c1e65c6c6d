"""`pi`, as extensions start it again: zot does what is asked for, and prints the events of pi."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pi_zot import pi_environment
from waiting import PATIENCE

from zot_agent.pi.runtime import BRIDGE
from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("pi")

KEY = "sk-test"


def pi(root: Path, server: ScriptedServer, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run it with a model that this server has."""
    described = {"api": "openai", "baseUrl": server.base_url("openai-chat"), "apiKey": KEY, "models": [{"id": "m"}]}
    (root / "models.json").write_text(json.dumps({"providers": {"corp": described}}))
    program = Path(BRIDGE).with_name("command") / "pi.mjs"
    variables = {"ZOT_HOME": str(root), "ZOT_PYTHON": sys.executable, "ZOT_PERMISSION_MODE": "yolo"}
    environment = pi_environment(os.environ) | variables
    return subprocess.run(
        ["node", str(program), *arguments],
        env=environment, cwd=root, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def test_it_prints_the_messages_of_a_run_with_their_usage_and_results(tmp_path: Path) -> None:
    (tmp_path / "role.md").write_text("You are a scout.")
    says = [Turn("Looking.", calls=[Call("bash", {"command": "echo hi"})]), "Found it."]
    with ScriptedServer(says, key=KEY) as server:
        done = pi(
            tmp_path, server, "--mode", "json", "-p", "--no-session", "--model", "corp/m", "--thinking", "off",
            "--tools", "bash,other", "--append-system-prompt", "role.md", "Task: find it",
        )  # fmt: skip
        body: Any = server.requests[0].body
    assert (done.returncode, done.stderr) == (0, "")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    messages = [each["message"] for each in events if each["type"] == "message_end"]
    assert [each["role"] for each in messages] == ["user", "assistant", "toolResult", "assistant"]
    assert (messages[1]["stopReason"], messages[3]["stopReason"]) == ("toolUse", "stop")
    assert (messages[3]["provider"], messages[3]["model"]) == ("corp", "m")
    assert messages[3]["content"] == [{"type": "text", "text": "Found it."}]
    assert messages[3]["usage"]["input"] > 0
    assert "hi" in messages[2]["content"][0]["text"]
    assert (events[0]["type"], events[-1]["type"]) == ("agent_start", "agent_end")
    assert "You are a scout." in body["messages"][0]["content"]
    assert [each["function"]["name"] for each in body["tools"]] == ["bash"]


def test_the_first_of_several_models_answers(tmp_path: Path) -> None:
    with ScriptedServer(["Hi."], key=KEY) as server:
        done = pi(tmp_path, server, "-p", "--no-session", "--models", "corp/m,corp/*", "go")
        body: Any = server.requests[0].body
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hi.\n", "")
    assert body["model"] == "m"


def test_it_says_why_a_run_failed_and_which_option_zot_does_not_have(tmp_path: Path) -> None:
    with ScriptedServer([], key=KEY) as server:
        failed = pi(tmp_path, server, "--mode", "json", "-p", "--model", "corp/m", "--no-session", "go")
        unknown = pi(tmp_path, server, "--mode", "rpc", "--no-session")
    ends = [json.loads(line) for line in failed.stdout.splitlines()]
    errors = [each["message"] for each in ends if each["type"] == "message_end" and "errorMessage" in each["message"]]
    assert failed.returncode == 1
    assert [each["stopReason"] for each in errors] == ["error"]
    assert "the script is over" in errors[0]["errorMessage"]
    assert (unknown.returncode, unknown.stderr) == (1, "pi: zot has no --mode rpc of pi\n")
