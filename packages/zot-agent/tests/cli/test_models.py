import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.models import print_models
from zot_agent.host.options import HostOptions
from zot_provider.errors import ConfigError, MissingKey, ProviderError, UnknownName
from zot_provider.testing import ScriptedServer

KEY = "sk-0123456789"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "zot-home"
    folder.mkdir()
    return folder


def providers(home: Path, **providers: Any) -> None:
    (home / "models.json").write_text(json.dumps({"providers": providers}))


def listed(capsys: pytest.CaptureFixture[str], search: str = "", code: int = 0, **options: str) -> list[str]:
    assert print_models(search, HostOptions(**options)) == code  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines()


def test_every_catalogue_is_listed_a_model_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = listed(capsys)
    names = [line.split()[0] for line in lines]
    assert len(set(names)) == len(lines) > 50
    assert {"anthropic", "openai", "openai-responses"} <= {name.partition("/")[0] for name in names}
    assert any(
        line.startswith("anthropic/claude-haiku-4-5 ") and "200k context, $1 in, $5 out" in line for line in lines
    )


def test_a_search_and_a_provider_narrow_it_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert all("haiku" in line for line in listed(capsys, "HAIKU"))
    assert all(line.startswith("openai/") for line in listed(capsys, "gpt-5", provider="openai"))


def test_without_a_match_the_code_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_models("zzz", HostOptions(provider="openai")) == 1
    assert capsys.readouterr() == ("", "zot: no model of openai matches 'zzz'\n")


def test_an_unknown_provider_is_a_mistake(home: Path) -> None:
    with pytest.raises(UnknownName, match="unknown provider 'opnai'; did you mean openai"):
        print_models("", HostOptions(provider="opnai"))


def test_the_users_models_stand_among_them_with_their_prices(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = {"id": "m1", "name": "Big One", "contextWindow": 64000, "priceInput": 1.5, "priceOutput": 2}
    own = {"baseUrl": "http://127.0.0.1:1/v1", "models": [model, {"id": "m2", "reasoning": True}]}
    providers(home, corp=own, openai={"models": [{"id": "gpt-5.1", "contextWindow": 1000}, {"id": "ours"}]})
    lines = listed(capsys, provider="corp")
    assert lines == [
        "corp/m1  64k context, $1.5 in, $2 out per million",
        "corp/m2  context unknown, price unknown, reasons",
    ]
    assert len(listed(capsys, "big one")) == 1
    lines = listed(capsys, provider="openai")
    (line,) = [line for line in lines if line.startswith("openai/gpt-5.1 ")]
    assert line.endswith("  1k context, $1.25 in, $10 out per million, reasons")
    assert any(line.startswith("openai/ours ") for line in lines)


def test_a_server_without_a_catalogue_is_asked(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORP_API_KEY", KEY)
    with ScriptedServer(key=KEY, models=["one", "two\x1b[2J\n"]) as server:
        providers(
            home, corp={"baseUrl": server.base_url("openai-chat"), "models": [{"id": "one", "contextWindow": 9000}]}
        )
        assert listed(capsys, provider="corp") == [
            "corp/one  9k context, price unknown",
            "corp/two  context unknown, price unknown",
        ]
        everything = listed(capsys)
    assert [line for line in everything if line.startswith("corp/")]


def test_the_server_at_a_base_url_is_asked_for_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(models=["tiny"]) as server:
        lines = listed(capsys, base_url=server.base_url("openai-chat"))
    assert lines == ["local/tiny  context unknown, price unknown"]


def test_a_server_that_alone_was_asked_says_why_it_does_not_answer(home: Path) -> None:
    with pytest.raises(
        ProviderError, match=r"^local: cannot connect to http://127\.0\.0\.1:1/models: connection refused"
    ):
        print_models("", HostOptions(base_url="http://127.0.0.1:1"))
    providers(home, corp={"baseUrl": "http://127.0.0.1:1/v1"})
    with pytest.raises(MissingKey, match="set CORP_API_KEY"):
        print_models("", HostOptions(provider="corp"))


def test_a_wrong_file_is_named(home: Path) -> None:
    (home / "models.json").write_text("[]")
    with pytest.raises(ConfigError, match=r"models\.json: expected an object, got a list"):
        print_models("", HostOptions())
