import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.sessions import rows
from zot_core.sessions.rows import Meta
from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.usage import Usage

META = Meta("af86bd37", "/p", "m", "anthropic", "2026-11-21T20:29:25.586Z", "0.1.0")


def block_row(block: Block) -> str:
    row = rows.message_row(Message("assistant", [block]))
    return row.partition('"content":[')[2].partition('],"time"')[0]


def test_a_meta_row_has_the_documented_form() -> None:
    fields = (
        '"id":"af86bd37","cwd":"/p","model":"m","provider":"anthropic",'
        '"started":"2026-11-21T20:29:25.586Z","version":"0.1.0"'
    )
    assert rows.meta_row(META) == f'{{"type":"meta","meta":{{{fields}}}}}'
    assert rows.meta_row(META.replace(title="é")) == f'{{"type":"meta","meta":{{{fields},"title":"é"}}}}'


def test_a_message_row_has_the_documented_form() -> None:
    message = Message("user", [TextBlock("hello")], "2026-11-21T20:29:25.623Z")
    assert rows.message_row(message) == (
        '{"type":"message","message":{"role":"user","content":[{"type":"text","text":"hello"}],'
        '"time":"2026-11-21T20:29:25.623Z"}}'
    )
    assert rows.message_row(message.replace(content=[], time="", hidden="why")) == (
        '{"type":"message","message":{"role":"user","content":[],"time":"","meta":{"hidden":"why"}}}'
    )


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (TextBlock('"é"\n'), '{"type":"text","text":"\\"é\\"\\n"}'),
        (TextBlock("a", "commentary"), '{"type":"text","text":"a","phase":"commentary"}'),
        (ImageBlock("image/png", "AA=="), '{"type":"image","mime_type":"image/png","data":"AA=="}'),
        (
            ToolCallBlock("c1", "bash", '{ "command":"true" }'),
            '{"type":"tool_call","id":"c1","name":"bash","arguments":{ "command":"true" }}',
        ),
        (
            ToolResultBlock("c1", [TextBlock("out")]),
            '{"type":"tool_result","call_id":"c1","content":[{"type":"text","text":"out"}],"is_error":false}',
        ),
        (
            ReasoningBlock("hm", signature="s", wire="anthropic"),
            '{"type":"reasoning","summary":"hm","signature":"s","wire":"anthropic"}',
        ),
        (
            ReasoningBlock("hm", wire="anthropic", provider="corp"),
            '{"type":"reasoning","summary":"hm","wire":"anthropic","provider":"corp"}',
        ),
        (ReasoningBlock(), '{"type":"reasoning","summary":""}'),
    ],
)
def test_a_block_has_the_documented_form(block: Block, text: str) -> None:
    assert block_row(block) == text


def test_a_usage_row_has_the_documented_form() -> None:
    fields = '{"input_tokens":1,"output_tokens":2,"cache_read_tokens":3,"cache_write_tokens":4,"cost_usd":0.5}'
    usage = Usage(1, 2, 3, 4, 0.5)
    assert rows.usage_row(usage, usage) == f'{{"type":"usage","usage":{fields},"cumulative":{fields}}}'
    assert json.loads(rows.usage_row(usage, usage.replace(reasoning=7)))["cumulative"]["reasoning_tokens"] == 7


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"a":1}', '{"a":1}'),
        (' {"a" : 1.0} ', ' {"a" : 1.0} '),
        ("", "{}"),
        ("  ", "{}"),
        ('{"a":', '"{\\"a\\":"'),
        ('{"a":NaN}', '"{\\"a\\":NaN}"'),
        ("[1]", '"[1]"'),
        ('"a"', '"\\"a\\""'),
        ("null", '"null"'),
        ('{\n "a": 1}', '{  "a": 1}'),
        ('{"a":\r1}', '{"a": 1}'),
    ],
)
def test_arguments_stand_as_they_are_if_they_are_an_object_else_as_a_string(arguments: str, written: str) -> None:
    text = block_row(ToolCallBlock("1", "x", arguments))
    assert text == f'{{"type":"tool_call","id":"1","name":"x","arguments":{written}}}'
    json.loads(text)


@pytest.mark.parametrize(
    ("value", "block"),
    [
        ({"text": "hello"}, TextBlock("hello")),
        ({"mime_type": "image/png", "data": "AA=="}, ImageBlock("image/png", "AA==")),
        ({"id": "c1", "name": "bash", "arguments": {"command": "é"}}, ToolCallBlock("c1", "bash", '{"command": "é"}')),
        ({"id": "c1", "name": "bash", "arguments": '{"broken'}, ToolCallBlock("c1", "bash", '{"broken')),
        ({"id": "c1", "name": "bash", "arguments": None}, ToolCallBlock("c1", "bash", "{}")),
        (
            {"call_id": "c1", "content": [{"text": "out"}, {"mime_type": "image/png", "data": ""}], "is_error": True},
            ToolResultBlock("c1", [TextBlock("out"), ImageBlock("image/png", "")], is_error=True),
        ),
        ({"call_id": "c1", "text": "x", "arguments": {}}, ToolResultBlock("c1", [])),
        ({"reasoning_id": "r", "summary": "hm"}, ReasoningBlock("hm", "r")),
        ({"summary": "hm", "text": "x"}, ReasoningBlock("hm")),
        ({"encrypted_content": "e"}, ReasoningBlock(encrypted_content="e")),
    ],
)
def test_a_block_without_a_type_is_known_by_its_fields(value: object, block: Block) -> None:
    assert rows.read_block(value) == block


@pytest.mark.parametrize(
    "value", [{"type": "video", "text": "x", "data": ""}, {"type": 5}, {}, {"x": 1}, [], "text", None]
)
def test_invalid_blocks_are_left_out(value: object) -> None:
    assert rows.read_block(value) is None


def test_a_message_keeps_the_blocks_that_are_known() -> None:
    content = [{"type": "video"}, {"text": "a"}, 5, None]
    assert rows.read_message({"role": "user", "content": content}) == Message("user", [TextBlock("a")])


def test_the_row_of_results_says_who_has_changed_which() -> None:
    results = [ToolResultBlock("c1", [], changed_by="mask"), ToolResultBlock("c2", [])]
    value = json.loads(rows.message_row(Message("tool", [*results], changed_by="edit")))["message"]
    assert value["meta"] == {"changed_by": "edit", "changed_by c1": "mask"}
    assert rows.read_message(value) == Message("tool", [*results], changed_by="edit")


@pytest.mark.parametrize("value", [None, [], {"role": "system", "content": []}, {"content": []}, {"role": ["user"]}])
def test_an_invalid_message_is_parsed_to_none(value: object) -> None:
    assert rows.read_message(value) is None


@pytest.mark.parametrize("content", [None, "text", {"text": "a"}])
def test_a_message_without_a_list_of_blocks_is_empty(content: object) -> None:
    assert rows.read_message({"role": "user", "content": content, "time": 5, "meta": {"a": 1, "b": "c"}}) == Message(
        "user", [], "", extra={"a": "", "b": "c"}
    )


def test_fields_of_other_versions_are_written_back() -> None:
    fields = {"id": "1", "parent": "0", "fork_point": 3, "hide_from_sessions": True}
    meta = rows.read_meta(fields)
    assert meta is not None
    written = json.loads(rows.meta_row(meta.replace(model="new")))["meta"]
    assert written == {**fields, "cwd": "", "model": "new", "provider": "", "started": "", "version": ""}


def test_an_invalid_meta_object_is_parsed_to_none() -> None:
    assert rows.read_meta(5) is None
    assert rows.read_meta({"id": 5}) == Meta("", "", "", "", "")


@pytest.mark.parametrize("value", [None, "x", 10**400, float("nan"), float("inf"), True, [1], 1e300])
def test_invalid_numbers_of_tokens_count_as_zero(value: object) -> None:
    names = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd"]
    assert rows.read_usage(dict.fromkeys(names, value)) == Usage()
    assert rows.read_usage(value) == Usage()


def test_lone_surrogates_do_not_stop_a_row() -> None:
    row = rows.to_bytes(rows.message_row(Message("user", [TextBlock("a\ud800b \ud83d\ude00 \udc00")])))
    assert json.loads(row)["message"]["content"][0]["text"] == "a�b 😀 �"


texts = st.text(max_size=12)
objects = st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts, max_size=2), max_size=3)
arguments = st.one_of(
    objects.map(json.dumps),
    objects.map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
    objects.map(lambda value: json.dumps(value, indent=1)),
    texts.filter(str.strip),
)
shown = st.builds(TextBlock, texts, texts) | st.builds(ImageBlock, texts, texts)
blocks = st.one_of(
    shown,
    st.builds(ToolCallBlock, texts, texts, arguments),
    st.builds(ToolResultBlock, texts, st.lists(shown, max_size=2), st.booleans()),
    st.builds(ReasoningBlock, texts, texts, texts, texts, texts, texts),
)
messages = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    st.lists(blocks, max_size=3),
    texts,
    extra=st.dictionaries(texts, texts, max_size=2),
)


@given(messages)
def test_any_message_is_one_line_of_json(message: Message) -> None:
    line = rows.to_bytes(rows.message_row(message))

    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert json.loads(line)["type"] == "message"
