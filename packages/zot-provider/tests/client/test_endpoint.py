import pytest

from zot_provider.client.endpoint import endpoint
from zot_provider.wire import WIRES, load_wire

OPENAI = [
    ("http://h/v1", "http://h/v1/chat/completions"),
    ("http://h/v1/", "http://h/v1/chat/completions"),
    (" http://h/v1// ", "http://h/v1/chat/completions"),
    ("http://h/v1/v1", "http://h/v1/chat/completions"),
    ("http://h/v1/v1/v1/", "http://h/v1/chat/completions"),
    ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
    ("http://h/v1/chat/completions/", "http://h/v1/chat/completions"),
    ("http://h", "http://h/chat/completions"),
    ("http://h/v1beta/openai", "http://h/v1beta/openai/chat/completions"),
    ("http://h/api/v1?version=2#top", "http://h/api/v1/chat/completions?version=2"),
]
ANTHROPIC = [
    ("http://h", "http://h/v1/messages"),
    ("http://h/", "http://h/v1/messages"),
    ("http://h/v1", "http://h/v1/messages"),
    ("http://h/v1/", "http://h/v1/messages"),
    ("http://h/v1/v1", "http://h/v1/messages"),
    ("http://h/v1/messages", "http://h/v1/messages"),
    ("http://h/proxy/anthropic", "http://h/proxy/anthropic/v1/messages"),
]


GEMINI = [
    ("http://h/v1beta", "http://h/v1beta/models/m%2Fn:streamGenerateContent?alt=sse"),
    ("http://h/v1beta/", "http://h/v1beta/models/m%2Fn:streamGenerateContent?alt=sse"),
    ("http://h/v1/v1", "http://h/v1/models/m%2Fn:streamGenerateContent?alt=sse"),
    ("http://h/v1beta?version=2", "http://h/v1beta/models/m%2Fn:streamGenerateContent?alt=sse&version=2"),
]


@pytest.mark.parametrize(("base", "url"), GEMINI)
def test_the_model_may_be_part_of_the_path(base: str, url: str) -> None:
    assert endpoint(base, load_wire("gemini"), "m/n") == url


@pytest.mark.parametrize("wire", WIRES)
def test_a_list_of_models_is_below_the_same_base_url(wire: str) -> None:
    base = f"http://h/proxy{load_wire(wire).version}"
    assert endpoint(f"{base}?version=2", load_wire(wire), path="/models") == f"{base}/models?version=2"


@pytest.mark.parametrize(("base", "url"), OPENAI)
def test_a_base_url_with_a_version(base: str, url: str) -> None:
    assert endpoint(base, load_wire("openai-chat")) == url
    responses = endpoint(base.replace("chat/completions", "responses"), load_wire("openai-responses"))
    assert responses == url.replace("chat/completions", "responses")


@pytest.mark.parametrize(("base", "url"), ANTHROPIC)
def test_a_base_url_without_a_version(base: str, url: str) -> None:
    assert endpoint(base, load_wire("anthropic-messages")) == url
