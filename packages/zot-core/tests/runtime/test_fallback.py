"""Other models answer when the model of a runtime cannot."""

from pathlib import Path

import pytest

from zot_core.events import AgentEvent, ErrorEvent, Notice
from zot_core.runtime.fallback import Fallbacks
from zot_core.runtime.runtime import Runtime
from zot_provider.catalog.known_providers import KnownProviders
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import (
    ConnectError,
    MissingKey,
    ModelError,
    ProviderError,
    ResponseTimeout,
    StatusError,
)
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import Fault, ScriptedServer, Turn


def runtime(server: ScriptedServer, *names: str, session: str | None = None, dead: bool = False) -> Runtime:
    """A runtime with the model a/a1 and these fallbacks, whose providers a, b and c have keys; d has none."""
    url = server.base_url("openai-chat")
    providers = [Provider(id, id.upper(), "openai-chat", url, key_env=(f"{id.upper()}_KEY",)) for id in "abcd"]
    if dead:
        providers[0] = providers[0].replace(base_url="http://127.0.0.1:9/v1")
    models = {id: [Model(f"{id}1", id, context_window=9000)] for id in "abcd"}
    environ = {"A_KEY": "k", "B_KEY": "k", "C_KEY": "k"}
    registry = ModelRegistry(KnownProviders(providers=tuple(providers), models=models), environ=environ)
    client = RoutingClient(registry, retries=RetryPolicy(retries=1, delay=0.0))
    made = Runtime(Model("a1", "a", context_window=9000), client=client, session=session, system_prompt="Be brief.")
    Fallbacks(made, names).attach()
    return made


async def events_of(made: Runtime, prompt: str = "hello") -> list[AgentEvent]:
    return [event async for event in made.prompt(prompt)]


def notices(events: list[AgentEvent]) -> list[str]:
    return [event.message for event in events if isinstance(event, Notice)]


def refused(status: int) -> Turn:
    return Turn(fault=Fault(status=status))


async def test_the_next_model_answers_after_the_repetitions_and_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with ScriptedServer([refused(503), refused(503), refused(401), "from c", "again"]) as server:
        async with runtime(server, "b/b1", "c/c1", session=str(path)) as made:
            events = await events_of(made)
            assert [text.partition(" failed: ")[0] for text in notices(events)] == ["a/a1", "b/b1"]
            assert notices(events)[1].endswith("; c/c1 answers from now on")
            assert [message.text for message in made.messages] == ["hello", "from c"]
            await events_of(made, "more")
            asked = [request.body["model"] for request in server.requests]
            assert asked == ["a1", "a1", "b1", "c1", "c1"]
            assert [message.text for message in made.messages] == ["hello", "from c", "more", "again"]
    assert '"c1"' in path.read_text()


async def test_the_last_failure_is_the_error_if_no_model_answers() -> None:
    with ScriptedServer([refused(403), refused(402)]) as server:
        async with runtime(server, "b/b1") as made:
            (error,) = [event for event in await events_of(made) if isinstance(event, ErrorEvent)]
            assert "402" in error.message
            assert error.retryable
            assert error.candidates == ["a/a1", "c/c1"]
            assert [message.role for message in made.messages] == ["user"]


async def test_a_server_that_cannot_be_reached_is_replaced() -> None:
    with ScriptedServer(["from b"]) as server:
        async with runtime(server, "b/b1", dead=True) as made:
            await events_of(made)
            assert made.messages[-1].text == "from b"


async def test_a_wrong_request_is_not_sent_elsewhere() -> None:
    with ScriptedServer([refused(400)]) as server:
        async with runtime(server, "b/b1") as made:
            (error,) = [event for event in await events_of(made) if isinstance(event, ErrorEvent)]
            assert not error.retryable
            assert error.candidates == []
            assert len(server.requests) == 1


async def test_an_answer_that_breaks_off_each_time_is_begun_anew_by_the_next_model() -> None:
    broken = Turn("one two three four five", chunk=4, fault=Fault(after=4, cut=True))
    with ScriptedServer([broken, broken, "all of it"]) as server:
        async with runtime(server, "b/b1") as made:
            events = await events_of(made)
            assert "b/b1 answers from now on" in notices(events)[-1]
            assert made.messages[-1].text == "all of it"
            assert len(server.requests) == 3


def test_a_missing_key_is_an_error_at_the_start() -> None:
    with ScriptedServer() as server, pytest.raises(MissingKey, match="no API key for d"):
        runtime(server, "b/b1", "d/d1")


@pytest.mark.parametrize(
    ("error", "rescuable"),
    [
        (StatusError("", status=401), True),
        (StatusError("", status=402), True),
        (StatusError("", status=403), True),
        (StatusError("", status=429), True),
        (StatusError("", status=429, spent=True), True),
        (StatusError("", status=503), True),
        (StatusError("", status=503, should_retry=False), True),
        (StatusError("", status=400), False),
        (StatusError("", status=404), False),
        (StatusError("", status=400, code="context_length_exceeded"), False),
        (StatusError("", status=500, message="image input is not supported"), False),
        (ConnectError(""), True),
        (ResponseTimeout(""), True),
        (ModelError("", code="overloaded_error"), True),
        (ModelError("", code="invalid_request_error"), False),
        (ProviderError(""), False),
    ],
)
def test_a_failure_says_whether_another_model_may_answer(error: ProviderError, rescuable: bool) -> None:
    assert error.rescuable is rescuable
