"""`Extension.provider`, driven by `FakeHost`."""

import json
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
from waiting import PATIENCE

from zot_ext import (
    CallPart,
    Extension,
    ModelCall,
    ModelFailure,
    ModelProvider,
    Part,
    SignInEnded,
    SignInPage,
    SignInTokens,
    StopPart,
    TextPart,
    ThinkingPart,
    TokenCount,
)
from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.providers import (
    PROVIDER_EVENTS,
    ProviderEvent,
    ProviderQuestion,
    ProviderStep,
    ProviderStream,
)
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost

GROUPS = ("providers", "cancel")


def summary(events: list[ProviderEvent]) -> list[tuple[str, str]]:
    return [(each.event, each.delta or each.name or each.signature or each.stop or each.message) for each in events]


def test_what_a_handler_yields_becomes_an_answer() -> None:
    ext = Extension("corp")
    seen: list[ModelCall] = []

    @ext.provider("corp", {"auth": "none"})
    def corp(call: ModelCall) -> Iterator[Part]:
        seen.append(call)
        yield ThinkingPart("hm", signature="s")
        yield "Hel"
        yield TextPart("lo")
        yield CallPart("1", "ls", "{}")
        yield TokenCount(1, 2)

    with FakeHost(ext, capabilities=GROUPS) as host:
        events = host.model_call("corp", "m", "hi", api_key="k", reasoning="low")
        assert summary(events) == [
            ("thinking", "hm"),
            ("signature", "s"),
            ("text", "Hel"),
            ("text", "lo"),
            ("tool_start", "ls"),
            ("tool_args", "{}"),
            ("usage", ""),
            ("done", "tool_use"),
        ]
        assert {each.event for each in events} <= {*PROVIDER_EVENTS}
        assert host.providers["corp"].config.value == {"auth": "none", "stream": True}
    assert isinstance(corp, ModelProvider)
    (call,) = seen
    assert (call.model, call.api_key, call.reasoning, call.max_tokens) == ("m", "k", "low", None)
    assert call.messages == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_a_handler_may_be_an_async_generator() -> None:
    ext = Extension("corp")

    @ext.provider("corp")
    async def corp(call: ModelCall) -> AsyncIterator[Part]:
        yield "a"
        yield StopPart("length")

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert summary(host.model_call("corp", "m")) == [("text", "a"), ("done", "length")]
        assert host.providers == {}  # the manifest describes it


@pytest.mark.parametrize(
    ("raised", "event"),
    [
        (
            ModelFailure("slow down", status=429, code="busy", retry_after=1.5),
            ProviderEvent("", "error", message="slow down", status=429, code="busy", retry_after_ms=1500),
        ),
        (RuntimeError("a bug"), ProviderEvent("", "error", message="RuntimeError: a bug")),
    ],
)
def test_a_failure_ends_the_answer(raised: Exception, event: ProviderEvent) -> None:
    ext = Extension("corp")

    @ext.provider("corp")
    def corp(call: ModelCall) -> Iterator[Part]:
        raise raised
        yield

    with FakeHost(ext, capabilities=GROUPS) as host:
        (end,) = host.model_call("corp", "m")
        fields = {name: getattr(end, name) for name in end.__fields__ if name != "id"}
        assert fields == {name: getattr(event, name) for name in event.__fields__ if name != "id"}


def test_an_answer_has_nothing_else_in_it() -> None:
    ext = Extension("corp")

    @ext.provider("corp")
    def corp(call: ModelCall) -> Iterator[Part]:
        yield 7

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.model_call("corp", "m")[0].message == "TypeError: an answer has text and parts of zot_ext, not int"
        assert host.model_call("other", "m")[0].message == "no provider 'other' answers here"


def test_a_cancelled_answer_ends_its_handler() -> None:
    ext, ended = Extension("corp"), threading.Event()

    @ext.provider("corp")
    def corp(call: ModelCall) -> Iterator[Part]:
        try:
            while True:
                yield "x"
        finally:
            ended.set()

    with FakeHost(ext, capabilities=GROUPS) as host:
        host.send(ProviderStream("s", "corp", "m", RawObject("{}"), RawObject("{}")))
        host.wait_for(ProviderEvent)
        host.send(CancelRequest("s"))
        assert ended.wait(PATIENCE)


def test_models_are_listed_by_plain_and_async_handlers() -> None:
    ext = Extension("corp")
    corp, club = ext.provider("corp", {}), ext.provider("club", {})

    @corp.models
    def plain(key: str) -> list[dict[str, object]]:
        return [{"id": key}]

    @club.models
    async def soon(key: str) -> list[dict[str, object]]:
        return [{"id": "b"}]

    with FakeHost(ext, capabilities=GROUPS) as host:
        for name, id in (("corp", "key"), ("club", "b")):
            answer = host.list_models(name, "key").result
            assert answer is not None
            assert answer.value == {"models": [{"id": id}]}
        assert host.providers["corp"].config.value == {"listsModels": True}
        assert host.list_models("other").error == "no provider 'other' with 'models' here"


def test_a_sign_in_shows_and_asks_and_returns_credentials() -> None:
    ext = Extension("club")
    club = ext.provider("club", {})

    @club.login
    def login(page: SignInPage) -> SignInTokens:
        page.show(url="https://club.test", user_code="AB")
        return SignInTokens(page.ask("the word?"), "r", 9, "https://eu.club.test", {"member": 7})

    @club.refresh
    async def refresh(old: SignInTokens) -> SignInTokens:
        if old.refresh != "r":
            raise SignInEnded("no member any more")
        return SignInTokens("new", extra=old.extra)

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.providers["club"].config.value == {"signIn": {}}
        shown, result = host.sign_in("club", "sesame")
        assert [(each.url, each.user_code, each.message, each.ask) for each in shown] == [
            ("https://club.test", "AB", "", False),
            ("", "", "the word?", True),
        ]
        assert result.result is not None
        fields = result.result.value
        assert fields == {
            "member": 7, "access": "sesame", "refresh": "r", "expires": 9, "base_url": "https://eu.club.test"
        }  # fmt: skip
        renewed = host.refresh("club", **fields).result
        assert renewed is not None
        assert json.loads(renewed.text) == {"member": 7, "access": "new"}
        ended = host.refresh("club", access="x", refresh="other")
        assert (ended.error, ended.ended) == ("no member any more", True)


def test_a_sign_in_that_is_given_up_wakes_its_handler() -> None:
    ext, woken = Extension("club"), threading.Event()
    club = ext.provider("club", {})

    @club.login
    def login(page: SignInPage) -> SignInTokens:
        try:
            return SignInTokens(page.ask())
        except SignInEnded:
            woken.set()
            raise

    with FakeHost(ext, capabilities=GROUPS) as host:
        host.send(ProviderQuestion("p", "club", "login"))
        host.wait_for(ProviderStep)
        host.send(CancelRequest("p"))
        assert woken.wait(PATIENCE)
