"""`Repair`: the answers of a server as the package `mcp` takes them: each item of a list and each part of an answer is
repaired or left out alone, so that one flaw does not cost the rest.

The library checks an answer as a whole, by the schemas of the protocol version. What is here tries the same checks
before it, item by item.
"""

import json
from collections.abc import Callable
from typing import Any

from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.methods import is_input_required, parse_server_result
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    KNOWN_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import ValidationError

PARTS = 1000
"""The most parts of an answer; the rest is left out, with a note for the model."""
PART_TEXT = 2000
"""The most characters that are shown of a part of an unknown type."""
LISTS = {
    "tools/list": ("tools", "name", ("name", "inputSchema")),
    "prompts/list": ("prompts", "name", ("name", "arguments")),
    "resources/list": ("resources", "uri", ("uri", "name")),
    "resources/templates/list": ("resourceTemplates", "uriTemplate", ("uriTemplate", "name")),
}
"""Of each list: the field of its items, which field of an item is its name, and those it cannot be without."""
_CONTENT = (
    "type",
    "text",
    "data",
    "mimeType",
    "uri",
    "name",
    "resource",
    "description",
    "title",
    "content",
    "toolUseId",
)
_MODERN = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_CAPABILITIES = ("tools", "prompts", "resources", "logging", "completions", "experimental", "tasks", "extensions")


class Unusable(Exception):
    """An item cannot be used; `str()` says why."""


class Repair:
    """Repairs answers. `note` is called with a method and a line for each thing that is left out."""

    def __init__(self, note: Callable[[str, str], None]) -> None:
        self._note = note
        self._version = LATEST_HANDSHAKE_VERSION
        self._repairs = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "tools/call": self._call,
            "prompts/get": self._prompt,
            "resources/read": self._resource,
        }

    def result(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request in the form that the library takes, if that can be made of it."""
        if method in LISTS:
            return self._list(method, self._filled(params, result))
        repair = self._repairs.get(method)
        if repair is None or is_input_required(result):
            return result
        return repair(params, self._filled(params, result))

    def _filled(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Add what the newest protocol demands in every answer."""
        version = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if version in KNOWN_PROTOCOL_VERSIONS:
            self._version = version
        return _MODERN | result if self._version in MODERN_PROTOCOL_VERSIONS else dict(result)

    def _problem(self, method: str, result: dict[str, Any]) -> ValidationError | None:
        """Return why the library would refuse a result."""
        try:
            parse_server_result(method, self._version, result)
        except KeyError:  # this version has no such request; the library does not check it either
            return None
        except ValidationError as error:
            return error
        return None

    # What it is

    def _initialize(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        version = result.get("protocolVersion")
        if version in HANDSHAKE_PROTOCOL_VERSIONS:
            self._version = version
        else:  # which the library refuses; such a server takes what it was offered, as far as that goes
            result["protocolVersion"] = LATEST_HANDSHAKE_VERSION
        info = result.get("serverInfo")
        named = info if isinstance(info, dict) else {"name": info if isinstance(info, str) else ""}
        texts = {key: value for key, value in named.items() if isinstance(value, str)}
        result["serverInfo"] = {"name": "a server without a name", "version": ""} | texts
        return self._discover(params, result)

    def _discover(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        given = result.get("capabilities")
        if isinstance(given, dict) and given:
            result["capabilities"] = _capabilities(given)
        else:  # a list that it does not have costs a refusal
            result["capabilities"] = {"tools": {}, "prompts": {}, "resources": {}}
        if not isinstance(result.get("instructions"), str):
            result.pop("instructions", None)
        return result

    # Lists

    def _list(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        field, named, essential = LISTS[method]
        items = result.get(field)
        if not isinstance(items, list):
            if items is not None:
                self._note(method, f"its list of {field} is not a list")
            items = []
        cursor = result.get("nextCursor")
        if cursor is not None and not isinstance(cursor, str):
            result["nextCursor"] = str(cursor) if isinstance(cursor, int) else None
        kept, names = [], set()
        for number, item in enumerate(items):
            try:
                found = self._item(method, item)
                if found[named] in names:
                    raise Unusable("another one has the same name")
            except Unusable as problem:
                shown = item.get(named) if isinstance(item, dict) else None
                self._note(method, f"{field[:-1]} {shown if isinstance(shown, str) else number + 1}: {problem}")
                continue
            names.add(found[named])
            kept.append(found)
        if self._problem(method, result | {field: kept}) is not None:
            kept = [each for item in kept if (each := self._fitting(method, result, item, essential)) is not None]
        result[field] = kept
        if self._problem(method, result) is not None:  # the answer around the list
            result = self._filled({}, {field: kept})
        return result

    def _item(self, method: str, item: Any) -> dict[str, Any]:
        """Return an item without its usual flaws. Raises `Unusable`."""
        named = LISTS[method][1]
        if not isinstance(item, dict):
            raise Unusable("it is not an object")
        if not isinstance(item.get(named), str) or not item[named]:
            raise Unusable(f"it has no {named}")
        found = {key: value for key, value in item.items() if value is not None}
        if method == "tools/list":
            return _tool(found)
        if not isinstance(found.get("name"), str):
            found["name"] = found[named]
        if method == "prompts/list":
            arguments = found.get("arguments")
            known = arguments if isinstance(arguments, list) else []
            found["arguments"] = [_argument(each) for each in known if isinstance(each, dict)]
            found["arguments"] = [each for each in found["arguments"] if isinstance(each.get("name"), str)]
        return found

    def _fitting(
        self, method: str, around: dict[str, Any], item: dict[str, Any], essential: tuple[str, ...]
    ) -> dict[str, Any] | None:
        """Return an item without the fields that the library refuses; None, with a note, if it needs them."""
        field, named, _ = LISTS[method]
        frame = self._filled({}, {})
        while (problem := self._problem(method, frame | {field: [item]})) is not None:
            error = problem.errors()[0]
            path = error["loc"][2:]  # after the list and the place in it
            item = dict(item)
            if path and path[0] in item and path[0] not in essential:
                del item[str(path[0])]
            elif len(path) > 1 and isinstance(item.get(str(path[0])), dict) and path[1] in item[str(path[0])]:
                item[str(path[0])] = {key: value for key, value in item[str(path[0])].items() if key != path[1]}
            else:
                where = ".".join(map(str, path))
                self._note(method, f"{field[:-1]} {item[named]}: {where}: {error['msg']}")
                return None
        return item

    # Answers

    def _call(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Repair the answer to a call. It is an error only if the server says so."""
        content = result.get("content")
        structured = result.get("structuredContent")
        if content is None and structured is None:
            rest = {key: value for key, value in result.items() if key not in ("_meta", "isError", *_MODERN)}
            content = [rest.get("toolResult", rest)] if rest else []
        parts = content if isinstance(content, list) else [] if content is None else [content]
        result["content"] = self._parts(parts)
        is_error = result.get("isError")
        result["isError"] = is_error is True or (isinstance(is_error, str) and is_error.lower() == "true")
        if self._problem("tools/call", result) is not None:
            odd = result.pop("structuredContent", None)
            result.pop("_meta", None)
            if odd is not None and not parts:
                result["content"] = [_text(odd)]
        return result

    def _parts(self, parts: list[Any]) -> list[dict[str, Any]]:
        found = [self._part(each) for each in parts[:PARTS]]
        if len(parts) > PARTS:
            found.append({"type": "text", "text": f"({len(parts) - PARTS} more parts omitted)"})
        return found

    def _part(self, part: Any) -> dict[str, Any]:
        """Return a part of an answer; one of an unknown type or form as text."""
        if not isinstance(part, dict):
            return _text(part)
        for each in (part, {key: part[key] for key in _CONTENT if key in part}):
            if self._problem("tools/call", self._filled({}, {"content": [each]})) is None:
                return each
        if part.get("type") in ("image", "audio") and isinstance(part.get("data"), str):
            return {"type": "text", "text": f"({part['type']} omitted: it does not say of what type it is)"}
        return _text(part.get("text", part))

    def _prompt(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        given = result.get("messages")
        messages = []
        for each in given[:PARTS] if isinstance(given, list) else [] if given is None else [given]:
            fields = each if isinstance(each, dict) else {"content": each}
            role = fields.get("role") if fields.get("role") in ("user", "assistant") else "user"
            parts = fields.get("content", "")
            messages += [
                {"role": role, "content": self._part(part)} for part in (parts if isinstance(parts, list) else [parts])
            ]
        result["messages"] = messages
        if not isinstance(result.get("description"), str):
            result.pop("description", None)
        return result

    def _resource(self, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        given = result.get("contents")
        contents = []
        for each in given[:PARTS] if isinstance(given, list) else [] if given is None else [given]:
            fields = each if isinstance(each, dict) else {"text": each}
            uri = fields.get("uri") if isinstance(fields.get("uri"), str) else str(params.get("uri"))
            blob = fields.get("blob")
            holds = {"blob": blob} if isinstance(blob, str) else {"text": _text(fields.get("text", fields))["text"]}
            kind = {"mimeType": fields["mimeType"]} if isinstance(fields.get("mimeType"), str) else {}
            contents.append({"uri": uri, **kind, **holds})
        result["contents"] = contents
        return result


def _text(value: Any) -> dict[str, str]:
    """Return any value as a part with text."""
    if isinstance(value, str):
        return {"type": "text", "text": value}
    text = json.dumps(value, ensure_ascii=False)
    more = f"... ({len(text) - PART_TEXT} more characters)" if len(text) > PART_TEXT else ""
    return {"type": "text", "text": text[:PART_TEXT] + more}


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool. Raises `Unusable`. The schema of its answers goes: the library would throw away answers that do
    not fit it, and the model reads them as they are."""
    tool.pop("outputSchema", None)
    execution = tool.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        raise Unusable("it only runs as a task, which zot does not do")
    try:
        tool["inputSchema"] = arguments_schema(tool.get("inputSchema"))
    except NotForArguments as problem:
        raise Unusable(str(problem)) from None
    return tool


def _argument(argument: dict[str, Any]) -> dict[str, Any]:
    found = {key: value for key, value in argument.items() if isinstance(value, str)}
    return found | {"required": argument.get("required") in (True, "true")}


def _capabilities(given: dict[str, Any]) -> dict[str, Any]:
    """Return what a server can do; `true` is an object without fields."""
    found = {key: value for key, value in given.items() if key in _CAPABILITIES and value not in (None, False)}
    for key, value in found.items():
        flags = value if isinstance(value, dict) else {}
        found[key] = {
            name: each
            for name, each in flags.items()
            if isinstance(each, dict) or (key != "experimental" and each is True)
        }
    return found


class NotForArguments(ValueError):
    """A schema can describe no arguments; `str()` says why."""


def arguments_schema(given: Any) -> dict[str, Any]:
    """Return a schema of an object. A schema without a type describes an object, because arguments are one. Raises
    `NotForArguments` for a schema of something else."""
    if given is None or given is True:
        return {"type": "object", "properties": {}}
    if not isinstance(given, dict):
        raise NotForArguments("its inputSchema is not an object")
    kind = given.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is not None and not {"object", "any", ""} & {each for each in kinds if isinstance(each, str)}:
        raise NotForArguments(f"its inputSchema has the type {kind!r}; arguments are an object")
    found = {key: value for key, value in given.items() if value is not None} | {"type": "object"}
    if not isinstance(found.get("$schema", ""), str):
        del found["$schema"]
    properties = found.get("properties", {})
    found["properties"] = {
        name: each if isinstance(each, dict) else {}
        for name, each in (properties.items() if isinstance(properties, dict) else ())
    }
    if "required" in found:
        required = found["required"] if isinstance(found["required"], list) else []
        found["required"] = [each for each in required if isinstance(each, str)]
    return found
