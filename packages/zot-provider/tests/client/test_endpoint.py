import pytest

from zot_provider.client.endpoint import endpoint
from zot_provider.wire import load_wire

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


@pytest.mark.parametrize(("base", "url"), OPENAI)
def test_a_base_url_with_a_version(base: str, url: str) -> None:
    assert endpoint(base, load_wire("openai-chat")) == url
    responses = endpoint(base.replace("chat/completions", "responses"), load_wire("openai-responses"))
    assert responses == url.replace("chat/completions", "responses")


@pytest.mark.parametrize(("base", "url"), ANTHROPIC)
def test_a_base_url_without_a_version(base: str, url: str) -> None:
    assert endpoint(base, load_wire("anthropic-messages")) == url
