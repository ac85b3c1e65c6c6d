import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.sessions.raw import keep_arguments, read_row

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def kept(line: str) -> list[object]:
    row = json.loads(line)
    keep_arguments(row, line)
    return [block.get("arguments") for block in row["message"]["content"] if isinstance(block, dict)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"a":1}', '{"a":1}'),
        ('{ "a" : 1.50, "a" : 2e0 }', '{ "a" : 1.50, "a" : 2e0 }'),
        ('{"b":{"arguments":{"x":[]}}}', '{"b":{"arguments":{"x":[]}}}'),
        ("{}", "{}"),
        ('"text"', "text"),
        ("null", None),
        ("[1]", [1]),
    ],
)
def test_the_text_of_an_object_comes_back_to_the_letter(arguments: str, text: object) -> None:
    assert kept(f'{{"message":{{"content":[{{"id":"1","arguments":{arguments}}}]}}}}') == [text]


def test_white_space_is_ignored() -> None:
    line = ' { "x" : [ ] , "message" : { "y" : { } , "content" : [ 1 , { "arguments" : { } , "z" : 0 } , { } ] } } '
    assert kept(line) == ["{ }", None]


def test_of_several_members_of_one_name_the_last_counts() -> None:
    block = '{"arguments":{"a":1},"arguments":{"a": 2}}'
    assert kept(f'{{"message":5,"message":{{"content":[],"content":[{block}]}}}}') == ['{"a": 2}']


@pytest.mark.parametrize(
    "line", ['{"message":{}}', '{"message":"arguments"}', '{"message":{"content":"arguments"}}', "{}"]
)
def test_a_row_without_calls_stays_as_it_is(line: str) -> None:
    row = json.loads(line)
    keep_arguments(row, line)
    assert row == json.loads(line)


@given(st.lists(st.tuples(st.dictionaries(st.text(max_size=4), values, max_size=3), st.booleans()), max_size=4))
def test_any_object_comes_back_to_the_letter(written: list[tuple[dict[str, object], bool]]) -> None:
    texts = [json.dumps(value, separators=(",", ":") if tight else None) for value, tight in written]
    blocks = ",".join(f'{{"id":"\\"arguments\\"","arguments":{text},"more":{{}}}}' for text in texts)
    assert kept(f'{{"type":"message","message":{{"content":[{blocks}],"time":""}}}}') == texts


def block(arguments: str, more: str = "") -> str:
    return f'{{"type":"tool_call","id":"1","name":"n","arguments":{arguments}{more}}}'


@pytest.mark.parametrize(
    "line",
    [
        f'{{"message":{{"content":[{block("{ }")}],"arguments":{{"a":1}}}}}}',
        f'{{"arguments":{{}},"message":{{"content":[{block("{ }")}]}}}}',
        f'{{"message":{{"content":[{{"text":"x","more":{{"arguments":{{}}}}}},{block("{ }")}]}}}}',
        f'{{"message":{{"content":[{block("{ }", more=""","arguments":{ }""")}]}}}}',
        f'{{"message":{{"content":[{{"text":"\\"arguments\\": {{}}"}},{block("{ }")}]}}}}',
        f'{{"message":{{"content":[{{"\\"arguments":{{}}}},{block("{ }")}]}}}}',
        '{"message":{"content":[{"\\u0061rguments":{ }}],"time":"\\"arguments"}}',
    ],
)
def test_members_of_that_name_elsewhere_are_not_mistaken_for_the_arguments_of_a_call(line: str) -> None:
    (text,) = [each["arguments"] for each in read_row(line.encode())["message"]["content"] if "arguments" in each]
    assert text == "{ }"


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
        (b'{"a":"x\xffy"}', {"a": "x\ufffdy"}),
        (b'{"a":Infinity,"b":1e999}', {"a": math.inf, "b": math.inf}),
        (b'{"a":123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":' * 300 + b"1" + b"}" * 300, {"a": None}),
        (b' {"a" : 1}\r\n', {"a": 1}),
        (b'{"a":1} {}', {}),
        (b'{"a":"\n"}', {}),
        (b"[]", {}),
        (b"\n", {}),
    ],
)
def test_a_line_is_read_as_json_reads_it(line: bytes, row: dict[str, object]) -> None:
    found = read_row(line)
    assert found.keys() == row.keys()
    assert found == row or row == {"a": None}


written_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), written_values), st.booleans())
def test_every_row_is_read_as_json_reads_it(row: dict[str, object], ascii: bool) -> None:
    line = json.dumps(row, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    found = read_row(line)
    assert found == json.loads(line.decode("utf-8", "replace"))
    assert repr(found) == repr(json.loads(line.decode("utf-8", "replace")))  # 1 is no 1.0, and True is no 1
