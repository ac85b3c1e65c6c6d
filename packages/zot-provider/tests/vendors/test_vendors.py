from urllib.parse import urlsplit

import pytest

from zot_provider.catalog import find_model, list_models
from zot_provider.errors import UnknownName
from zot_provider.vendors import VENDORS, find_vendor
from zot_provider.wire import WIRES


@pytest.fixture(params=VENDORS, ids=lambda vendor: vendor.id)
def vendor(request):
    return request.param


def test_the_ids_are_unique():
    assert len({vendor.id for vendor in VENDORS}) == len(VENDORS)


def test_a_vendor_has_an_id_that_fits_on_a_command_line_and_a_title(vendor):
    assert vendor.id.replace("-", "").isalnum()
    assert vendor.id == vendor.id.lower()
    assert vendor.title


def test_a_vendor_speaks_a_wire_of_the_registry(vendor):
    assert vendor.wire in WIRES


def test_a_base_url_is_a_url_without_a_slash_at_its_end(vendor):
    if vendor.base_url is None:
        return
    url = urlsplit(vendor.base_url)
    assert url.scheme in ("http", "https")
    assert url.hostname
    assert not vendor.base_url.endswith("/")


def test_a_key_goes_to_https_only(vendor):
    if vendor.key_env:
        assert vendor.base_url is not None
        assert vendor.base_url.startswith("https://")


def test_key_variables_look_like_environment_variables(vendor):
    assert all(name.isidentifier() and name == name.upper() for name in vendor.key_env)


def test_a_catalogue_that_is_named_holds_models(vendor):
    assert bool(list_models(vendor)) == (vendor.catalog is not None)


def test_the_default_model_can_serve_an_agent(vendor):
    if vendor.default_model is None:
        assert vendor.catalog is None, "a vendor with a catalogue names a default"
        return
    model = find_model(vendor, vendor.default_model)
    assert model is not None
    assert model.context_window >= 100_000
    assert model.max_output >= 8_000
    assert model.price is not None


def test_a_vendor_is_found_by_its_id(vendor):
    assert find_vendor(vendor.id) is vendor


def test_a_misspelt_vendor_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match=r"unknown vendor 'antropic'; did you mean anthropic"):
        find_vendor("antropic")


def test_a_vendor_nobody_could_have_meant_is_answered_with_all():
    with pytest.raises(UnknownName) as caught:
        find_vendor("zzz")
    assert all(vendor.id in str(caught.value) for vendor in VENDORS)


def test_openai_gets_the_answer_limit_under_the_name_its_reasoning_models_take():
    assert find_vendor("openai").quirks.max_tokens_field == "max_completion_tokens"


def test_both_wires_of_openai_share_account_and_models():
    chat, responses = find_vendor("openai"), find_vendor("openai-responses")
    assert (chat.base_url, chat.key_env, chat.catalog) == (responses.base_url, responses.key_env, responses.catalog)
    assert chat.wire != responses.wire
