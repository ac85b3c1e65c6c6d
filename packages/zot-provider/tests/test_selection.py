import pytest

from zot_provider.catalog.user import parse_user_models
from zot_provider.errors import MissingKey, UnknownName
from zot_provider.registry import ModelRegistry
from zot_provider.selection import select

ANTHROPIC = {"ANTHROPIC_API_KEY": "a-key"}
OPENAI = {"OPENAI_API_KEY": " o-key\n"}
BASE = "http://127.0.0.1:8080/v1"

CASES = [
    pytest.param({}, ANTHROPIC, ("anthropic", "claude-opus-5-5", "a-key", ""), id="the provider of the key"),
    pytest.param({}, OPENAI, ("openai", "gpt-6.1-sol", "o-key", ""), id="a key with white space around it"),
    pytest.param(
        {"provider": "openai"}, ANTHROPIC | OPENAI, ("openai", "gpt-6.1-sol", "o-key", ""), id="the provider named"
    ),
    pytest.param(
        {"model": "gpt-5.1"}, ANTHROPIC | OPENAI, ("openai", "gpt-5.1", "o-key", ""), id="the model's provider"
    ),
    pytest.param(
        {"model": "openai-responses/gpt-6.1-sol"}, OPENAI, ("openai-responses", "gpt-6.1-sol", "o-key", ""), id="both"
    ),
    pytest.param({"model": "anthropic/"}, ANTHROPIC, ("anthropic", "claude-opus-5-5", "a-key", ""), id="a slash"),
    pytest.param({"api_key": "mine"}, ANTHROPIC, ("anthropic", "claude-opus-5-5", "mine", ""), id="a key given"),
    pytest.param({"provider": "ollama"}, {}, ("ollama", "", "", ""), id="only the server knows"),
    pytest.param({"provider": "ollama", "model": "qwen3:8b"}, {}, ("ollama", "qwen3:8b", "", ""), id="any name"),
    pytest.param({"base_url": BASE}, {}, ("local", "", "", BASE), id="an address alone"),
    pytest.param({"base_url": BASE, "model": "org/m"}, {}, ("local", "org/m", "", BASE), id="a slash in the model"),
    pytest.param(
        {"base_url": BASE, "provider": "openai", "model": "my-model"},
        OPENAI,
        ("openai", "my-model", "o-key", BASE),
        id="a server has its own names",
    ),
]


@pytest.mark.parametrize(("given", "environ", "expected"), CASES)
def test_a_selection(given: dict[str, str], environ: dict[str, str], expected: tuple[str, ...]) -> None:
    found = select(**given, environ=environ)
    assert (found.provider.id, found.model.id, found.key, found.base_url) == expected
    assert found.model.provider == found.provider.id


CORP = parse_user_models({"providers": {
    "corp": {"baseUrl": "http://corp/v1", "models": [{"id": "m1"}, {"id": "gpt-5.1"}]},
    "bare": {"baseUrl": "http://bare/v1", "auth": "none"},
}})  # fmt: skip

OWN = [
    pytest.param({"provider": "corp"}, ("corp", "m1", "c-key"), id="the first model is the default"),
    pytest.param({"model": "m1"}, ("corp", "m1", "c-key"), id="a model's provider"),
    pytest.param({"model": "corp/org/m"}, ("corp", "org/m", "c-key"), id="any name is taken"),
    pytest.param({"provider": "bare"}, ("bare", "", ""), id="no key, no models"),
    pytest.param({"model": "gpt-5.1"}, ("openai", "gpt-5.1", "o-key"), id="a provider with a key comes first"),
    pytest.param({"model": "gpt-5.1", "default_provider": "corp"}, ("corp", "gpt-5.1", "c-key"), id="the default"),
    pytest.param({"default_provider": "corp"}, ("corp", "m1", "c-key"), id="the default before one with a key"),
    pytest.param({"default_provider": "bare", "model": "new"}, ("bare", "new", ""), id="the default, unknown name"),
    pytest.param({"default_provider": "corp", "model": "claude-haiku-4-5", "api_key": "k"},
                 ("anthropic", "claude-haiku-4-5", "k"), id="but a model's provider takes precedence"),
    pytest.param({"default_provider": "gone"}, ("openai", "gpt-6.1-sol", "o-key"), id="nobody of that name"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), OWN)
def test_a_selection_among_the_users_own_providers(given: dict[str, str], expected: tuple[str, ...]) -> None:
    found = select(**given, environ=OPENAI | {"CORP_API_KEY": "c-key"}, known=CORP)
    assert (found.provider.id, found.model.id, found.key) == expected


def test_without_any_key_the_users_variables_are_named_too() -> None:
    with pytest.raises(MissingKey, match=r", CORP_API_KEY or the variable of another .* no key \(ollama, .*, bare\)"):
        select(environ={}, known=CORP)


def test_without_any_key_a_few_variables_are_named() -> None:
    with pytest.raises(MissingKey) as missing:
        select(environ={"OPENAI_API_KEY": "  "})
    text = str(missing.value)
    assert text.startswith("no API key found: set ANTHROPIC_API_KEY, OPENAI_API_KEY, ")
    assert len(text) < 250
    assert missing.value.parameter == "provider"


@pytest.mark.parametrize(
    "given",
    [{"provider": "azure"}, {"model": "azure/gpt-x"}, {"default_provider": "azure"}],
)
def test_another_name_of_a_provider_selects_it(given: dict[str, str]) -> None:
    found = select(**given, environ={"AZURE_OPENAI_API_KEY": "k"})
    assert found.provider.id == found.model.provider == "azure-openai-responses"


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean anthropic"):
        select("antropic", environ=ANTHROPIC)
    with pytest.raises(UnknownName, match=r"unknown model 'gpt-5\.0'; did you mean"):
        select("openai", "gpt-5.0", environ=OPENAI)
    with pytest.raises(UnknownName):
        select("openai", "anthropic/claude-sonnet-4-6", environ=OPENAI)


def test_an_unknown_provider_before_a_slash_is_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown provider 'opnai'; did you mean openai") as caught:
        select(model="opnai/gpt-5.1", environ=OPENAI)
    assert caught.value.parameter == "model"
    with pytest.raises(UnknownName, match="unknown provider 'opnai'; did you mean openai"):
        select(model="opnai/gpt-5.1", environ={})
    with pytest.raises(UnknownName, match="unknown provider 'unheard'"):
        select(model="unheard/llama", environ=OPENAI)
    with pytest.raises(MissingKey):
        select(model="unheard/llama", environ={})
    with pytest.raises(UnknownName, match="unknown model 'unheard/llama'"):
        select("openai", "unheard/llama", environ=OPENAI)


@pytest.mark.parametrize("given", [{"provider": "ollama"}, {"base_url": BASE}, {"default_provider": "corp"}])
def test_a_server_without_a_catalogue_may_have_models_with_a_slash(given: dict[str, str]) -> None:
    environ = {"CORP_API_KEY": "c-key"}
    for name in ("unheard/llama", "opnai/gpt-5.1"):
        assert select(model=name, environ=environ, known=CORP, **given).model.id == name


def test_a_name_with_surrogates_is_shown_without_escapes() -> None:
    with pytest.raises(UnknownName, match="unknown provider 'caf\ufffd'"):
        select("caf\udce9", environ=OPENAI)


@pytest.mark.parametrize(
    ("name", "id", "level"),
    [
        ("sonnet", "anthropic/claude-sonnet-5-5", None),
        ("sonnet:high", "anthropic/claude-sonnet-5-5", "high"),
        ("anthropic/opus:off", "anthropic/claude-opus-5-5", "off"),
        ("claude-opus-7:max", "anthropic/claude-opus-7", "max"),
        ("ollama/llama3:8b", "ollama/llama3:8b", None),
        ("ollama/llama3:8b:low", "ollama/llama3:8b", "low"),
    ],
)
def test_words_of_an_id_and_a_level_select_a_model(name: str, id: str, level: str | None) -> None:
    found = select(model=name, environ=ANTHROPIC)
    assert (f"{found.provider.id}/{found.model.id}", found.reasoning) == (id, level)


def test_an_exact_id_counts_more_than_a_level_at_its_end() -> None:
    known = parse_user_models({"providers": {"corp": {"baseUrl": "http://corp/v1", "models": [{"id": "m:high"}]}}})
    found = select(model="m:high", environ={"CORP_API_KEY": "k"}, known=known)
    assert (found.provider.id, found.model.id, found.reasoning) == ("corp", "m:high", None)
    assert ModelRegistry(known, environ={}).split_level("corp/m:high") == ("corp/m:high", None)


def test_an_id_of_a_gateway_selects_the_gateway_if_only_that_has_a_key() -> None:
    gateway = {"OPENROUTER_API_KEY": "k"}
    name = "anthropic/claude-opus-4.7"
    assert select(model=name, environ=gateway).provider.id == "openrouter"
    assert select(model=name, environ=gateway | ANTHROPIC).provider.id == "anthropic"


def test_an_unknown_newer_model_has_the_facts_of_its_family() -> None:
    found = select(model="claude-opus-7", environ=ANTHROPIC).model
    assert (found.context_window, found.max_output, found.price) == (1_000_000, 128_000, None)
