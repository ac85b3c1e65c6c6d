from urllib.parse import urlsplit

import pytest

from zot_provider.catalog import find_model, list_models
from zot_provider.errors import UnknownName
from zot_provider.families import family
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS, provider_id
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.wire import WIRES


@pytest.fixture(params=PROVIDERS, ids=lambda provider: provider.id)
def provider(request: pytest.FixtureRequest) -> Provider:
    return request.param


def test_the_ids_are_unique() -> None:
    assert len({provider.id for provider in PROVIDERS}) == len(PROVIDERS)


def test_a_provider_has_an_id_that_fits_on_a_command_line_and_a_title(provider: Provider) -> None:
    assert provider.id.replace("-", "").replace(".", "").isalnum()
    assert provider.id == provider.id.lower()
    assert provider.title


def test_a_provider_speaks_a_wire_of_the_registry(provider: Provider) -> None:
    assert provider.wire in WIRES


@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each.base_url], ids=lambda provider: provider.id)
def test_a_base_url_is_a_url_without_a_slash_at_its_end(provider: Provider) -> None:
    url = urlsplit(provider.base_url)
    assert url.scheme in ("http", "https")
    assert url.hostname
    assert not provider.base_url.endswith("/")


def test_a_key_goes_to_https_or_to_this_machine_only(provider: Provider) -> None:
    for url in (provider.base_url, *(route.base_url for route in provider.routes)):
        assert not url or not provider.key_env or url.startswith("https://") or provider.keyless


def test_providers_with_one_key_variable_share_the_stored_key() -> None:
    groups: dict[str, list[Provider]] = {}
    for provider in PROVIDERS:
        for name in provider.key_env[:1]:
            groups.setdefault(name, []).append(provider)
    groups.pop("MOONSHOT_API_KEY")  # the keys of China are others
    for first, *others in groups.values():
        assert [each.key_of for each in others] == [first.id] * len(others)
        assert (first.key_of, first.aliases) == ("", ()) or not others
    assert sum(bool(each.key_of) for each in PROVIDERS) == 3


def test_another_name_belongs_to_one_provider() -> None:
    names = [name for provider in PROVIDERS for name in (provider.id, *provider.aliases)]
    assert len(names) == len(set(names))
    assert all(ModelRegistry().provider(name).id == provider_id(name) for name in names)


def test_key_variables_look_like_environment_variables(provider: Provider) -> None:
    assert all(name.isidentifier() and name == name.upper() for name in provider.key_env)


def test_a_catalogue_that_is_named_holds_models(provider: Provider) -> None:
    assert bool(list_models(provider)) == (provider.catalog is not None)


# Of the others, only the server knows the models.
@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each.catalog], ids=lambda provider: provider.id)
def test_the_default_model_can_serve_an_agent(provider: Provider) -> None:
    assert provider.default_model is not None
    model = find_model(provider, provider.default_model)
    if model is None:
        assert family(provider.default_model) is None, (
            "a default that the catalogue does not have is of no known family"
        )
    else:
        assert model.context_window >= 100_000
        assert model.max_output >= 8_000


def test_a_provider_is_found_by_its_id(provider: Provider) -> None:
    assert ModelRegistry().provider(provider.id) is provider


def test_a_misspelt_provider_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown provider 'antropic'; did you mean anthropic"):
        ModelRegistry().provider("antropic")


def test_a_provider_like_no_other_is_answered_with_the_page_that_lists_all() -> None:
    with pytest.raises(UnknownName, match=r"^unknown provider 'zzz' \(docs/providers.md has all\)$"):
        ModelRegistry().provider("zzz")


def test_openai_speaks_responses_on_its_own_host_and_chat_completions_elsewhere() -> None:
    openai = ModelRegistry().provider("openai")
    assert openai.serve(Model("m", "openai")).wire == "openai-responses"
    there = openai.serve(Model("m", "openai"), "http://localhost:8080/v1")
    assert (there.wire, there.quirks.max_tokens_field) == ("openai-chat", "max_completion_tokens")


def test_responses_are_spoken_everywhere_by_the_provider_of_that_name() -> None:
    openai, responses = ModelRegistry().provider("openai"), ModelRegistry().provider("openai-responses")
    assert (openai.base_url, openai.key_env, openai.catalog) == (
        responses.base_url,
        responses.key_env,
        responses.catalog,
    )
    assert responses.serve(Model("m", "openai-responses"), "http://localhost:8080/v1").wire == "openai-responses"
