import asyncio

import pytest
from waiting import PATIENCE

from zot_agent.local.pick import ModelPick, ServerCandidate, demo_pick, local_provider, pick_model, server_candidates
from zot_provider.testing import Fault, ScriptedServer, Turn

NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path))


def pick(environ: dict[str, str], *urls: str, limit: float = PATIENCE) -> ModelPick:
    candidates = [ServerCandidate(f"server {number}", local_provider(), url) for number, url in enumerate(urls)]
    return asyncio.run(pick_model(environ, candidates, limit))


def test_a_key_comes_before_a_server_that_answers() -> None:
    with ScriptedServer() as server:
        found = pick({"OPENAI_API_KEY": "k"}, server.base_url("openai-chat"))
        assert server.requests == []
    assert (found.kind, found.tag, found.model, found.base_url) == ("key", "key:openai", "", "")
    assert "OPENAI_API_KEY" in found.why
    assert "k" not in found.why.split()


def test_the_first_provider_with_a_key_is_taken() -> None:
    assert pick({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}).tag == "key:anthropic"


def test_a_blank_key_is_no_key() -> None:
    assert pick({"OPENAI_API_KEY": "  "}).kind == "demo"


def test_the_first_server_that_answers_comes_before_the_demo_model() -> None:
    with ScriptedServer(models=["one", "two"]) as first, ScriptedServer(models=["three"]) as second:
        url = first.base_url("openai-chat")
        found = pick({}, NOWHERE, url, second.base_url("openai-chat"))
    assert (found.kind, found.tag, found.model, found.base_url) == ("server", f"server:{url}", "one", url)
    assert url in found.why


def test_a_server_without_models_and_an_address_that_is_none_are_passed_over() -> None:
    with ScriptedServer(models=[]) as server:
        found = pick({}, server.base_url("openai-chat"), "nonsense", NOWHERE)
    assert (found.kind, found.tag, found.ready) == ("demo", "demo:needs-setup", False)


def test_a_server_that_says_nothing_is_given_up() -> None:
    with ScriptedServer([Turn(fault=Fault(stall=100_000))]) as server:
        found = pick({}, server.url + "/silent", limit=0.2)
    assert found.kind == "demo"


def test_the_usual_places_are_those_of_providers_that_need_no_key() -> None:
    assert [place.base_url for place in server_candidates({})] == [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8080/v1",
        "http://127.0.0.1:1234/v1",
        "http://localhost:8000/v1",
    ]


def test_a_server_that_is_named_comes_first() -> None:
    assert server_candidates({"LLAMA_BASE_URL": "http://box:1/v1"})[0].base_url == "http://box:1/v1"
    assert len(server_candidates({"LLAMA_BASE_URL": "http://box:1/v1"})) == 4


def test_a_key_for_a_local_server_is_no_reason_to_choose_it() -> None:
    assert pick({"OLLAMA_API_KEY": "k"}).kind == "demo"


def test_the_demo_model_is_said_to_be_one() -> None:
    assert demo_pick("as asked").why == "the demo model in this process, as asked"
