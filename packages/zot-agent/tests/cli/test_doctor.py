import json
import sys
from pathlib import Path

import pytest

from zot_agent.cli.doctor import run
from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.version import __version__
from zot_provider.testing import Fault, ScriptedServer, Turn

KEY = "sk-0123456789"


class Doctor:
    """Runs `zot doctor` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, dict[str, str]]:
        """The exit code, and the lines of the report by topic."""
        code = run(arguments)
        out, err = self._capsys.readouterr()
        assert err == ""
        assert KEY not in out
        assert "\x1b" not in out
        lines = out.partition("\n\n")[0].splitlines()
        return code, {line[4:22].strip(): line[:4].strip() + " " + line[22:] for line in lines}


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """No local server listens where zot looks for one."""
    monkeypatch.setenv("LLAMA_BASE_URL", "http://127.0.0.1:1/v1")
    for name in ("http_proxy", "https_proxy"):  # settings set them for the process, and here others are to come
        monkeypatch.setenv(name, "")
    return Doctor(capsys)


def test_without_anything_it_says_what_to_do(doctor: Doctor, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = doctor("--offline")
    assert code == 1
    assert found["anthropic"] == "-- no key; set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN to use it"
    assert found["home"].startswith("ok ")
    assert found["home"].endswith("zot-home (will be created)")
    assert found["config.json"] == found["models.json"] == "-- not there (optional)"
    assert found["terminal"] == "-- standard output is not a terminal"
    assert "ollama" not in found
    run(["--offline"])
    assert capsys.readouterr().out.endswith(
        "\nno model is usable: set a key, start a local server, or run zot local setup\n"
    )


def test_an_endpoint_that_answers(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(key=KEY) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        code, found = doctor()
    assert code == 0
    assert found["anthropic"] == f"ok ANTHROPIC_API_KEY is set; {server.url} lists 1 model"
    assert found["llama.cpp"] == "-- no server at http://127.0.0.1:1/v1"


def test_an_endpoint_that_refuses_the_key(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(key="another") as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url("openai-chat"))
        code, found = doctor()
    assert code == 1
    assert found["openai"].startswith("no OPENAI_API_KEY is set, but the server answered 401 Unauthorized")
    assert found["openai"].endswith("; check the API key (OPENAI_API_KEY)")


def test_an_endpoint_that_is_not_there(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hunter2@127.0.0.1:1/v1")
    code, found = doctor()
    assert code == 1
    assert "cannot connect to http://127.0.0.1:1/v1/models: connection refused" in found["openai"]
    code, found = doctor("--offline")
    assert code == 0
    assert found["openai"] == "ok OPENAI_API_KEY is set; http://127.0.0.1:1/v1 was not contacted"


def test_a_local_server_is_enough(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(models=["a\x1b[2J", "b", "c", "d"]) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.base_url("openai-chat"))
        code, found = doctor()
    assert code == 0
    assert found["llama.cpp"] == f"ok {server.url}/v1 serves a, b, c, ..."


def test_something_else_that_listens_is_no_model(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer([Turn(fault=Fault(status=200, body="<html>"))], key="x") as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.base_url("openai-chat"))
        code, found = doctor()
    assert code == 1
    assert found["llama.cpp"].startswith("-- the server answered 401")
    monkeypatch.setenv("LLAMA_BASE_URL", "nonsense")
    assert doctor()[1]["llama.cpp"].startswith("no the base URL")


def test_the_users_own_providers_are_looked_at(doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    with ScriptedServer(key=KEY) as server:
        base = server.base_url("openai-chat")
        providers = {"corp": {"baseUrl": base}, "free": {"baseUrl": base, "auth": "none"}}
        (home / "models.json").write_text(json.dumps({"providers": providers}))
        monkeypatch.setenv("CORP_API_KEY", KEY)
        code, found = doctor()
    assert code == 0
    assert found["corp"] == f"ok CORP_API_KEY is set; {base} lists 1 model"
    assert found["free"].startswith("-- the server answered 401")
    assert found["models.json"] == "ok valid"


def test_a_report_for_an_issue_has_versions_and_names_and_no_key_text_or_path(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "zot-home"
    (home / "extensions" / "guard").mkdir(parents=True)
    (home / "extensions" / "guard" / "extension.json").write_text('{"name": "guard", "exec": "./of-corp"}')
    (home / "config.json").write_text('{"http_proxy": "http://me:secret@proxy.corp:1", "max_steps": 7, "corp": 1}')
    (home / "models.json").write_text('{"providers": {"corp": {"baseUrl": "http://corp.example/v1"}}}')
    for left_out in ("skills/corp-a/SKILL.md", "skills/corp-b/SKILL.md", "prompts/corp secret.md"):
        (home / left_out).parent.mkdir(parents=True, exist_ok=True)
        (home / left_out).write_text("no front matter")
    monkeypatch.setenv("CORP_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    code, found = doctor("--report")
    assert code == 0
    assert found["skills"].strip() == found["prompts"].strip() == "--"  # what is left out is not named
    assert __version__ in found["zot"]
    assert found["openai"].strip() == found["own provider"].strip() == "ok"
    assert found["settings"] == "ok max_steps, http_proxy"
    assert found["extensions"] == "ok guard"
    assert found["updated with"] == "ok a clone"
    everything = " ".join([*found, *found.values()])
    assert [text for text in ("corp", "secret", str(tmp_path)) if text in everything] == []


def test_providers_of_extensions_are_looked_at(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "zot-home" / "extensions" / "models"
    folder.mkdir(parents=True)
    program = Path(__file__).parents[1] / "extensions" / "programs" / "models.py"
    providers = {"corp": {"stream": True, "auth": "none"}, "club": {"stream": True, "auth": "none", "signIn": {}}}
    manifest = {"name": "models", "exec": sys.executable, "args": [str(program)], "providers": providers}
    (folder / "extension.json").write_text(json.dumps(manifest))
    _, found = doctor("--offline")
    assert found["corp"] == "ok extension models serves it; it was not started"
    code, found = doctor()
    assert code == 0
    assert found["corp"] == "ok extension models serves 1 model"
    assert found["club"].startswith("-- no sign-in for club: run zot auth login club")


def test_files_that_cannot_be_understood_are_named_and_the_rest_is_looked_at(doctor: Doctor, tmp_path: Path) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"model": 3}')
    (home / "models.json").write_text("{")
    code, found = doctor("--offline")
    assert code == 1
    assert found["config.json"] == f"no {home}/config.json: model: expected text, got 3"
    assert found["models.json"].startswith(f"no {home}/models.json: line 1, column 2: ")
    assert found["zot"].startswith("ok 0.")


def test_skills_and_prompt_templates_that_are_left_out_are_named(doctor: Doctor, tmp_path: Path) -> None:
    home = tmp_path / "zot-home"
    (home / "skills/bad").mkdir(parents=True)
    (home / "skills/bad/SKILL.md").write_text("no front matter")
    (home / "prompts").mkdir()
    (home / "prompts/greet.md").write_text("Say hello.")
    (home / "prompts/huge.md").write_bytes(b"x" * 10_000_000)
    _, found = doctor("--offline")
    assert found["skills"].startswith(f"-- {home}/skills/bad/SKILL.md:1: no front matter")
    assert found["prompts"] == f"-- {home}/prompts/huge.md:1: it is longer than 64 KiB; it is left out"


def test_a_home_that_cannot_be_written(doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "zot-home").write_text("a file")
    code, found = doctor("--offline")
    assert code == 1
    assert found["home"].startswith("no ")
    assert found["home"].endswith(" (not writable)")


def test_sessions_are_counted(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "zot-home" / "sessions" / "0123"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").touch()
    (folder / "b.txt").touch()
    assert doctor("--offline")[1]["sessions"].endswith("(1 saved)")


def test_programs_that_are_missing_have_something_in_their_place(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert doctor("--offline")[1]["bash"] == "-- not found; sh is used instead"


def test_a_mistake_on_its_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--ofline"]) == 2
    assert capsys.readouterr().err == "zot: unrecognized arguments: --ofline; see zot doctor --help\n"
    assert run(["--help"]) == 0


def test_a_finding_is_folded_between_words_and_made_harmless() -> None:
    line = DoctorLine("no", "openai", "a\x1b[2Jb\nc " + "word " * 30 + "/a/long/path" * 10)
    lines = line.lines(80).splitlines()
    assert lines[0].startswith("no  openai            ab c word ")
    assert all(line.startswith(" " * 22) for line in lines[1:])
    assert all(len(line) <= 80 or "/a/long" in line for line in lines)
    assert DoctorLine("ok", "x", "").lines(80) == "ok  x                 \n"


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"provider": "nope"}, "unknown provider 'nope'"), ({"model": "claude-sonet"}, "unknown model 'claude-sonet'")],
)
def test_settings_with_which_zot_cannot_begin_are_told(
    settings: dict[str, str], words: str, doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert doctor("--offline")[0] == 0
    (home / "config.json").write_text(json.dumps(settings))
    code, found = doctor("--offline")
    assert code == 1
    assert found["config.json"].startswith(f"no {home}/config.json: {words}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zot-home/mcp.json", '{"mcpServers": {"a": {"command": "x", "disabled": "true"}}}'),
        ("zot-home/agents/a.md", "---\ndescription: d\npermissions: aks\n---\nx"),
        ("zot-home/extensions/a/extension.json", '{"name": "a", "exec": "./a", "guards": []}'),
        ("zot-home/permissions.json", "{"),
    ],
)
def test_another_file_with_which_no_mode_starts_is_named(name: str, text: str, doctor: Doctor, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    code, found = doctor("--offline")
    assert code == 1
    assert found["start"].startswith("no ")
    assert str(path.parent) in found["start"]


def test_settings_without_a_key_or_with_a_custom_provider_are_valid(doctor: Doctor, tmp_path: Path) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"provider": "openai", "model": "gpt-5.1"}')
    assert doctor("--offline")[1]["config.json"] == "ok valid"
    (home / "models.json").write_text('{"providers": {"corp": {"baseUrl": "http://corp/v1"}}}')
    (home / "config.json").write_text('{"provider": "corp", "model": "any"}')
    assert doctor("--offline")[1]["config.json"] == "ok valid"
    (home / "models.json").write_text("{")  # and corp cannot be known
    assert doctor("--offline")[1]["config.json"] == "ok valid"


def test_the_help_tells_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "exit codes: 0 a model is usable" in capsys.readouterr().out
