"""Structured answers: `await rt.ask("...", returns=City)` returns a `City`, and with a JSON Schema the JSON value.

The JSON Schema of the type is added to the prompt, and the last answer is validated. If it does not fit, the model gets
the problems and one more attempt in the same run, so that the limits of a run cover both. This is the only way that
works with every wire, model and server, and together with tools:

- `Request.response_schema` makes the provider enforce a schema. But providers accept different schemas, older models
  and many servers refuse or ignore the field, and some then never call a tool. An embedder whose server supports it
  adds it in a handler of `Hooks.request`; the answer is still validated.
- A tool that takes the answer as its arguments is only called if the model chooses to, and it changes the list of
  tools, which is the beginning of what providers cache.
"""

import asyncio
import itertools
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from zot_core.agent import Agent
from zot_core.errors import InvalidOutput
from zot_core.events import AgentEvent, AssistantMessage, ToolCall, TurnEnd, TurnStart
from zot_provider.errors import ConfigError

_PROBLEMS = 8
"""Maximum number of problems of one answer that are reported to the model."""

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)


class OutputSchema:
    """The type, or the JSON Schema, that an answer must have.

    Creating one imports pydantic or jsonschema_rs. Raises TypeError for a type without a JSON Schema, and `ConfigError`
    for an invalid schema.
    """

    def __init__(self, kind: Any) -> None:
        if isinstance(kind, Mapping):
            self.name, self.schema = str(kind.get("title", "JSON value")), dict(kind)
            self._validate = _schema_validator(self.schema)
        else:
            self.name = kind.__name__ if isinstance(kind, type) else str(kind)
            self.schema, self._validate = _type_validator(kind, self.name)

    def request(self, text: str) -> str:
        """Return the prompt `text` with instructions for the format of the last answer."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return (
            f"{text}\n\nYour last message must be one JSON value and nothing else: no other words, no code fence. "
            f"It must fit this JSON Schema:\n{schema}"
        )

    def correction(self, problem: ValueError) -> str:
        """Return the message that asks the model to correct its answer."""
        return f"Your last message does not fit the JSON Schema: {problem}. Send the whole JSON value again, corrected."

    def parse(self, answer: str) -> Any:
        """Return the value in an answer, which may be surrounded by words or a code fence. Raises ValueError, whose
        text says what must change."""
        for text in _candidates(answer):
            try:
                json.loads(text)
            except (ValueError, RecursionError):
                continue
            return self._validate(text)
        raise ValueError("it is not JSON" if answer.strip() else "it is empty")


def _type_validator(kind: Any, name: str) -> tuple[dict[str, Any], Callable[[str], Any]]:
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  100 ms, and only a structured answer needs it
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError  # noqa: PLC0415  as above

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        schema = adapter.json_schema()
    except (PydanticUserError, PydanticUndefinedAnnotation) as error:
        raise TypeError(f"a model cannot answer with {name}: {error.message}") from error

    def validate(text: str) -> Any:
        try:
            return adapter.validate_json(text)
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False, include_context=False)
            raise ValueError("; ".join(_problem(detail["loc"], detail["msg"]) for detail in details)) from error

    return schema, validate


def _schema_validator(schema: dict[str, Any]) -> Callable[[str], Any]:
    import jsonschema_rs  # noqa: PLC0415  60 ms, and only an explicit schema needs it

    try:
        validator = jsonschema_rs.validator_for(schema, retriever=_no_other_schema)
    except jsonschema_rs.ValidationError as error:
        raise ConfigError(f"this is not a usable JSON Schema: {error.message}") from error

    def validate(text: str) -> Any:
        value = json.loads(text)
        problems = list(itertools.islice(validator.iter_errors(value), _PROBLEMS))
        if problems:
            raise ValueError("; ".join(_problem(tuple(each.instance_path), each.message) for each in problems))
        return value

    return validate


def _no_other_schema(uri: str) -> Any:
    """Refuse to fetch schemas that a schema refers to."""
    raise ValueError(f"it refers to {uri}; put that schema into its $defs")


class StructuredRun:
    """A run whose last answer must fit an `OutputSchema`. If it does not, the model is asked once to correct it.

    Create it with `prepare`, before the run starts.
    """

    def __init__(self, agent: Agent, schema: OutputSchema) -> None:
        self._agent, self._schema = agent, schema
        self._answer, self._calls, self._corrected = "", False, False
        self.stop = agent.hooks.event.add(self._on_event, TurnStart, AssistantMessage, ToolCall, TurnEnd)
        """Must be called when the run has ended."""

    @classmethod
    async def prepare(cls, agent: Agent, kind: Any) -> "StructuredRun":
        """Create the run for a type or JSON Schema. Raises what `OutputSchema` raises. Does not block the event loop
        while pydantic is imported."""
        return cls(agent, await asyncio.to_thread(OutputSchema, kind))

    def request(self, text: str) -> str:
        """Return the prompt `text` with instructions for the format of the last answer."""
        return self._schema.request(text)

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, TurnStart):
            self._answer, self._calls = "", False
        elif isinstance(event, AssistantMessage):
            self._answer = event.message.text
        elif isinstance(event, ToolCall):
            self._calls = True
        elif (
            isinstance(event, TurnEnd)
            and event.stop in ("end_turn", "length")
            and not self._calls
            and not self._corrected
        ):
            try:
                self._schema.parse(self._answer)
            except ValueError as problem:
                self._corrected = True
                self._agent.steer(self._schema.correction(problem))  # continues the run, which would end here

    def value(self) -> Any:
        """Return the value in the last answer. Raises `InvalidOutput`."""
        try:
            return self._schema.parse(self._answer)
        except ValueError as problem:
            why = " ".join(str(problem).split())
            text = f"the model gave no valid {self._schema.name} in two attempts: {why}"
            raise InvalidOutput(text, self._answer) from problem


async def ask_for(agent: Agent, text: str, kind: Any, ask: Callable[[str], Awaitable[object]]) -> Any:
    """Implement `Runtime.ask` with `returns`; `ask` answers a prompt."""
    run = await StructuredRun.prepare(agent, kind)
    try:
        await ask(run.request(text))
    finally:
        run.stop()
    return run.value()


def _candidates(answer: str) -> Iterator[str]:
    """Yield the parts of an answer that may be its JSON, most likely first."""
    yield answer
    yield from reversed(_FENCED.findall(answer))
    start = min((answer.find(mark) for mark in "{[" if mark in answer), default=0)
    yield answer[start : max(answer.rfind(mark) for mark in "}]") + 1]


def _problem(place: tuple[int | str, ...], words: str) -> str:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")
    return f"{where}: {words}" if where else words
