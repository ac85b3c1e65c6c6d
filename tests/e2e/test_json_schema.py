"""`zot -p --json-schema FILE`: an answer that fits a schema, for scripts."""

import json

import pytest
from command import Zot

from zot_provider.testing import Call, ScriptedServer, Turn

SCHEMA = {
    "type": "object",
    "required": ["files"],
    "properties": {"files": {"type": "array", "items": {"type": "string"}}},
}


@pytest.fixture
def schema(zot: Zot) -> str:
    (zot.cwd / "schema.json").write_text(json.dumps(SCHEMA))
    return "schema.json"


def test_the_answer_is_one_line_of_json_whatever_stands_around_it(
    zot: Zot, server: ScriptedServer, schema: str
) -> None:
    server.add(Turn("I look.", calls=[Call("ls", {})]), 'Here it is:\n```json\n{"files": ["schema.json"]}\n```')
    done = zot.ask(server, "-p", "--json-schema", schema, "which files are here?")
    assert (done.code, done.err) == (0, "")
    assert done.out == '{"files": ["schema.json"]}\n'
    assert '"required": ["files"]' in str(server.requests[0].body["messages"][-1]["content"])


def test_an_answer_that_does_not_fit_is_explained_to_the_model_once(
    zot: Zot, server: ScriptedServer, schema: str
) -> None:
    server.add('{"files": [3]}', '{"files": []}')
    done = zot.ask(server, "-p", "--json-schema", schema, "which?")
    assert (done.code, done.out) == (0, '{"files": []}\n')
    assert "files[0]: 3 is not of type" in str(server.requests[1].body["messages"][-1]["content"])


def test_two_answers_that_do_not_fit_are_a_failure(zot: Zot, server: ScriptedServer, schema: str) -> None:
    server.add("no", "never")
    done = zot.ask(server, "-p", "--json-schema", schema, "which?")
    assert (done.code, done.out) == (1, "")
    assert done.line() == "the model gave no valid JSON value in two attempts: it is not JSON"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no such file"),
        ("{", "is not JSON"),
        ("[]", "expected an object, got a list"),
        ('{"type": 5}', "not a usable JSON Schema"),
    ],
)
def test_a_schema_that_cannot_be_used_is_named_before_anything_is_asked(
    zot: Zot, server: ScriptedServer, text: str | None, problem: str
) -> None:
    if text is not None:
        (zot.cwd / "schema.json").write_text(text)
    done = zot.ask(server, "-p", "--json-schema", "schema.json", "x")
    assert (done.code, done.out, server.requests) == (2, "", [])
    assert problem in done.line()


@pytest.mark.parametrize("flag", ["--json", "--stream", "--rpc"])
def test_only_print_takes_a_schema(zot: Zot, schema: str, flag: str) -> None:
    done = zot.run(flag, "--json-schema", schema, *([] if flag == "--rpc" else ["x"]))
    assert (done.code, done.line()) == (2, "--json-schema only works with --print")
