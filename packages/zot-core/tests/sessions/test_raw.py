import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.sessions.raw import keep_arguments

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


def test_white_space_around_everything_is_no_matter() -> None:
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
