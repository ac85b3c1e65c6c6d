import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_ext import FrameError
from zot_ext.protocol.raw import LARGE, KnownItem, RawList, RawObject, line_bytes, parse_object


def test_text_and_parsed_value_stand_side_by_side() -> None:
    raw = RawObject(' {"a" : 1e5,  "b":1.0}\n')

    assert raw.text == '{"a" : 1e5,  "b":1.0}'
    assert raw.value == {"a": 100000.0, "b": 1.0}


def test_equality_is_that_of_the_texts() -> None:
    assert RawObject('{"a":1}') == RawObject('{"a":1}')
    assert hash(RawObject('{"a":1}')) == hash(RawObject('{"a":1}'))
    assert RawObject('{"a":1}') != RawObject('{"a": 1}')
    assert RawObject("{}") != "{}"


def test_a_raw_object_is_written_from_a_value() -> None:
    assert RawObject.from_value({"city": "Köln", "n": [1, 2.5, None]}).text == '{"city":"Köln","n":[1,2.5,null]}'
    assert pickle.loads(pickle.dumps(RawObject('{"a":1}'))) == RawObject('{"a":1}')


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": float("nan")}, "cannot be written as JSON: Out of range float values"),
        ({"a": float("inf")}, "cannot be written as JSON: Out of range float values"),
        ({"a": {1, 2}}, "cannot be written as JSON: Object of type set"),
    ],
)
def test_what_json_cannot_say_is_refused(value: dict[str, object], message: str) -> None:
    with pytest.raises(FrameError) as caught:
        RawObject.from_value(value)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON object"),
        ("null", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ("{", "not valid JSON at character 2: expected a name in quotes"),
        ('{"a"', "not valid JSON at character 5: expected a colon"),
        ('{"a":', "not valid JSON at character 6: Expecting value"),
        ('{"a":1', "not valid JSON at character 7: expected a comma or a brace"),
        ('{"a":1,}', "not valid JSON at character 8: expected a name in quotes"),
        ('{"a":1} {}', "not valid JSON at character 8: more text after the object"),
        ('{"a":NaN}', "not valid JSON: NaN is not a JSON number"),
        ('{"a":[-Infinity]}', "not valid JSON: -Infinity is not a JSON number"),
        ('{"a":' + "[" * 100_000, "nested too deeply"),
        ('{"a":"\n"}', "not valid JSON at character 7: Invalid control character at"),
    ],
)
def test_anything_but_one_valid_object_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        RawObject(text)
    assert str(caught.value) == message


def test_an_integer_longer_than_python_parses_keeps_its_digits_in_the_text() -> None:
    digits = "9" * 5_000

    raw = RawObject(f'{{"n":{digits}}}')

    assert raw.text == f'{{"n":{digits}}}'
    assert raw.value == {"n": float("inf")}


def test_the_last_of_a_repeated_name_counts() -> None:
    assert parse_object('{"a":1,"a":2}') == {"a": (2, "2")}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.sampled_from([None, 0, 3]))
def test_the_parse_agrees_with_json_and_cuts_out_the_text_of_each_member(
    value: dict[str, object], indent: int | None
) -> None:
    members = parse_object(json.dumps(value, indent=indent))

    assert {name: parsed for name, (parsed, _) in members.items()} == value
    assert {name: json.loads(text) for name, (_, text) in members.items()} == value


@given(st.text(st.sampled_from(' \n{}[]:,"\\ab1.-eé')).map("{{{}}}".format))
def test_any_text_is_parsed_like_json_or_refused(text: str) -> None:
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(FrameError):
            parse_object(text)
    else:
        assert {name: value for name, (value, _) in parse_object(text).items()} == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a":\n\r\n1}', '{"a":   1}'),
        ('"a\u2028b\u2029c\x85d"', r'"a\u2028b\u2029c\u0085d"'),
        (r'"\ud800"', r'"\ufffd"'),
        (r'"\uDFFFx"', r'"\ufffdx"'),
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'),
        (r'"\\ud800"', r'"\\ud800"'),
        (r'"\\\ud800"', r'"\\\ufffd"'),
        ('"\ud800 \udc00"', '"\ufffd \ufffd"'),
        ('"\ud83d\ude00"', '"\U0001f600"'),
        ('"x\ud83d"', '"x\ufffd"'),
    ],
)
def test_what_would_break_a_line_is_replaced(text: str, line: str) -> None:
    assert line_bytes(text) == line.encode()


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from("\ud800\udc00\\ud8dc0")))
def test_a_line_is_always_utf_8_without_line_ends_or_lone_surrogates(text: str) -> None:
    line = line_bytes(json.dumps(text, ensure_ascii=False)).decode()

    assert len(line.splitlines()) == 1
    json.loads(line).encode()


@given(
    items=st.lists(st.dictionaries(st.sampled_from("ab"), st.text(max_size=5) | st.integers(), max_size=2), max_size=8),
    order=st.lists(st.integers(0, 7), max_size=10),
    known=st.lists(st.integers(0, 7), max_size=8),
)
def test_items_whose_texts_are_known_are_not_parsed_and_have_the_same_texts(
    items: list[dict[str, object]], order: list[int], known: list[int]
) -> None:
    texts = [json.dumps(item) for item in items]
    sent = [texts[index] for index in order if index < len(texts)]
    text = '{"pad":"' + "x" * LARGE + '","list":[' + ", ".join(sent) + "]}"
    value, _ = parse_object(text, [texts[index] for index in known if index < len(texts)])["list"]
    assert isinstance(value, list)
    found = RawList.from_parsed("", value)
    assert found.texts == sent
    assert [found.text_of(index) for index in range(len(sent))] == sent
    assert [json.loads(each.text) if isinstance(each, KnownItem) else each for each in value] == [
        *map(json.loads, sent)
    ]


def test_known_items_are_found_in_their_order_although_some_are_missing_or_new() -> None:
    known = [f'{{"id":{number}}}' for number in range(8)]
    given = [known[0], known[2], '{"new":1}', known[3], known[1], known[7]]
    value, _ = parse_object('{"pad":"' + "x" * LARGE + '","list":[' + ",".join(given) + "]}", known)["list"]
    assert isinstance(value, list)
    assert [isinstance(each, KnownItem) for each in value] == [True, True, False, True, False, True]


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_an_object_as_programs_write_it_is_read_like_any_other(
    value: dict[str, object], separators: tuple[str, str]
) -> None:
    text = json.dumps(value, separators=separators)
    spread = "{ " + text[1:]
    members = parse_object(text)
    assert {name: found for name, (found, _) in members.items()} == value
    assert members == parse_object(spread)
    assert members == parse_object(text + "\n")


@given(st.text(max_size=8), st.text(max_size=8))
def test_damage_in_an_object_is_found_wherever_it_is(before: str, after: str) -> None:
    text = f'{before}{{"a":1,"b":[2]}}{after}'
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    if before.strip(" \t\r\n") or after.strip(" \t\r\n") or not isinstance(expected, dict):
        with pytest.raises(FrameError):
            parse_object(text)
    else:
        assert parse_object(text) == {"a": (1, "1"), "b": ([2], "[2]")}
