import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from zot_core.errors import Busy, InvalidOutput
from zot_core.events import Done, TextDelta
from zot_core.runtime.answer import RunFailed
from zot_core.runtime.runtime import Runtime
from zot_core.testing import EventClient, FakeShell, MemoryFiles
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import ConfigError, ModelError
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn

T = TypeVar("T")


class City(BaseModel):
    name: str
    people: int = Field(ge=0, description="inhabitants")


@dataclass
class Point:
    x: float
    y: float


class Person(TypedDict):
    name: str
    friends: list[str]


BERLIN = '{"name": "Berlin", "people": 3700000}'


def runtime(client: Client, **options: Any) -> Runtime:
    return Runtime("m", client=client, files=MemoryFiles(), shell=FakeShell(), **options)


def ask(client: Client, kind: type[T], **options: Any) -> T:
    async def main() -> T:
        async with runtime(client, **options) as rt:
            return await rt.ask("tell me", returns=kind)

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        (City, BERLIN, City(name="Berlin", people=3_700_000)),
        (Point, '{"x": 1, "y": 2.5}', Point(1, 2.5)),
        (Person, '{"name": "Ada", "friends": ["Charles"]}', Person(name="Ada", friends=["Charles"])),
        (list[int], "[1, 2, 3]", [1, 2, 3]),
        (dict[str, City], f'{{"b": {BERLIN}}}', {"b": City(name="Berlin", people=3_700_000)}),
        (int, " 42\n", 42),
        (bool, "false", False),
        (str, '"Berlin"', "Berlin"),
        (int | None, "null", None),
    ],
)
def test_an_answer_is_a_value_of_the_type_asked_for(kind: type[object], answer: str, value: object) -> None:
    assert ask(ScriptedClient([answer]), kind) == value


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{BERLIN}\n```",
        f"```\n{BERLIN}```",
        f"Here it is:\n\n```json\n{BERLIN}\n```\n\nAnything else?",
        f'First I thought\n```json\n{{"name": "Rome"}}\n```\nbut it is\n```json\n{BERLIN}\n```',
        f"The answer is {BERLIN}.",
    ],
)
def test_words_and_fences_around_the_value_are_passed_over(answer: str) -> None:
    assert ask(ScriptedClient([answer]), City).name == "Berlin"


def test_the_prompt_holds_the_question_and_the_schema() -> None:
    client = ScriptedClient([BERLIN])
    ask(client, City)
    text = client.requests[0].messages[0].text
    assert text.startswith("tell me\n\n")
    assert '"description": "inhabitants"' in text
    assert client.requests[0].response_schema is None


def test_a_call_that_was_cut_is_no_answer_to_be_corrected() -> None:
    client = ScriptedClient([Turn(calls=[Call("read", '{"pa')], stop="length"), "no city", BERLIN])
    assert ask(client, City).name == "Berlin"
    assert [message.role for message in client.requests[1].messages] == ["user", "assistant", "tool"]


async def test_an_answer_that_does_not_fit_is_asked_for_once_more_with_the_reason_and_in_the_same_run() -> None:
    client = ScriptedClient(['{"name": "Berlin", "people": -1}', BERLIN])
    async with runtime(client) as rt:
        done: list[object] = []
        rt.hooks.event.add(lambda event: done.append(event) if isinstance(event, Done) else None)
        city = await rt.ask("tell me", returns=City)
        assert done == [Done("completed")]
        assert len(rt.messages) == 4
        assert city.people == 3_700_000
    complaint = client.requests[1].messages[-1]
    assert complaint.role == "user"
    assert "people: Input should be greater than or equal to 0" in complaint.text


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("I do not know.", "it is not JSON"),
        ("", "it is empty"),
        (Turn('{"name": "Ber', stop="length"), "it is not JSON"),
        ('["Berlin"]', "Input should be an object"),
        ("[" * 100_000, "it is not JSON"),
    ],
)
def test_the_model_reads_the_problems_of_its_answer(first: Turn | str, reason: str) -> None:
    client = ScriptedClient([first, BERLIN])
    assert ask(client, City).name == "Berlin"
    assert reason in client.requests[1].messages[-1].text


def test_a_place_inside_a_list_is_named() -> None:
    client = ScriptedClient([f'[{BERLIN}, {{"name": 5, "people": 1}}]', "[]"])
    assert ask(client, list[City]) == []
    assert "[1].name: Input should be a valid string" in client.requests[1].messages[-1].text


def test_two_answers_that_do_not_fit_are_an_error_that_holds_the_last_one() -> None:
    client = ScriptedClient(["Rome?", '{"name": "Rome"}'])
    message = r"^the model gave no valid City in two attempts: people: Field required$"
    with pytest.raises(InvalidOutput, match=message) as caught:
        ask(client, City)
    assert caught.value.answer == '{"name": "Rome"}'
    assert len(client.requests) == 2


def test_tools_run_before_the_answer_and_text_with_calls_is_not_the_answer() -> None:
    @tool
    async def count(name: str) -> int:
        """Count the people of a city."""
        return 3_700_000

    client = ScriptedClient([Turn("I will count.", calls=[Call("count", {"name": "Berlin"})]), BERLIN])
    assert ask(client, City, tools=[count]).people == 3_700_000
    assert len(client.requests) == 2


def test_the_limits_of_a_run_hold_for_both_answers_together() -> None:
    with pytest.raises(RunFailed, match="max steps") as caught:
        ask(ScriptedClient(["no", BERLIN]), City, max_steps=1)
    assert caught.value.end == "max_steps"


def test_a_run_that_fails_raises_what_it_raises_without_a_type() -> None:
    with pytest.raises(RunFailed, match="overloaded"):
        ask(EventClient([ModelError("overloaded")]), City)


def test_a_type_without_a_schema_is_a_mistake_of_the_program_and_nothing_is_asked() -> None:
    client = ScriptedClient()
    with pytest.raises(TypeError, match=r"a model cannot answer with .*Callable"):
        ask(client, list[Callable[[], None]])

    class Odd:
        pass

    with pytest.raises(TypeError, match="a model cannot answer with Odd"):
        ask(client, Odd)
    assert client.requests == []


async def test_the_conversation_continues_and_later_answers_are_text() -> None:
    client = ScriptedClient(["no", BERLIN, "It is a city.", "Rome?", '{"name": "Rome", "people": 2}'])
    async with runtime(client) as rt:
        assert (await rt.ask("which?", returns=City)).name == "Berlin"
        assert str(await rt.ask("what is it?")) == "It is a city."
        assert (await rt.ask("another?", returns=City)).name == "Rome"


async def test_the_end_of_an_abandoned_run_is_not_taken_for_an_answer() -> None:
    client = EventClient([TextDelta("half a"), None], [ModelError("overloaded")])
    async with runtime(client) as rt:
        async for event in rt.prompt("one"):
            if isinstance(event, TextDelta):
                break
        with pytest.raises(RunFailed, match="overloaded"):
            await rt.ask("two", returns=City)


async def test_asking_a_busy_runtime_leaves_no_handler_behind() -> None:
    client = EventClient([TextDelta("half a"), None])
    async with runtime(client, auto_compact=None) as rt:
        before = len(rt.hooks.event)
        run = rt.prompt("one")
        with pytest.raises(Busy):
            await rt.ask("two", returns=City)
        run.cancel()
        await run
        assert len(rt.hooks.event) == before


async def test_cancelling_the_caller_cancels_the_run() -> None:
    client = EventClient([TextDelta("half a"), None])
    async with runtime(client) as rt:
        asking = asyncio.ensure_future(rt.ask("one", returns=City))
        await client.hanging.wait()
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        assert not rt.busy


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
async def test_every_wire_carries_the_question_the_complaint_and_the_answer(provider: str) -> None:
    wires = {
        "anthropic": "anthropic-messages",
        "openai": "openai-chat",
        "google": "gemini",
        "amazon-bedrock": "bedrock-converse",
    }
    with ScriptedServer(["hm", f"```json\n{BERLIN}\n```"]) as server:
        base = server.base_url(wires.get(provider, provider))
        async with Runtime("m", provider=provider, api_key="k", base_url=base) as rt:
            assert await rt.ask("tell me", returns=City) == City(name="Berlin", people=3_700_000)


def test_the_error_can_be_named_without_loading_pydantic() -> None:
    program = "import sys; from zot_core import InvalidOutput, BlockingRuntime; assert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-I", "-c", program], check=True)


CITY: dict[str, Any] = {
    "title": "City",
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "people": {"$ref": "#/$defs/count"}},
    "$defs": {"count": {"type": "integer", "minimum": 0}},
}


async def test_a_json_schema_gives_the_json_value_and_a_wrong_one_is_explained_once() -> None:
    client = ScriptedClient(['{"name": "Berlin", "people": -1}', '{"name": "Berlin", "people": 3}', "no", "no"])
    async with Runtime("any", client=client, files=MemoryFiles(), shell=FakeShell()) as rt:
        assert await rt.ask("largest city?", returns=CITY) == {"name": "Berlin", "people": 3}
        assert "people: -1 is less than the minimum of 0" in str(client.requests[1].messages[-1])
        with pytest.raises(InvalidOutput, match="the model gave no valid City in two attempts: it is not JSON"):
            await rt.ask("and then?", returns=CITY)


@pytest.mark.parametrize("schema", [{"type": 5}, {"$ref": "#/nowhere"}, {"$ref": "http://127.0.0.1:9/schema.json"}])
async def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_asked(schema: dict[str, Any]) -> None:
    client = ScriptedClient(["{}"])
    async with Runtime("any", client=client, files=MemoryFiles(), shell=FakeShell()) as rt:
        with pytest.raises(ConfigError, match="not a usable JSON Schema"):
            await rt.ask("hi", returns=schema)
    assert client.requests == []
