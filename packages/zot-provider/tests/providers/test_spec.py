import pytest

from zot_provider.errors import ConfigError
from zot_provider.model import Model
from zot_provider.providers.spec import Provider, Route, Variable
from zot_provider.registry import ModelRegistry
from zot_provider.wire.base import Quirks

MIXED = Provider(
    "mixed",
    "Mixed",
    "openai-chat",
    "https://mixed.example/{account}/v1",
    routes=(
        Route(("claude-*",), wire="anthropic-messages", base_url="https://mixed.example/{account}/anthropic"),
        Route(("gpt-*", "o3"), wire="openai-responses", quirks=Quirks(prompt_cache_key=True)),
    ),
    variables=(Variable("account", ("MIXED_ACCOUNT", "MIXED_ID")),),
)
OWN_AND_ELSEWHERE = Provider(
    "own", "Own", "openai-responses", "https://own.example/v1", elsewhere=Route(wire="openai-chat")
)


def served(provider: Provider, model: str, base_url: str = "") -> tuple[str, str | None]:
    found = provider.serve(Model(model, provider.id), base_url)
    return found.wire, found.base_url


@pytest.mark.parametrize(
    ("model", "given", "host"),
    [
        ("arn:aws:bedrock:eu-west-3:1:inference-profile/x", "", "bedrock-runtime.eu-west-3.amazonaws.com"),
        ("arn:aws:bedrock:eu-west-3:1:inference-profile/x", "https://bedrock-runtime.us-west-2.amazonaws.com",
         "bedrock-runtime.eu-west-3.amazonaws.com"),
        ("arn:aws:bedrock:eu-west-3:1:inference-profile/x", "https://proxy.example", "proxy.example"),
        ("arn:aws:bedrock:evil.example/:1:inference-profile/x", "", "bedrock-runtime.us-east-1.amazonaws.com"),
        ("anthropic.claude-opus-5-5", "", "bedrock-runtime.us-east-1.amazonaws.com"),
    ],
)  # fmt: skip
def test_the_region_in_the_id_of_a_model_counts_more_than_that_of_the_environment(
    model: str, given: str, host: str
) -> None:
    provider = ModelRegistry(environ={}).provider("bedrock")
    assert served(provider.fill({}), model, given)[1] == f"https://{host}"


def test_a_model_is_served_by_the_first_route_that_matches() -> None:
    filled = MIXED.fill({"MIXED_ID": " 7 "})
    assert served(filled, "claude-x") == ("anthropic-messages", "https://mixed.example/7/anthropic")
    assert served(filled, "o3") == ("openai-responses", "https://mixed.example/7/v1")
    assert filled.serve(Model("o3", "mixed")).quirks.prompt_cache_key
    assert served(filled, "o3-mini") == ("openai-chat", "https://mixed.example/7/v1")


def test_the_base_url_of_the_user_counts_more_than_that_of_a_route() -> None:
    assert served(MIXED, "claude-x", "https://proxy.example") == ("anthropic-messages", "https://proxy.example")


def test_a_model_may_say_itself_how_it_is_served() -> None:
    model = Model("claude-x", "mixed", wire="openai-chat", base_url="https://other.example")
    found = MIXED.serve(model)
    assert (found.wire, found.base_url) == ("openai-chat", "https://other.example")


@pytest.mark.parametrize("url", ["https://own.example/v1", "https://own.example", " https://own.example/v1/ ", ""])
def test_the_own_address_is_no_other_address(url: str) -> None:
    assert served(OWN_AND_ELSEWHERE, "m", url)[0] == "openai-responses"


def test_a_server_at_another_address_is_a_compatible_one() -> None:
    assert served(OWN_AND_ELSEWHERE, "m", "http://localhost:8080/v1") == ("openai-chat", "http://localhost:8080/v1")


def test_a_variable_without_a_value_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^mixed needs an address: set MIXED_ACCOUNT or MIXED_ID$"):
        MIXED.fill({"MIXED_ACCOUNT": " "})
