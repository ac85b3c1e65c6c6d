import io
import json
import re
from pathlib import Path

import pytest

from zot_agent.cli.auth import run
from zot_provider.testing import ScriptedServer

KEY = "sk-0123456789-very-secret"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    return tmp_path


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def login(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer, text: str, provider: str = "openai") -> int:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url("openai-chat"))
    type_in(monkeypatch, text)
    return run(["login", provider])


def test_a_key_is_stored_after_the_provider_has_accepted_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(key=KEY) as server:
        assert login(monkeypatch, server, f"  {KEY}\n") == 0
    assert [request.path for request in server.requests] == ["/v1/models"]
    assert json.loads((home / "auth.json").read_text()) == {"openai": {"api_key": KEY}}
    out, err = capsys.readouterr()
    assert out.startswith(f"OpenAI: stored in {home}/auth.json, which only you can read")
    assert "could not be checked" not in out
    assert KEY not in out + err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sk-wrong-0123456789\n", "openai refuses this key (status 401); copy it again"),
        ("", "the key is empty"),
        ("sk-one two-secret\n", "holds spaces or unusual characters"),
        ("sk-one\nsk-two-secret\n", "one line and nothing else"),
        ("sk-ключ-secret\n", "holds spaces or unusual characters"),
    ],
)
def test_a_key_that_cannot_be_right_is_not_stored(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    with ScriptedServer(key=KEY) as server:
        assert login(monkeypatch, server, text) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert err.count("\n") == 1
    assert "secret" not in out + err
    assert not (home / "auth.json").exists()


def test_a_key_that_cannot_be_checked_is_stored_with_a_word(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    type_in(monkeypatch, KEY)
    assert run(["login", "openai"]) == 0
    assert "it could not be checked: openai: cannot connect to http://127.0.0.1:1/v1/models" in capsys.readouterr().out
    assert KEY in (home / "auth.json").read_text()


def test_status_names_the_source_and_never_the_key(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (home / "auth.json").write_text(
        json.dumps({"openai": {"api_key": KEY}, "anthropic": {"api_key": KEY}, "nobody": {"api_key": KEY}})
    )
    (home / "keyring.json").write_text(
        json.dumps({"backend": "keyring.backends.fail.Keyring", "service": "x", "kinds": {"elsewhere": "oauth"}})
    )
    assert run(["status"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^anthropic +API key in \$ANTHROPIC_API_KEY$", out, re.MULTILINE)
    assert f"API key in {home}/auth.json\n" in out
    assert "nobody" in out
    assert "(zot knows no such provider)" in out
    assert "sign-in in the keyring" in out
    assert f"note: {home}/auth.json could be read by other users" in out
    assert run(["status", "--json"]) == 0
    told = json.loads(text := capsys.readouterr().out)
    assert KEY not in out + text
    assert {each["provider"]: each["source"] for each in told["accounts"]} == {
        "anthropic": "environment",
        "openai": "file",
        "nobody": "file",
        "elsewhere": "keyring",
    }


def test_status_without_a_key_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status"]) == 1
    assert "run zot auth login" in capsys.readouterr().out


def test_status_of_a_damaged_file_still_shows_variables(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (home / "auth.json").write_text('{"openai": ')
    assert run(["status"]) == 0
    out = capsys.readouterr().out
    assert "$ANTHROPIC_API_KEY" in out
    assert "repair it, or move it away" in out


def test_logout_deletes_what_is_stored_and_says_what_is_still_used(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "auth.json").write_text(json.dumps({"openai": {"api_key": KEY}, "new": {"passkey": 1}}))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert run(["logout"]) == 0
    assert capsys.readouterr().out == "deleted what was stored for openai\n$OPENAI_API_KEY is still set and is used\n"
    assert json.loads((home / "auth.json").read_text()) == {"new": {"passkey": 1}}
    assert run(["logout", "openai"]) == 1
    assert capsys.readouterr().err == "zot: nothing is stored for openai\n"


def test_status_with_all_says_whose_key_a_provider_takes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "auth.json").write_text(json.dumps({"openai": {"api_key": KEY}}))
    assert run(["status", "--all"]) == 0
    assert f"API key in {home}/auth.json, stored for openai\n" in capsys.readouterr().out


def test_logout_of_a_provider_that_takes_the_key_of_another_deletes_its_own_first(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "auth.json").write_text(json.dumps({"openai": {"api_key": KEY}, "openai-responses": {"api_key": KEY}}))
    assert run(["logout", "openai-responses"]) == 0
    assert capsys.readouterr().out == (
        "deleted what was stored for openai-responses\nwhat is stored for openai is used now\n"
    )
    assert run(["logout", "openai-responses"]) == 0
    assert capsys.readouterr().out == "deleted what was stored for openai\n"
    assert json.loads((home / "auth.json").read_text()) == {}


def test_logout_asks_which_of_several(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "auth.json").write_text(json.dumps({"openai": {"api_key": KEY}, "anthropic": {"api_key": KEY}}))
    assert run(["logout"]) == 2
    assert capsys.readouterr().err.startswith("zot: which provider? stored are: openai, anthropic")


@pytest.mark.parametrize("words", ["", "nothing", "login opnai", "move", "move x", "login local", "status -x"])
def test_mistakes_are_one_line(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == 2
    err = capsys.readouterr().err
    assert err.startswith("zot: ")
    assert err.count("\n") == 1


def test_nothing_to_move_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["move", "keyring"]) == 1
    assert capsys.readouterr().err == "zot: nothing to move\n"
