import json
from pathlib import Path

import pytest

from zot_agent.cli.local.demo import PROMPT, run, shortened
from zot_agent.local.pick import DEMO_NOTE
from zot_provider.testing import Call, Fault, ScriptedServer, Turn


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text("# Kite\n\n" + "".join(f"line {number}\n" for number in range(100)))
    monkeypatch.chdir(project)


def test_a_server_is_asked_and_the_real_output_of_its_call_is_shown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    turns = [Turn(calls=[Call("read", {"path": "README.md"})]), Turn("It is a kite.")]
    with ScriptedServer(turns, models=["small"]) as server:
        url = server.base_url("openai-chat")
        monkeypatch.setenv("LLAMA_BASE_URL", url)
        assert run([]) == 0
        asked, answered = [request.body for request in server.requests if request.method == "POST"]
    out, err = capfd.readouterr()
    assert err == ""
    assert out.startswith(f"model: llama.cpp at {url}, model small,")
    assert DEMO_NOTE not in out
    assert f"> {PROMPT}" in out
    assert '* read {"path": "README.md"}\n  # Kite\n' in out
    assert "  … 90 more lines\n" in out
    assert "\nIt is a kite.\n" in out
    assert "[20 tokens in, 10 out," in out
    assert asked["model"] == "small"
    assert "# Kite" in json.dumps(answered["messages"])
    assert not (tmp_path / "home").exists()  # no session


def test_another_prompt_may_be_given(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(["Fine."]) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.base_url("openai-chat"))
        assert run(["how", "are", "you?"]) == 0
    assert "> how are you?\n" in capfd.readouterr().out


def test_a_failure_is_one_line(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer([Turn(fault=Fault(status=400))], repeat=True) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.base_url("openai-chat"))
        assert run([]) == 1
    err = capfd.readouterr().err
    assert err.startswith("zot: ")
    assert err.count("\n") == 1


def test_probe_names_the_server_and_asks_it_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer() as server:
        url = server.base_url("openai-chat")
        monkeypatch.setenv("LLAMA_BASE_URL", url)
        assert run(["--probe"]) == 0
        assert all(request.method == "GET" for request in server.requests)
    assert capsys.readouterr().out == f"server:{url}\n"


def test_probe_names_the_key(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    assert run(["--probe"]) == 0
    assert capsys.readouterr().out == "key:anthropic\n"


def test_probe_of_a_demo_model_that_is_not_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--probe", "--demo-model"]) == 3
    assert capsys.readouterr().out == "demo:needs-setup\n"


def test_the_demo_model_without_setup_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--demo-model"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "install zot-agent[local]" in err or "zot local setup" in err


def test_a_mistake_is_one_line_and_help_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--nope"]) == 2
    assert capsys.readouterr().err == "zot: unrecognized arguments: --nope; see zot demo --help\n"
    assert run(["--help"]) == 0
    assert PROMPT in " ".join(capsys.readouterr().out.split())


def test_output_is_shortened_to_lines_and_columns() -> None:
    assert shortened("ab\n", 2, 10) == "  ab\n"
    assert shortened("0123456789\nb\nc\nd\n", 2, 10) == "  0123456…\n  b\n  … 2 more lines\n"
