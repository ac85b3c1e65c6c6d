import pytest

from zot_provider.errors import MissingKey, UnknownName
from zot_provider.selection import select

ANTHROPIC = {"ANTHROPIC_API_KEY": "a-key"}
OPENAI = {"OPENAI_API_KEY": " o-key\n"}
BASE = "http://127.0.0.1:8080/v1"

CASES = [
    pytest.param({}, ANTHROPIC, ("anthropic", "claude-sonnet-4-6", "a-key", ""), id="the vendor of the key"),
    pytest.param({}, OPENAI, ("openai", "gpt-5.1", "o-key", ""), id="a key with white space around it"),
    pytest.param({"provider": "openai"}, ANTHROPIC | OPENAI, ("openai", "gpt-5.1", "o-key", ""), id="the vendor named"),
    pytest.param({"model": "gpt-5.1"}, ANTHROPIC | OPENAI, ("openai", "gpt-5.1", "o-key", ""), id="the model's vendor"),
    pytest.param(
        {"model": "openai-responses/gpt-5.4"}, OPENAI, ("openai-responses", "gpt-5.4", "o-key", ""), id="both"
    ),
    pytest.param({"model": "anthropic/"}, ANTHROPIC, ("anthropic", "claude-sonnet-4-6", "a-key", ""), id="a slash"),
    pytest.param({"api_key": "mine"}, ANTHROPIC, ("anthropic", "claude-sonnet-4-6", "mine", ""), id="a key given"),
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
    assert (found.vendor.id, found.model.id, found.key, found.base_url) == expected
    assert found.model.vendor == found.vendor.id


def test_without_any_key_the_variables_are_named() -> None:
    with pytest.raises(MissingKey, match="set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server that needs none"):
        select(environ={"OPENAI_API_KEY": "  "})


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean anthropic"):
        select("antropic", environ=ANTHROPIC)
    with pytest.raises(UnknownName, match=r"unknown model 'gpt-5\.11'; did you mean"):
        select("openai", "gpt-5.11", environ=OPENAI)
    with pytest.raises(UnknownName):
        select("openai", "anthropic/claude-sonnet-4-6", environ=OPENAI)
