#!/usr/bin/env python3
"""A provider of models whose requests this program sends itself, in Anthropic's dialect, with the standard library."""

import json
import os
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from zot_ext import CallPart, Extension, ModelCall, ModelFailure, Part, StopPart, ThinkingPart, TokenCount

ADDRESS = os.environ.get("RELAY_URL", "https://api.anthropic.com")
ext = Extension("custom-provider", "1.0.0")


@ext.provider("relay")
def relay(call: ModelCall) -> Iterator[Part]:
    body = {
        "model": call.model,
        "max_tokens": call.max_tokens or 8192,
        "stream": True,
        "system": call.system,
        "messages": [message(each) for each in call.messages],
        "tools": [
            {"name": each["name"], "description": each["description"], "input_schema": each["schema"]}
            for each in call.tools
        ],
    }
    calls: dict[int, str] = {}  # the ids of calls, by the index of their block
    tokens: dict[str, int] = {}
    for event in events(ask("POST", "/v1/messages", call.api_key, json.dumps(body).encode())):
        match event["type"]:
            case "content_block_start" if event["content_block"]["type"] == "tool_use":
                calls[event["index"]] = event["content_block"]["id"]
                yield CallPart(event["content_block"]["id"], event["content_block"]["name"])
            case "content_block_delta":
                yield from delta(event["delta"], calls.get(event["index"], ""))
            case "message_start" | "message_delta":
                found = event.get("message", event).get("usage") or {}
                tokens |= {name: count for name, count in found.items() if isinstance(count, int)}
                yield usage(tokens)
                if event.get("delta", {}).get("stop_reason") == "max_tokens":
                    yield StopPart("length")
            case "error":
                raise ModelFailure(event["error"]["message"], code=event["error"]["type"])


@relay.models
def models(key: str) -> list[dict[str, object]]:
    listed = json.load(ask("GET", "/v1/models", key))["data"]
    return [{"id": each["id"], "name": each.get("display_name") or each["id"]} for each in listed]


@ext.command("relay", "show where the relay sends requests")
def show(_: str) -> str:
    return f"relay asks {ADDRESS}"


def message(each: dict[str, Any]) -> dict[str, Any]:
    """Return a message as Anthropic takes it: results of tools come from the user."""
    role = "user" if each["role"] == "tool" else each["role"]
    return {"role": role, "content": [block(part) for part in each["content"]]}


def block(part: dict[str, Any]) -> dict[str, Any]:
    match part["type"]:
        case "image":
            return {
                "type": "image",
                "source": {"type": "base64", "media_type": part["mime_type"], "data": part["data"]},
            }
        case "tool_call":
            return {"type": "tool_use", "id": part["id"], "name": part["name"], "input": json.loads(part["arguments"])}
        case "tool_result":
            content = [block(inner) for inner in part["content"]]
            return {
                "type": "tool_result",
                "tool_use_id": part["call_id"],
                "is_error": part["is_error"],
                "content": content,
            }
        case "thinking":
            return {"type": "thinking", "thinking": part["text"], "signature": part.get("signature", "")}
    return {"type": "text", "text": part["text"]}


def delta(part: dict[str, str], call: str) -> Iterator[Part]:
    match part["type"]:
        case "text_delta":
            yield part["text"]
        case "thinking_delta":
            yield ThinkingPart(part["thinking"])
        case "signature_delta":
            yield ThinkingPart(signature=part["signature"])
        case "input_json_delta":
            yield CallPart(call, arguments=part["partial_json"])


def usage(tokens: dict[str, int]) -> TokenCount:
    return TokenCount(
        tokens.get("input_tokens", 0),
        tokens.get("output_tokens", 0),
        tokens.get("cache_read_input_tokens", 0),
        tokens.get("cache_creation_input_tokens", 0),
    )


def ask(method: str, path: str, key: str, body: bytes | None = None) -> HTTPResponse:
    """Send a request and return the answer. Raises `ModelFailure`."""
    parts = urlsplit(ADDRESS)
    connection = (HTTPSConnection if parts.scheme == "https" else HTTPConnection)(parts.netloc, timeout=100)
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json"}
    try:
        connection.request(method, parts.path + path, body, headers)
        answer = connection.getresponse()
    except OSError as error:
        raise ModelFailure(f"no connection to {ADDRESS}: {error}", code="unavailable") from None
    if answer.status >= 400:
        text = answer.read(2000).decode(errors="replace")
        wait = answer.headers.get("retry-after", "")
        raise ModelFailure(text, status=answer.status, retry_after=float(wait) if wait.isdecimal() else 0)
    return answer


def events(answer: HTTPResponse) -> Iterator[dict[str, Any]]:
    """Yield the objects of server-sent events."""
    for line in answer:
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


if __name__ == "__main__":
    ext.run()
