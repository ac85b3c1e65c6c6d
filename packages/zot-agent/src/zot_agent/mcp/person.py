"""`Answers`: what servers ask: models (sampling) and the person (elicitation), both over the calls of extensions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from functools import partial
from typing import Any

import anyio.to_thread
from mcp_types import CreateMessageResult, ElicitResult, ErrorData, TextContent

from zot_agent.mcp.server import McpServer
from zot_ext.errors import HostError, NotGranted
from zot_ext.extension import Extension

SAMPLES_PER_CALL = 10
"""How often a server may ask a model while its calls are open."""
MOST_TOKENS = 16_384
"""The longest answer of a model that a server gets."""
TRIES = 5
"""How often a form is shown whose values are not what the server wants."""
REFUSED = -1
"""The code of the specification for "the user rejected it"."""
_SHOWN = 2000
FORMATS = {
    "email": ("an e-mail address", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    "uri": ("an address, such as https://example.com", re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")),
    "date": ("a date, such as 2026-11-28", re.compile(r"\d{4}-\d\d-\d\d")),
    "date-time": ("a time, such as 2026-11-28T18:30:00Z", re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d.*")),
}
"""The formats of the specification: in words, and how they look."""
_LEAST, _MOST = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")


class Answers:
    """Answers for one extension. A server is answered only while one of its calls is open, so that it can spend nothing
    and ask nobody behind the person's back."""

    def __init__(self, ext: Extension) -> None:
        self._ext = ext
        self._allowed: dict[str, bool] = {}
        self._asking: dict[str, anyio.Lock] = {}
        self._samples: dict[str, int] = {}

    def call_ended(self, server: McpServer) -> None:
        """Take note that a call of a server has ended."""
        if not server.calls:
            self._samples.pop(server.name, None)

    async def sample(self, server: McpServer, params: Any) -> Any:
        """Answer `sampling/createMessage`."""
        if not server.calls:
            return ErrorData(code=REFUSED, message="sampling is possible during a call only")
        count = self._samples[server.name] = self._samples.get(server.name, 0) + 1
        if count > SAMPLES_PER_CALL:
            return ErrorData(code=REFUSED, message=f"more than {SAMPLES_PER_CALL} samplings in one call")
        try:
            if not await self._may_sample(server, params):
                return ErrorData(code=REFUSED, message="the user does not allow sampling")
            answer = await self._run(server, lambda: self._complete(params))
        except (HostError, NotGranted) as error:
            return ErrorData(code=REFUSED, message=f"sampling failed: {error}")
        content = TextContent(type="text", text=str(answer["text"]))
        return CreateMessageResult(role="assistant", content=content, model=str(answer["model"]), stop_reason="endTurn")

    async def _may_sample(self, server: McpServer, params: Any) -> bool:
        """Return whether the person lets the server ask models; they are asked once."""
        if server.config.sampling == "allow":
            return True
        async with self._asking.setdefault(server.name, anyio.Lock()):
            if server.name not in self._allowed:
                title = f"Let the MCP server {server.name} ask your model in this session?"
                message = conversation_text(params)[:_SHOWN]
                self._allowed[server.name] = await self._run(server, lambda: self._ext.ui.confirm(title, message))
        return self._allowed[server.name]

    def _complete(self, params: Any) -> dict[str, Any]:
        most = min(params.max_tokens or MOST_TOKENS, MOST_TOKENS)
        system = params.system_prompt or None
        return self._ext.call("model.complete", prompt=conversation_text(params), system=system, max_tokens=most)

    async def elicit(self, server: McpServer, params: Any) -> Any:
        if not server.calls:
            return ElicitResult(action="cancel")
        try:
            if params.mode == "url":
                message = f"{params.message}\n\nIt asks you to open {params.url}"
                title = f"MCP server {server.name}: have you opened this page?"
                done = await self._run(server, lambda: self._ext.ui.confirm(title, message))
                return ElicitResult(action="accept" if done else "decline")
            return await self._form(server, params)
        except (HostError, NotGranted):  # nobody can be asked
            return ElicitResult(action="cancel")

    async def _form(self, server: McpServer, params: Any) -> Any:
        schema = dict(params.requested_schema)
        properties: dict[str, Any] = {
            name: each for name, each in (schema.get("properties") or {}).items() if isinstance(each, dict)
        }
        title = f"MCP server {server.name}"
        if not properties:
            agreed = await self._run(server, lambda: self._ext.ui.confirm(title, params.message))
            return ElicitResult(action="accept" if agreed else "decline", content={} if agreed else None)
        fields = [form_field(name, each, schema.get("required") or ()) for name, each in properties.items()]
        message = params.message
        for _ in range(TRIES):
            values = await self._run(server, partial(self._ext.ui.form, title, fields, message=message))
            if values is None:
                break
            content, mistakes = {}, []
            for name, value in values.items():
                try:
                    content[name] = form_value(properties[name], value)
                except ValueError as mistake:
                    mistakes.append(f"{name}: {mistake}")
            if not mistakes:
                return ElicitResult(action="accept", content=content)
            for field in fields:  # what was typed need not be typed again
                if field["name"] in values:
                    value = values[field["name"]]
                    field["initial"] = str(value).lower() if isinstance(value, bool) else str(value)
            message = "\n".join([params.message, "", *mistakes])
        return ElicitResult(action="cancel")

    async def _run(self, server: McpServer, function: Callable[[], Any]) -> Any:
        """Run a function that waits for zot in the context of the newest call, whose time limit then pauses."""
        context = server.calls[-1].copy()
        return await anyio.to_thread.run_sync(context.run, function, abandon_on_cancel=True)


def conversation_text(params: Any) -> str:
    """Return the messages of a sampling as one prompt."""
    messages = [(each.role, _text(each.content)) for each in params.messages]
    if len(messages) == 1:
        return messages[0][1]
    return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in messages)


def _text(content: Any) -> str:
    blocks = content if isinstance(content, list) else [content]
    return "\n".join(block.text if block.type == "text" else f"({block.type} omitted)" for block in blocks)


def form_field(name: str, schema: Mapping[str, Any], required: Collection[str]) -> dict[str, Any]:
    """Return the field of a form for a property; a list is written with commas."""
    kind = {"integer": "integer", "number": "number", "boolean": "boolean"}.get(str(schema.get("type")), "text")
    titles = list(choices_of(schema))
    described = [str(schema.get(each) or "") for each in ("title", "description")]
    if schema.get("type") == "array":
        options = ", ".join(choices_of(_items(schema)))
        described.append(f"any of {options}, with commas between them" if options else "with commas between them")
        titles = []
    described.append(limits_of(schema))
    default = schema.get("default")
    shown = {_key(value): title for title, value in choices_of(schema).items()}
    if isinstance(default, list):
        shown_items = {_key(value): title for title, value in choices_of(_items(schema)).items()}
        default = ", ".join(shown_items.get(_key(each), str(each)) for each in default)
    found: dict[str, Any] = {
        "name": name,
        "kind": "select" if titles else kind,
        "required": name in required,
        "description": ": ".join(filter(None, described)),
    }
    if titles:
        found["choices"] = titles
    if default is not None:
        found["initial"] = shown.get(_key(default), str(default).lower() if isinstance(default, bool) else str(default))
    return found


def choices_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an enumeration, in any of the forms of the specification, by what the person sees."""
    values, titles = schema.get("enum"), schema.get("enumNames")
    if isinstance(values, list):
        known = titles if isinstance(titles, list) and len(titles) == len(values) else values
        pairs = [(str(title), value) for title, value in zip(known, values, strict=True)]
    else:
        titled = schema.get("oneOf") or schema.get("anyOf") or []
        listed = titled if isinstance(titled, list) else []
        pairs = [
            (str(each.get("title") or each["const"]), each["const"])
            for each in listed
            if isinstance(each, dict) and "const" in each
        ]
    seen = [title for title, _ in pairs]
    return {f"{title} ({value})" if seen.count(title) > 1 else title: value for title, value in pairs}


def limits_of(schema: Mapping[str, Any]) -> str:
    """Return what a value must look like, in words."""
    format = str(schema.get("format"))
    unit = " characters" if schema.get("type") == "string" else " of them" if schema.get("type") == "array" else ""
    least, most = (_number(schema, *names) for names in (_LEAST, _MOST))
    parts = [FORMATS[format][0]] if format in FORMATS else []
    if least is not None and most is not None:
        parts.append(f"{least:g} to {most:g}{unit}")
    elif least is not None or most is not None:
        parts.append(f"{least:g}{unit} at least" if most is None else f"{most:g}{unit} at most")
    return ", ".join(parts)


def form_value(schema: Mapping[str, Any], value: Any) -> Any:
    """Return the value of a field as the server wants it. Raises `ValueError` with what it must look like."""
    if schema.get("type") == "array" and isinstance(value, str):
        given = [each.strip() for each in value.split(",") if each.strip()]
        options = choices_of(_items(schema))
        known = {str(each): each for each in options.values()} | options
        if options and (odd := [each for each in given if each not in known]):
            raise ValueError(f"{', '.join(odd)}: not one of {', '.join(options)}")
        value = [known.get(each, each) for each in given]
    elif options := choices_of(schema):
        value = options.get(str(value), value)
    size = value if isinstance(value, int | float) else len(value) if isinstance(value, str | list) else 0
    least, most = (_number(schema, *names) for names in (_LEAST, _MOST))
    if not isinstance(value, bool) and ((least is not None and size < least) or (most is not None and size > most)):
        raise ValueError(limits_of(schema))
    if isinstance(value, str) and not _has_format(value, str(schema.get("format"))):
        raise ValueError(limits_of(schema))
    return value


def _has_format(text: str, format: str) -> bool:
    if format not in FORMATS:
        return True
    if not FORMATS[format][1].fullmatch(text):
        return False
    try:
        if format == "date":
            date.fromisoformat(text)
        elif format == "date-time":
            datetime.fromisoformat(text.upper().replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    items = schema.get("items")
    return items if isinstance(items, dict) else {}


def _number(schema: Mapping[str, Any], *names: str) -> float | None:
    found = [schema[name] for name in names if isinstance(schema.get(name), int | float)]
    return found[0] if found else None


def _key(value: Any) -> str:
    return repr(value)
