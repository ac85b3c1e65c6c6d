"""Providers that extensions serve, with real processes."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_agent.extensions.discover import DiscoveredExtension, Discovery, discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.log import log_path
from zot_agent.extensions.permissions.lines import permission_lines, permission_summary
from zot_agent.extensions.providers.provider_service import ServedProviders
from zot_agent.extensions.setup import ExtensionSetup
from zot_agent.extensions.trace import Trace
from zot_ext.limits import ExtensionLimits
from zot_ext.manifest import parse_manifest
from zot_provider.auth.entry import AccountToken, Entry
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import SignInSession
from zot_provider.auth.steps import AskCode, EnterCode, NotSignedIn, SignedIn, SignInProgress, SignInStep
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ConnectError, MissingKey, ProtocolError, ProviderError
from zot_provider.events import (
    AutoRetryStart,
    ReasoningDelta,
    StreamEnd,
    StreamEvent,
    TextDelta,
    ToolUseArgs,
    ToolUseStart,
)
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Price
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request, ToolSpec
from zot_provider.router import RoutingClient

PROGRAM = Path(__file__).parents[1] / "programs" / "models.py"
USUAL = ExtensionLimits(ready_total_seconds=PATIENCE, provider_seconds=PATIENCE, shutdown_seconds=PATIENCE)


OWN = {"stream": True, "auth": "none"}
"""What a manifest says of a provider that answers itself."""


class Place:
    """A home folder with an extension that serves models."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root, str(root / "home")
        self.folder = root / "models"
        self.folder.mkdir()
        self.say(
            corp={"stream": True, "listsModels": True, "auth": "none"},
            club={"stream": True, "auth": "none", "signIn": {}},
        )

    def say(self, *arguments: str, **providers: Any) -> None:
        """Write the manifest."""
        manifest = {
            "name": "models",
            "exec": sys.executable,
            "args": [str(PROGRAM), *arguments],
            "providers": providers,
        }
        (self.folder / "extension.json").write_text(json.dumps(manifest))

    @property
    def log(self) -> str:
        return Path(log_path(self.home, "models")).read_text()

    @asynccontextmanager
    async def open(self, limits: ExtensionLimits = USUAL, trace: str = "") -> AsyncIterator["Talks"]:
        """A client of everything that is served, whose extension is started when it is first needed."""
        registry = ModelRegistry(environ={}, credentials=PersonalKeys(self.home, {}))

        def start(found: list[DiscoveredExtension], served: ServedProviders) -> Extensions:
            return Extensions(
                lambda: Discovery(found, []),
                lambda: AgentInfo(str(self.root), "", "", ""),
                ExtensionSetup(self.home, limits, trace=Trace(trace) if trace else None),
                providers=served,
            )

        served = ServedProviders(registry, start, retries=RetryPolicy(delay=0.01))
        served.announce(discover([str(self.folder)], str(self.root), self.home).active())
        client = RoutingClient(registry)
        try:
            yield Talks(client, served)
        finally:
            await client.close()
            await served.close()


class Talks:
    """A client, and who serves it."""

    def __init__(self, client: RoutingClient, served: ServedProviders) -> None:
        self.client, self.served, self.registry = client, served, client.registry

    async def answer(self, name: str, *messages: Message, **fields: Any) -> list[StreamEvent]:
        """The events of an answer."""
        model = self.registry.resolve(name)
        request = Request(model, list(messages) or [Message("user", [TextBlock("hi")])], **fields)
        async with aclosing(self.client.stream(request)) as batches:  # type: ignore[type-var]
            return [event async for batch in batches for event in batch]

    async def text(self, name: str) -> str:
        """The text of an answer."""
        return text(await self.answer(name))


def text(events: list[StreamEvent]) -> str:
    return "".join(event.delta for event in events if isinstance(event, TextDelta))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_an_extension_answers_like_any_provider(place: Place) -> None:
    async with place.open() as talks:
        events = await talks.answer("corp/plain")
        assert text(events) == "Hello, world"
        assert "".join(event.delta for event in events if isinstance(event, ReasoningDelta)) == "so what"
        assert [event for event in events if isinstance(event, ToolUseStart)] == [ToolUseStart("c1", "read")]
        assert "".join(event.delta for event in events if isinstance(event, ToolUseArgs)) == '{"path":"a"}'
        end = events[-1]
        assert isinstance(end, StreamEnd)
        assert end.stop == "tool_use"
        assert end.content == [
            ReasoningBlock("so what", signature="signed", wire="extension", provider="corp", model="plain"),
            TextBlock("Hello, world"),
            ToolCallBlock("c1", "read", '{"path":"a"}'),
        ]
        assert talks.registry.resolve("corp/plain").price == Price(1, 2, 1, 1)
        assert talks.registry.resolve("corp/plain").context_window == 9000


async def test_the_extension_gets_the_whole_request(place: Place) -> None:
    thinking = ReasoningBlock("hm", signature="s", wire="extension", provider="corp", model="echo")
    foreign = ReasoningBlock("no", signature="s", wire="anthropic-messages", provider="anthropic", model="opus")
    async with place.open() as talks:
        said = text(
            await talks.answer(
                "corp/echo",
                Message("user", [TextBlock("go")]),
                Message("assistant", [thinking, foreign, ToolCallBlock("1", "ls", "{}")]),
                Message("tool", [ToolResultBlock("1", [TextBlock("a")])]),
                system="Be brief.",
                tools=[ToolSpec("ls", "lists", {"type": "object"})],
                reasoning="high",
                max_tokens=9,
            )
        )
    result = {"type": "tool_result", "call_id": "1", "is_error": False, "content": [{"type": "text", "text": "a"}]}
    assert said == repr(
        (
            "Be brief.",
            [
                {"role": "user", "content": [{"type": "text", "text": "go"}]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "text": "hm", "signature": "s"},
                        {"type": "tool_call", "id": "1", "name": "ls", "arguments": "{}"},
                    ],
                },
                {"role": "tool", "content": [result]},
            ],
            ["ls"],
            "high",
            9,
        )
    )


async def test_its_models_are_listed_like_those_of_a_server(place: Place) -> None:
    async with place.open() as talks:
        listing = await talks.registry.listing(talks.client.list_models, which="all")
        assert [model.id for model in listing.models if model.provider == "corp"] == ["one", "two", "plain"]
        assert not listing.problems.keys() & {"corp"}
        assert talks.registry.resolve("corp/one").context_window == 1000


async def test_a_call_is_repeated_when_its_extension_dies(place: Place) -> None:
    async with place.open() as talks:
        events = await talks.answer("corp/dies")
        assert text(events) == "alive"
        (again,) = [event for event in events if isinstance(event, AutoRetryStart)]
        assert "exited with code 3" in again.error_message


async def test_an_answer_that_has_begun_ends_with_its_extension_and_the_next_one_starts_it_again(place: Place) -> None:
    async with place.open() as talks:
        with pytest.raises(ConnectError, match="corp: extension 'models' exited with code 3") as caught:
            await talks.answer("corp/dies_late")
        assert caught.value.rescuable
        assert await talks.text("corp/cut") == "too lo"


async def test_an_answer_that_stalls_is_cancelled_and_asked_for_again(place: Place) -> None:
    async with place.open(ExtensionLimits(ready_total_seconds=PATIENCE, stream_idle_seconds=0.3)) as talks:
        events = await talks.answer("corp/stalls")
    assert text(events) == "at last"
    again, *_ = [event for event in events if isinstance(event, AutoRetryStart)]  # a busy machine stalls too
    assert "sent nothing for 0.3 s" in again.error_message
    assert (place.folder / "memory" / "noticed").exists()


async def test_a_flood_is_ended_and_the_extension_goes_on(place: Place) -> None:
    async with place.open(ExtensionLimits(ready_total_seconds=PATIENCE, stream_bytes=3_000_000)) as talks:
        with pytest.raises(ProtocolError, match="corp: the answer has more than 2 MiB"):
            await talks.answer("corp/floods")
        assert await talks.text("corp/cut") == "too lo"


async def test_nothing_more_is_read_than_is_used(place: Place) -> None:
    async with place.open(ExtensionLimits(ready_total_seconds=PATIENCE, stream_waiting_bytes=100_000)) as talks:
        request = Request(talks.registry.resolve("corp/floods"), [Message("user", [TextBlock("hi")])])
        async with aclosing(talks.client.stream(request)) as batches:  # type: ignore[type-var]
            await anext(batches)
            assert talks.served.extensions is not None
            connection = talks.served.extensions.members[0].connection
            assert connection is not None
            assert connection.pipes is not None
            async with asyncio.timeout(PATIENCE):
                while connection.pipes.reader.reading:
                    await asyncio.sleep(0)
            await anext(batches)
        assert connection.pipes.reader.reading
        assert await talks.text("corp/cut") == "too lo"


async def test_an_answer_that_nobody_wants_any_more_is_cancelled(place: Place) -> None:
    async with place.open() as talks:
        request = Request(talks.registry.resolve("corp/stalls"), [Message("user", [TextBlock("hi")])])
        async with aclosing(talks.client.stream(request)) as batches:  # type: ignore[type-var]
            await anext(batches)
        async with asyncio.timeout(PATIENCE):
            while not (place.folder / "memory" / "noticed").exists():
                await asyncio.sleep(0.01)


async def test_a_refusal_says_when_to_ask_again(place: Place) -> None:
    async with place.open() as talks:
        events = await talks.answer("corp/limited")
    assert text(events) == "later"
    (again,) = [event for event in events if isinstance(event, AutoRetryStart)]
    assert again.error_message == "corp: status 429: slow down"
    assert again.delay_ms == 10


async def test_a_bug_in_a_handler_fails_the_call(place: Place) -> None:
    async with place.open() as talks:
        with pytest.raises(ProviderError, match="corp: the model failed: RuntimeError: a bug"):
            await talks.answer("corp/broken")
    assert "RuntimeError: a bug" in place.log


async def test_a_length_limit_is_reported(place: Place) -> None:
    async with place.open() as talks:
        end = (await talks.answer("corp/cut"))[-1]
    assert isinstance(end, StreamEnd)
    assert end.stop == "length"


async def test_a_conversation_that_is_too_long_can_be_compacted(place: Place) -> None:
    async with place.open(ExtensionLimits(ready_total_seconds=PATIENCE, context_bytes=1000)) as talks:
        with pytest.raises(ProviderError, match="too long") as caught:
            await talks.answer("corp/plain", Message("user", [TextBlock("x" * 2000)]))
    assert caught.value.context_overflow


async def test_a_long_conversation_arrives(place: Place) -> None:
    long = Message("user", [TextBlock("x" * 5_000_000)])
    async with place.open() as talks:
        assert len(text(await talks.answer("corp/echo", long))) > 5_000_000


async def test_a_provider_that_the_manifest_does_not_name_is_refused(place: Place) -> None:
    place.say("--not-named", corp={})
    async with place.open() as talks:
        assert await talks.text("corp/cut") == "too lo"
        assert not talks.registry.has("other")
        assert not talks.registry.has("club")
    assert "the provider 'other' cannot be registered: the manifest must name it in 'providers'" in place.log


async def test_what_an_extension_may_not_say_is_refused(place: Place) -> None:
    place.say(corp={"stream": True, "apiKey": "sk-secret"}, club={"api": "morse", "baseUrl": "https://x.test"})
    async with place.open() as talks:
        assert [each.partition(": ")[2].partition(":")[0] for each in talks.served.problems] == [
            "providers.corp.apiKey",
            "providers.club.api",
        ]
        assert "sk-secret" not in repr(talks.served.problems)


async def test_a_provider_may_be_an_address_that_zot_asks_itself(place: Place) -> None:
    place.say(corp={"baseUrl": "https://corp.test/v1", "api": "anthropic", "models": [{"id": "m"}]})
    async with place.open() as talks:
        provider = talks.registry.provider("corp")
        assert (provider.base_url, provider.wire) == ("https://corp.test/v1", "anthropic-messages")
        with pytest.raises(MissingKey, match="CORP_API_KEY"):
            talks.client.check(talks.registry.resolve("corp/m"))
        assert talks.served.extensions is None


async def test_a_provider_of_zot_is_as_before_when_its_extension_is_gone(place: Place) -> None:
    place.say(anthropic={"baseUrl": "https://proxy.test"})
    async with place.open() as talks:
        assert talks.registry.provider("anthropic").base_url == "https://proxy.test"
        assert talks.registry.models("anthropic")
        talks.served.announce([])
        assert talks.registry.provider("anthropic").base_url != "https://proxy.test"


async def test_an_extension_that_cannot_start_fails_the_call(place: Place) -> None:
    manifest = {"name": "models", "exec": "./missing", "providers": {"corp": {}}}
    (place.folder / "extension.json").write_text(json.dumps(manifest))
    async with place.open() as talks:
        with pytest.raises(ConnectError, match=r"corp: extension 'models', which serves it, does not run: .*missing"):
            await talks.answer("corp/plain")


async def store(place: Place, refresh: str, *, expires: float = 1.0) -> None:
    keys = PersonalKeys(place.home, {})
    token = AccountToken("old", refresh, expires, rest={"member": 7})
    await keys.accounts.store.save("club", Entry(token=token))


async def sign_in(talks: Talks, word: str) -> list[SignInStep]:
    keys = talks.registry.credentials
    assert isinstance(keys, PersonalKeys)
    session, seen = SignInSession(talks.registry, keys, "club", "account"), []
    async with aclosing(session.steps()) as steps:
        async for step in steps:
            seen.append(step)
            if isinstance(step, AskCode):
                session.paste(f"{word}\n")
    return seen


async def test_a_person_signs_in_through_the_extension_and_zot_keeps_the_token(place: Place, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    async with place.open(trace=str(trace)) as talks:
        with pytest.raises(MissingKey, match="zot auth login club"):
            talks.client.check(talks.registry.resolve("club/m"))
        steps = await sign_in(talks, "new")
        assert steps[:4] == [
            SignInProgress("wait"),
            EnterCode("AB-CD", "https://club.test/device", 900.0),
            SignInProgress("the word?"),
            AskCode("club"),
        ]
        assert isinstance(steps[4], SignedIn)
        assert await talks.text("club/m") == "welcome"
        entry = await PersonalKeys(place.home, {}).accounts.store.load("club")
        assert entry is not None
        assert entry.token is not None
        assert (entry.token.access, entry.token.refresh, entry.token.rest) == ("new", "refresh-1", {"member": 7})
    assert "refresh-1" not in trace.read_text()
    assert '"new"' not in trace.read_text().replace('"text":"new"', "")


async def test_a_sign_in_that_fails_stores_nothing(place: Place) -> None:
    async with place.open() as talks:
        end = (await sign_in(talks, "give up"))[-1]
        assert isinstance(end, NotSignedIn)
        assert str(end.error) == "club: no member"
        with pytest.raises(MissingKey):
            await talks.answer("club/m")


async def test_a_sign_in_that_is_given_up_ends_its_handler(place: Place) -> None:
    async with place.open() as talks:
        keys = talks.registry.credentials
        assert isinstance(keys, PersonalKeys)
        session = SignInSession(talks.registry, keys, "club", "account")
        async with aclosing(session.steps()) as steps:
            async for step in steps:
                if isinstance(step, AskCode):
                    break
        assert isinstance((await sign_in(talks, "new"))[-1], SignedIn)


async def test_a_token_that_has_ended_is_refreshed_before_a_call(place: Place) -> None:
    await store(place, "refresh-1")
    async with place.open() as talks:
        assert await talks.text("club/m") == "welcome"


async def test_a_token_that_expires_in_the_middle_is_refreshed(place: Place) -> None:
    await store(place, "refresh-1", expires=time.time() + 3600)
    async with place.open() as talks:
        events = await talks.answer("club/m")
    assert text(events) == "welcome"
    assert not [event for event in events if isinstance(event, AutoRetryStart)]


async def test_a_refresh_that_fails_while_three_turns_run_is_tried_again(place: Place) -> None:
    await store(place, "flaky")
    async with place.open() as talks:
        answers = await asyncio.gather(*(talks.answer("club/m") for _ in range(3)))
    assert [text(each) for each in answers] == ["welcome"] * 3
    waits = [event for each in answers for event in each if isinstance(event, AutoRetryStart)]
    assert [event.error_message for event in waits] == ["club: RuntimeError: no connection"]
    assert len((place.folder / "memory" / "refresh").read_text()) == 2


async def test_a_sign_in_that_has_ended_is_asked_about_once(place: Place) -> None:
    await store(place, "gone")
    async with place.open() as talks:
        failed = await asyncio.gather(*(talks.answer("club/m") for _ in range(3)), return_exceptions=True)
    assert {str(error) for error in failed} == {"club: the membership has ended; run zot auth login club"}
    assert len((place.folder / "memory" / "refresh").read_text()) == 1


RAW = """
import json
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="models", capabilities=["providers"])
say(type="ready")
while True:
    frame = json.loads(input())
    if frame["type"] == "provider_stream":
        say(id=frame["id"], type="provider_event", event="text", delta="raw ")
        say(id=frame["id"], type="provider_event", event="alive")
        say(id=frame["id"], type="provider_event", event="text", delta="text")
        say(id=frame["id"], type="provider_event", event="done", stop="end_turn")
        say(id=frame["id"], type="provider_event", event="text", delta="late")
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"""


async def test_a_frame_may_be_written_in_any_way(place: Place) -> None:
    program = place.root / "raw.py"
    program.write_text(RAW)
    manifest = {"name": "models", "exec": sys.executable, "args": [str(program)], "providers": {"corp": {}}}
    (place.folder / "extension.json").write_text(json.dumps(manifest))
    async with place.open() as talks:
        assert await talks.text("corp/any") == "raw text"


async def test_an_extension_that_did_not_ask_for_the_group_gets_no_request(place: Place) -> None:
    (place.root / "raw.py").write_text(RAW.replace('"providers"', ""))
    args = [str(place.root / "raw.py")]
    manifest = {"name": "models", "exec": sys.executable, "args": args, "providers": {"corp": {}}}
    (place.folder / "extension.json").write_text(json.dumps(manifest))
    async with place.open() as talks:
        with pytest.raises(ConnectError, match="did not ask for the group 'providers'"):
            await talks.answer("corp/plain")


def test_a_person_reads_which_models_an_extension_serves() -> None:
    manifest = parse_manifest('{"name": "x", "exec": "x", "providers": {"corp": {}, "club": {}}, "permissions": {}}')
    line = "serve the models of corp, club: it gets what you send to them, and their key, and says what they do"
    assert permission_lines(manifest) == [line]
    assert permission_summary(manifest) == "models of corp,club"
