"""Whatever a server answers, the package `mcp` takes what is made of it: properties, tried with the package itself."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

PROGRAM = str(Path(__file__).parent / "programs" / "repairs.py")
VERSIONS = ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")
names = some.sampled_from(["go", "a.b", "", "x" * 80])
anything = some.recursive(
    some.none() | some.booleans() | some.integers(-5, 5) | some.floats(allow_nan=False) | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def fields(*known: str, **better: some.SearchStrategy[Any]) -> some.SearchStrategy[dict[str, Any]]:
    """Objects that have some of the fields, with anything or with something better in them."""
    return some.fixed_dictionaries({}, optional={name: better.get(name, anything) | anything for name in known})


schemas = fields(
    "type", "properties", "required", "$schema", "oneOf", type=some.sampled_from(["object", "array", "any"])
)
parts = fields(
    *("type", "text", "data", "mimeType", "uri", "name", "resource", "annotations", "_meta"),
    type=some.sampled_from(["text", "image", "audio", "resource", "resource_link", "chart"]),
    resource=fields("uri", "text", "blob", "mimeType"),
)
tools = fields(
    *("name", "inputSchema", "outputSchema", "title", "annotations", "icons", "execution", "description"),
    name=names, inputSchema=schemas, execution=fields("taskSupport"),
)  # fmt: skip
RESULTS = {
    "tools/list": fields("tools", "nextCursor", "_meta", tools=some.lists(tools, max_size=3)),
    "prompts/list": fields(
        "prompts", "nextCursor", prompts=some.lists(fields("name", "arguments", "title", name=names), max_size=3)
    ),
    "resources/list": fields(
        "resources", resources=some.lists(fields("uri", "name", "size", "annotations", uri=names), max_size=3)
    ),
    "resources/templates/list": fields(
        "resourceTemplates", resourceTemplates=some.lists(fields("uriTemplate", "name", uriTemplate=names), max_size=3)
    ),
    "tools/call": fields(
        *("content", "isError", "structuredContent", "_meta", "toolResult"), content=some.lists(parts, max_size=3)
    ),
    "prompts/get": fields("messages", "description", messages=some.lists(fields("role", "content"), max_size=3)),
    "resources/read": fields("contents", contents=some.lists(fields("uri", "text", "blob", "mimeType"), max_size=3)),
}


class Checker:
    """A process with the package."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen([python, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, **asked: object) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")


@pytest.fixture(scope="module")
def check(mcp_packages: Path) -> Iterator[Checker]:
    checker = Checker(str(next(mcp_packages.glob("*/bin/python"))))
    yield checker
    checker.process.kill()
    checker.process.communicate()


PATIENT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


@PATIENT
@given(method=some.sampled_from(sorted(RESULTS)), version=some.sampled_from(VERSIONS), data=some.data())
def test_any_answer_becomes_one_that_the_library_takes(
    check: Checker, method: str, version: str, data: some.DataObject
) -> None:
    assert check(method=method, version=version, result=data.draw(RESULTS[method])) == "ok"


hello = fields(
    *("protocolVersion", "capabilities", "serverInfo", "instructions"),
    protocolVersion=some.just("2025-11-25"),
    capabilities=fields("tools", "prompts", "resources", "logging", "experimental", "completions", "tasks"),
    serverInfo=fields("name", "version", "title"),
)


@PATIENT
@given(result=hello)
def test_any_greeting_becomes_one_that_the_library_takes(check: Checker, result: dict[str, Any]) -> None:
    assert check(method="initialize", version="2025-11-25", result=result) == "ok"


answers = fields("jsonrpc", "id", "result", "error", "method", "params", jsonrpc=some.just("2.0"))
deep = some.integers(90, 1500).map(lambda depth: b'{"id":1,"result":{"a":%s%s}}' % (b"[" * depth, b"]" * depth))
messages = (answers | some.lists(answers, max_size=3)).map(lambda each: json.dumps(each).encode())
lines = (
    some.binary(max_size=60)
    | messages
    | deep
    | some.tuples(some.sampled_from([b"> ", b"\x1b[1m", b"{"]), messages, messages).map(b"".join)
    | some.text(max_size=20).map(
        lambda text: b'{"jsonrpc":"2.0","id":3,"result":{"a":"\\ud83d' + text.encode("utf-8", "ignore")
    )
)


@PATIENT
@given(line=lines)
def test_any_line_is_messages_or_none(check: Checker, line: bytes) -> None:
    assert check(line=base64.b64encode(line).decode()) == "ok"
