from urllib.parse import urlsplit

import pytest

from zot_provider.catalog import find_model, list_models
from zot_provider.errors import UnknownName
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.wire import WIRES


@pytest.fixture(params=PROVIDERS, ids=lambda provider: provider.id)
def provider(request: pytest.FixtureRequest) -> Provider:
    return request.param


def test_the_ids_are_unique() -> None:
    assert len({provider.id for provider in PROVIDERS}) == len(PROVIDERS)


def test_a_provider_has_an_id_that_fits_on_a_command_line_and_a_title(provider: Provider) -> None:
    assert provider.id.replace("-", "").isalnum()
    assert provider.id == provider.id.lower()
    assert provider.title


def test_a_provider_speaks_a_wire_of_the_registry(provider: Provider) -> None:
    assert provider.wire in WIRES


def test_a_base_url_is_a_url_without_a_slash_at_its_end(provider: Provider) -> None:
    if provider.base_url is None:
        return
    url = urlsplit(provider.base_url)
    assert url.scheme in ("http", "https")
    assert url.hostname
    assert not provider.base_url.endswith("/")


def test_a_key_goes_to_https_only(provider: Provider) -> None:
    if provider.key_env:
        assert provider.base_url is not None
        assert provider.base_url.startswith("https://")


def test_key_variables_look_like_environment_variables(provider: Provider) -> None:
    assert all(name.isidentifier() and name == name.upper() for name in provider.key_env)


def test_a_catalogue_that_is_named_holds_models(provider: Provider) -> None:
    assert bool(list_models(provider)) == (provider.catalog is not None)


def test_the_default_model_can_serve_an_agent(provider: Provider) -> None:
    if provider.default_model is None:
        assert provider.catalog is None, "a provider with a catalogue names a default"
        return
    model = find_model(provider, provider.default_model)
    assert model is not None
    assert model.context_window >= 100_000
    assert model.max_output >= 8_000
    assert model.price is not None


def test_a_provider_is_found_by_its_id(provider: Provider) -> None:
    assert ModelRegistry().provider(provider.id) is provider


def test_a_misspelt_provider_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown provider 'antropic'; did you mean anthropic"):
        ModelRegistry().provider("antropic")


def test_a_provider_like_no_other_is_answered_with_all() -> None:
    with pytest.raises(UnknownName) as caught:
        ModelRegistry().provider("zzz")
    assert all(provider.id in str(caught.value) for provider in PROVIDERS)


def test_openai_gets_the_answer_limit_under_the_name_its_reasoning_models_take() -> None:
    assert ModelRegistry().provider("openai").quirks.max_tokens_field == "max_completion_tokens"


def test_both_wires_of_openai_share_account_and_models() -> None:
    chat, responses = ModelRegistry().provider("openai"), ModelRegistry().provider("openai-responses")
    assert (chat.base_url, chat.key_env, chat.catalog) == (responses.base_url, responses.key_env, responses.catalog)
    assert chat.wire != responses.wire
