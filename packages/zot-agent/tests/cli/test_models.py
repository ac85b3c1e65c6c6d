import json
import re
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.models import print_models, run
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
    assert {name.partition("/")[0] for name in names} >= {"anthropic", "openai", "openrouter", "groq"}
    (line,) = [line for line in lines if line.startswith("anthropic/claude-haiku-4-5 ")]
    assert re.split("  +", line)[1:] == [
        "200k context", "64k output", "$1 in, $5 out per million", "reasoning, images",
    ]  # fmt: skip


def test_a_list_for_programs_is_one_json_object_in_which_an_unknown_price_is_null(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    providers(home, corp={"baseUrl": "http://127.0.0.1:1/v1", "models": [{"id": "claude-opus-5-5", "name": "Own"}]})
    assert print_models("own corp", HostOptions(), as_json=True) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert model == {
        "id": "claude-opus-5-5", "provider": "corp", "name": "Own", "context_window": 1_000_000,
        "max_output": 128_000,
        "reasoning": True, "reasoning_levels": ["low", "medium", "high", "xhigh", "max"], "images": True,
        "price_input": None, "price_output": None, "price_cache_read": None, "price_cache_write": None,
    }  # fmt: skip


def test_a_field_without_effect_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    providers(home, anthropic={"colour": 1})
    assert print_models("opus", HostOptions()) == 0
    line = f"zot: {home}/models.json: providers.anthropic.colour: unknown field, ignored\n"
    assert capsys.readouterr().err == line


def test_new_lists_are_asked_for_and_kept(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORP_API_KEY", KEY)
    with ScriptedServer(key=KEY, models=["one", "two"]) as server:
        providers(home, corp={"baseUrl": server.base_url("openai-chat"), "discover": False})
        assert listed(capsys, "corp", code=1) == []
        assert run(["refresh", "--provider", "corp"]) == 0
        assert capsys.readouterr().out == "corp: 2 models\n"
    assert [line.split()[0] for line in listed(capsys, "corp")] == ["corp/one", "corp/two"]
    assert run(["one", "--provider", "corp", "--json"]) == 0
    assert [model["id"] for model in json.loads(capsys.readouterr().out)["models"]] == ["one"]
    assert run(["refresh", "--provider", "corp"]) == 1
    assert "corp: cannot connect to" in capsys.readouterr().err


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
        "corp/m1  64k context      output unknown  $1.5 in, $2 out per million  images",
        "corp/m2  context unknown  output unknown  price unknown",
    ]
    assert len(listed(capsys, "big one")) == 1
    lines = listed(capsys, provider="openai")
    (line,) = [line for line in lines if line.startswith("openai/gpt-5.1 ")]
    assert re.split("  +", line)[1] == "1k context"
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
            "corp/one  9k context       output unknown  price unknown  images",
            "corp/two  context unknown  output unknown  price unknown",
        ]
        everything = listed(capsys)
    assert [line for line in everything if line.startswith("corp/")]


def test_the_server_at_a_base_url_is_asked_for_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(models=["tiny"]) as server:
        lines = listed(capsys, base_url=server.base_url("openai-chat"))
    assert lines == ["local/tiny  context unknown  output unknown  price unknown"]


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
