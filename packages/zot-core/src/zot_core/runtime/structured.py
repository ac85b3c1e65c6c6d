"""Structured answers: `await rt.ask("...", returns=City)` gives a `City`, and with a JSON Schema the JSON value.

The JSON Schema of the type goes into the prompt, the last answer is validated, and a model whose answer does not fit is
told why, once, in the same run, so that the limits of a run hold for both. This is the one way that works with every
wire, model and server, and beside tools:

- `Request.response_schema` has the provider hold the model to a schema. But which schemas are taken differs, older
  models
  and many servers refuse it or ignore it, and some then never call a tool. Whoever knows their server adds it in a
  handler of `Hooks.request`; the answer is validated all the same.
- A tool that takes the answer as its arguments is called only if the model cares to, and changes the list of tools,
  which is the beginning of what providers cache.
"""

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from zot_core.errors import InvalidOutput
from zot_core.events import AgentEvent, AssistantMessage, TurnEnd, TurnStart
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from zot_core.runtime.runtime import Runtime

_PROBLEMS = 8
"""Problems of one answer that a model is told at once."""

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)


class OutputSchema:
    """What a model is asked to answer with, and what its answers are checked with: a type, or a JSON Schema.

    Making one imports pydantic, or jsonschema_rs. TypeError for a type that has no JSON Schema, `ConfigError` for a
    schema that is not one.
    """

    def __init__(self, kind: Any) -> None:
        if isinstance(kind, Mapping):
            self.name, self.schema = str(kind.get("title", "JSON value")), dict(kind)
            self._validate = _schema_validator(self.schema)
        else:
            self.name = kind.__name__ if isinstance(kind, type) else str(kind)
            self.schema, self._validate = _type_validator(kind, self.name)

    def request(self, text: str) -> str:
        """The prompt `text`, with what the last answer must look like."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return (
            f"{text}\n\nYour last message must be one JSON value and nothing else: no other words, no code fence. "
            f"It must fit this JSON Schema:\n{schema}"
        )

    def correction(self, problem: ValueError) -> str:
        """What a model is told whose answer does not fit."""
        return f"Your last message does not fit the JSON Schema: {problem}. Send the whole JSON value again, corrected."

    def parse(self, answer: str) -> Any:
        """The value in an answer, which may have words or a fence around it. ValueError says what must change."""
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
    import jsonschema_rs  # noqa: PLC0415  60 ms, and only a schema of one's own needs it

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
    """A schema is checked as it stands: nothing is fetched for it."""
    raise ValueError(f"it refers to {uri}; put that schema into its $defs")


class StructuredRun:
    """One run whose last answer must have a shape. A model whose answer does not is told why, once, in the same run.

    Made with `prepare`, before the run begins.
    """

    def __init__(self, rt: "Runtime", schema: OutputSchema) -> None:
        self._rt, self._schema = rt, schema
        self._answer, self._corrected = "", False
        self.stop = rt.hooks.event.add(self._on_event)
        """To be called when the run has ended."""

    @classmethod
    async def prepare(cls, rt: "Runtime", kind: Any) -> "StructuredRun":
        """`kind` is what `OutputSchema` takes. Raises what `OutputSchema` raises. The loop goes on while pydantic is imported."""
        return cls(rt, await asyncio.to_thread(OutputSchema, kind))

    def request(self, text: str) -> str:
        """The prompt `text`, with what the last answer must look like."""
        return self._schema.request(text)

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, TurnStart):
            self._answer = ""
        elif isinstance(event, AssistantMessage):
            self._answer = event.message.text
        elif isinstance(event, TurnEnd) and event.stop in ("end_turn", "length") and not self._corrected:
            try:
                self._schema.parse(self._answer)
            except ValueError as problem:
                self._corrected = True
                self._rt.steer(self._schema.correction(problem))  # the run goes on where it would end

    def value(self) -> Any:
        """The value in the last answer. Raises `InvalidOutput`."""
        try:
            return self._schema.parse(self._answer)
        except ValueError as problem:
            why = " ".join(str(problem).split())
            raise InvalidOutput(f"the model gave no {self._schema.name}, asked twice: {why}", self._answer) from problem


async def ask_for(rt: "Runtime", text: str, images: Iterable[ImageBlock], kind: Any) -> Any:
    """`Runtime.ask` with `returns`."""
    asked = await StructuredRun.prepare(rt, kind)
    try:
        await rt.ask(asked.request(text), images)
    finally:
        asked.stop()
    return asked.value()


def _candidates(answer: str) -> Iterator[str]:
    """The texts in an answer that may be its JSON, the likeliest first."""
    yield answer
    yield from reversed(_FENCED.findall(answer))
    start = min((answer.find(mark) for mark in "{[" if mark in answer), default=0)
    yield answer[start : max(answer.rfind(mark) for mark in "}]") + 1]


def _problem(place: tuple[int | str, ...], words: str) -> str:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")
    return f"{where}: {words}" if where else words
