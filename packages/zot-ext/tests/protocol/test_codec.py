import json
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_ext import FrameError, ImageBlock, PanelSpec, TextBlock, UnknownBlock
from zot_ext.protocol import FROM_EXTENSION, FROM_HOST, FromExtension, FromHost
from zot_ext.protocol import from_extension as ext
from zot_ext.protocol import from_host as host
from zot_ext.protocol.codec import decode_from_extension, decode_from_host, encode
from zot_ext.protocol.frame import Frame, Unknown
from zot_ext.protocol.kinds import REST
from zot_ext.protocol.raw import LARGE, RawList, RawObject
from zot_ext.protocol.splitter import FrameSplitter

# Half a surrogate pair cannot be written (see test_raw.py); U+2028 and its kin are changed in raw text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\u2028\u2029\x85"), max_size=8)
SPACES = st.text(st.sampled_from(" \t"), max_size=2)
NUMBERS = st.sampled_from(["1e5", "1E+05", "1.0", "-0", "-0.0", "12345678901234567890123", "0.10", "1e999"])


def raw_members(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of JSON objects with odd spacing, odd numbers, both ways of escaping, repeated names."""
    names = PLAIN.map(json.dumps) | PLAIN.map(lambda name: json.dumps(name, ensure_ascii=False))
    member = st.tuples(SPACES, names, SPACES, st.just(":"), SPACES, inner, SPACES).map("".join)
    return st.lists(member, max_size=4).map(lambda members: "{" + ",".join(members) + "}")


RAW_VALUES = st.recursive(
    NUMBERS | PLAIN.map(json.dumps) | st.sampled_from(["null", "true", "[]", "[ 1 ,2]"]),
    raw_members,
    max_leaves=8,
)
RAW_OBJECTS = raw_members(RAW_VALUES).map(RawObject)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
BLOCKS = st.one_of(
    st.builds(TextBlock, TEXTS),
    st.builds(ImageBlock, TEXTS, TEXTS),
    st.dictionaries(TEXTS, JSON, max_size=2).map(lambda fields: UnknownBlock("video", {**fields, "type": "video"})),
)
PANELS = st.builds(PanelSpec, TEXTS, TEXTS, st.lists(TEXTS, max_size=3).map(tuple), TEXTS)
EXTRA = st.dictionaries(TEXTS.map(lambda name: f"x_{name}"), JSON, max_size=3)

BY_ANNOTATION: dict[str, st.SearchStrategy[typing.Any]] = {
    "str": TEXTS,
    "str | None": st.none() | TEXTS,
    "int": st.integers(),
    "bool": st.booleans(),
    "tuple[Line, ...]": st.lists(TEXTS | st.just([{"text": "a", "style": "error"}]), max_size=3).map(tuple),
    "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
    "tuple[Block, ...]": st.lists(BLOCKS, max_size=3).map(tuple),
    "RawObject": RAW_OBJECTS,
    "RawObject | None": st.none() | RAW_OBJECTS,
    "RawList | None": st.none() | st.lists(st.integers() | TEXTS, max_size=3).map(RawList.from_values),
    "PanelSpec": PANELS,
    "PanelSpec | None": st.none() | PANELS,
    "bool | int | str | None": st.none() | st.booleans() | st.integers() | st.text(),
    REST: EXTRA,
}


def frames_of(cls: type[Frame]) -> st.SearchStrategy[typing.Any]:
    fields = {field: BY_ANNOTATION[annotation] for field, annotation in cls.__fields__.items()}
    if cls is ext.EventInterceptResponse:
        fields["block"] = st.just(False)  # with a block the rewriting fields do not come back
    return st.builds(cls, **fields)


ANY_FROM_EXTENSION = st.one_of([frames_of(cls) for cls in FROM_EXTENSION])
ANY_FROM_HOST = st.one_of([frames_of(cls) for cls in FROM_HOST])


@given(ANY_FROM_EXTENSION)
def test_every_frame_of_an_extension_comes_back_as_it_was(frame: FromExtension) -> None:
    assert decode_from_extension(encode(frame)) == frame


@given(ANY_FROM_HOST)
def test_every_frame_of_the_host_comes_back_as_it_was(frame: FromHost) -> None:
    assert decode_from_host(encode(frame)) == frame


@given(ANY_FROM_EXTENSION | ANY_FROM_HOST)
def test_a_frame_is_one_line_for_every_kind_of_reader(frame: FromExtension | FromHost) -> None:
    line = encode(frame)

    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line)["type"] == frame.type


@given(st.lists(ANY_FROM_EXTENSION, max_size=4), st.integers(1, 50))
def test_frames_survive_a_stream_cut_into_pieces(frames: list[FromExtension], size: int) -> None:
    stream = b"".join(encode(frame) for frame in frames)
    splitter = FrameSplitter()
    lines = [line for at in range(0, len(stream), size) for line in splitter.feed(stream[at : at + size])]

    assert [decode_from_extension(line) for line in lines if isinstance(line, bytes)] == frames


@given(RAW_OBJECTS)
def test_raw_json_passes_through_unchanged_in_both_directions(raw: RawObject) -> None:
    call = decode_from_host(encode(host.ToolCall("1", "t", raw)))
    asked = decode_from_host(encode(host.EventIntercept("1", "tool_call", tool_args=raw)))
    seen = decode_from_host(encode(host.Event("tool_call", tool_args=raw)))
    answer = decode_from_extension(encode(ext.EventInterceptResponse("1", modified_args=raw)))
    tool = decode_from_extension(encode(ext.RegisterTool("t", "", raw)))

    assert isinstance(call, host.ToolCall)
    assert call.args.text == raw.text
    assert call.args.value == raw.value
    assert isinstance(asked, host.EventIntercept)
    assert asked.tool_args == raw
    assert isinstance(seen, host.Event)
    assert seen.tool_args == raw
    assert isinstance(answer, ext.EventInterceptResponse)
    assert answer.modified_args == raw
    assert isinstance(tool, ext.RegisterTool)
    assert tool.schema == raw


def test_raw_json_stands_in_the_line_as_it_was_written() -> None:
    raw = RawObject('{ "a":1e5,  "b" : 1.0,"c":12345678901234567890.10}')

    assert encode(host.ToolCall("1", "t", raw)) == (
        b'{"type":"tool_call","id":"1","name":"t","args":{ "a":1e5,  "b" : 1.0,"c":12345678901234567890.10}}\n'
    )


def test_line_ends_in_the_white_space_of_raw_json_do_not_end_the_line() -> None:
    raw = RawObject('{\r\n  "a":\n"b\\nc"\n}')

    line = encode(host.ToolCall("1", "t", raw))

    assert line == b'{"type":"tool_call","id":"1","name":"t","args":{    "a": "b\\nc" }}\n'


def test_fields_that_hold_their_default_are_left_out() -> None:
    assert encode(ext.Hello("x")) == b'{"type":"hello","name":"x"}\n'
    assert encode(ext.ToolResult("1", ())) == b'{"type":"tool_result","id":"1","content":[]}\n'
    assert encode(ext.EventInterceptResponse("1")) == b'{"type":"event_intercept_response","id":"1"}\n'


def test_a_command_always_has_its_arguments_and_may_be_read_without_them() -> None:
    line = b'{"type":"command_invoked","id":"1","name":"x","args":""}\n'
    assert encode(host.CommandInvoked("1", "x", "")) == line
    assert decode_from_host(line.replace(b',"args":""', b"")) == host.CommandInvoked("1", "x", "")


def test_an_empty_system_prompt_is_not_the_same_as_none() -> None:
    emptied = ext.EventInterceptResponse("1", system_prompt="")

    assert encode(emptied) == b'{"type":"event_intercept_response","id":"1","system_prompt":""}\n'
    assert decode_from_extension(encode(emptied)) == emptied


@pytest.mark.parametrize("cls", FROM_EXTENSION)
def test_missing_and_null_fields_of_an_extension_take_their_zero_values(cls: type[FromExtension]) -> None:
    bare = decode_from_extension(json.dumps({"type": cls.type}).encode())
    nulls = decode_from_extension(json.dumps({"type": cls.type, **dict.fromkeys(cls.__fields__)}).encode())

    assert type(bare) is cls
    assert bare == nulls


@pytest.mark.parametrize("cls", FROM_HOST)
def test_missing_and_null_fields_of_the_host_take_their_zero_values(cls: type[FromHost]) -> None:
    fields = [field for field, annotation in cls.__fields__.items() if annotation != REST]
    bare = decode_from_host(json.dumps({"type": cls.type}).encode())
    nulls = decode_from_host(json.dumps({"type": cls.type, **dict.fromkeys(fields)}).encode())

    assert type(bare) is cls
    assert bare == nulls


def test_the_zero_values_are_empty() -> None:
    assert decode_from_host(b'{"type":"tool_call"}') == host.ToolCall("", "", RawObject("{}"))
    assert decode_from_host(b'{"type":"hello_ack"}') == host.HelloAck(0, "", "", "", "")
    assert decode_from_extension(b'{"type":"tool_result"}') == ext.ToolResult("", ())
    assert decode_from_extension(b'{"type":"open_panel"}') == ext.OpenPanel(PanelSpec(""))


def test_an_unknown_type_is_kept_whole() -> None:
    line = b'{"type":"status_segment","id":"1","deep":{"x":[1,2]}}'

    for decode in (decode_from_extension, decode_from_host):
        assert decode(line) == Unknown("status_segment", json.loads(line))


def test_a_frame_of_the_other_direction_is_unknown() -> None:
    assert decode_from_host(b'{"type":"hello"}') == Unknown("hello", {"type": "hello"})


def test_unknown_fields_are_dropped() -> None:
    assert decode_from_extension(b'{"type":"ready","soon":true}') == ext.Ready()


def test_events_keep_the_fields_that_have_no_name_here() -> None:
    line = b'{"type":"event","event":"post_compact","status":"ok","sequence":3,"detail":{"a":[null]}}'
    frame = host.Event("post_compact", extra={"status": "ok", "sequence": 3, "detail": {"a": [None]}})

    assert decode_from_host(line) == frame
    assert decode_from_host(encode(frame)) == frame
    asked = host.EventIntercept("1", "tool_call", extra={"origin_extension": "x"})
    assert decode_from_host(encode(asked)) == asked


def test_a_content_block_of_an_unknown_type_is_kept_whole() -> None:
    line = b'{"type":"tool_result","id":"1","content":[{"type":"audio","data":"x"},{"text":"y"}]}'

    assert decode_from_extension(line) == ext.ToolResult(
        "1", (UnknownBlock("audio", {"type": "audio", "data": "x"}), UnknownBlock("", {"text": "y"}))
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "line is not a JSON object"),
        (b"hello there", "line is not a JSON object"),
        (b"[]", "line is not a JSON object"),
        (b'{"type":', "line is not valid JSON at character 9: Expecting value"),
        (b'{"type":"event","step":NaN}', "line is not valid JSON: NaN is not a JSON number"),
        (b'{"id":"1"}', "frame has no type"),
        (b'{"type":""}', "frame has no type"),
        (b'{"type":1}', "frame has no type"),
        (b'{"type":"hello","name":1}', "hello frame: field 'name' must be a string, not a number"),
        (
            b'{"type":"hello","capabilities":"commands"}',
            "hello frame: field 'capabilities' must be a list of strings, not a string",
        ),
        (
            b'{"type":"subscribe","events":["a",null]}',
            "subscribe frame: field 'events[1]' must be a string, not null",
        ),
        (
            b'{"type":"register_tool","schema":"{}"}',
            "register_tool frame: field 'schema' must be an object, not a string",
        ),
        (
            b'{"type":"tool_result","is_error":1}',
            "tool_result frame: field 'is_error' must be a boolean, not a number",
        ),
        (
            b'{"type":"tool_result","content":{}}',
            "tool_result frame: field 'content' must be a list of content blocks, not an object",
        ),
        (
            b'{"type":"tool_result","content":["x"]}',
            "tool_result frame: field 'content[0]' must be an object, not a string",
        ),
        (
            b'{"type":"tool_result","content":[{"type":"text","text":["x"]}]}',
            "tool_result frame: field 'content[0].text' must be a string, not a list",
        ),
        (
            b'{"type":"tool_result","content":[{"type":false}]}',
            "tool_result frame: field 'content[0].type' must be a string, not a boolean",
        ),
        (
            b'{"type":"command_response","open_panel":true}',
            "command_response frame: field 'open_panel' must be an object, not a boolean",
        ),
        (
            b'{"type":"command_response","open_panel":{"lines":[1]}}',
            "command_response frame: field 'open_panel.lines[0]' must be a string, not a number",
        ),
    ],
)
def test_a_malformed_line_is_refused_in_one_line_that_names_the_field(line: bytes, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        decode_from_extension(line)
    assert str(caught.value) == message


@pytest.mark.parametrize("step", [b"true", b"1.0", b'"1"'])
def test_a_whole_number_is_neither_a_boolean_nor_a_float(step: bytes) -> None:
    with pytest.raises(FrameError, match="event frame: field 'step' must be a whole number"):
        decode_from_host(b'{"type":"event","step":' + step + b"}")


def test_an_error_carries_frame_field_and_id() -> None:
    with pytest.raises(FrameError) as caught:
        decode_from_extension(b'{"type":"tool_result","id":"7","content":1}')
    assert (caught.value.frame, caught.value.field, caught.value.id) == ("tool_result", "content", "7")


@pytest.mark.parametrize("args", [b"[1]", b'"ls"', b"5", b"true"])
def test_modified_args_are_an_object_or_an_error(args: bytes) -> None:
    with pytest.raises(FrameError, match="field 'modified_args' must be an object"):
        decode_from_extension(b'{"type":"event_intercept_response","id":"1","modified_args":' + args + b"}")


def test_modified_args_of_null_are_absent() -> None:
    line = b'{"type":"event_intercept_response","id":"1","modified_args":null}'

    assert decode_from_extension(line) == ext.EventInterceptResponse("1")


def test_a_block_is_not_lost_over_a_malformed_rewrite() -> None:
    line = (
        b'{"type":"event_intercept_response","id":"1","block":true,"reason":"no",'
        b'"modified_args":[],"replace_text":5,"system_prompt":{}}'
    )

    assert decode_from_extension(line) == ext.EventInterceptResponse("1", block=True, reason="no")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (ext.Submit(typing.cast(str, 5)), "submit frame: field 'text' must be a string, not a number"),
        (
            ext.Submit(typing.cast(str, b"x")),
            "submit frame: field 'text' must be a string, not a Python bytes",
        ),
        (
            host.ToolCall("1", "t", typing.cast(RawObject, {})),
            "tool_call frame: field 'args' must be a RawObject, not an object",
        ),
        (
            ext.ToolResult("1", typing.cast(tuple[TextBlock], ("x",))),
            "tool_result frame: field 'content[0]' must be a content block, not a string",
        ),
        (
            ext.ToolResult("1", typing.cast(tuple[TextBlock], "x")),
            "tool_result frame: field 'content' must be a list of content blocks, not a string",
        ),
        (
            ext.ToolResult("1", (TextBlock(typing.cast(str, None)),)),
            "tool_result frame: field 'content[0].text' must be a string, not null",
        ),
        (
            ext.OpenPanel(typing.cast(PanelSpec, "p")),
            "open_panel frame: field 'panel' must be a PanelSpec, not a string",
        ),
        (
            host.Event("x", extra={"n": float("inf")}),
            "event frame: field 'extra' cannot be written as JSON: Out of range float values are not JSON compliant",
        ),
        (
            host.Event("x", extra={"step": 1}),
            "event frame: field 'extra' must not repeat the field 'step'",
        ),
        (
            host.Event("x", extra=typing.cast(dict[str, object], {1: 2})),
            "event frame: field 'extra' must have strings as names",
        ),
    ],
)
def test_a_frame_that_cannot_be_written_is_refused_before_a_byte_is(
    frame: FromExtension | FromHost, message: str
) -> None:
    with pytest.raises(FrameError) as caught:
        encode(frame)
    # Newer Pythons append the offending number.
    assert str(caught.value).startswith(message)


def test_lists_pass_where_tuples_are_meant() -> None:
    frame = ext.Subscribe(typing.cast(tuple[str, ...], ["tool_call"]))

    assert encode(frame) == b'{"type":"subscribe","events":["tool_call"]}\n'


def test_half_surrogate_pairs_are_replaced_when_a_frame_is_written() -> None:
    assert encode(ext.Submit("a\ud800b")) == '{"type":"submit","text":"a\ufffdb"}\n'.encode()


@given(st.lists(JSON, max_size=3), RAW_OBJECTS)
def test_a_large_list_of_messages_is_written_as_a_small_one_is(items: list[object], payload: RawObject) -> None:
    items = ["a\ud800\u2028b", *items]
    small = encode(host.EventIntercept("1", "context", messages=RawList.from_values(items), payload=payload))
    big = RawList.from_values(["x" * LARGE, *items])
    line = encode(host.EventIntercept("1", "context", messages=big, payload=payload))

    assert line.count(b"\n") == 1
    assert json.loads(line) == json.loads(small) | {"messages": ["x" * LARGE, *json.loads(small)["messages"]]}


def test_bytes_that_are_not_utf_8_are_replaced_when_a_frame_is_read() -> None:
    assert decode_from_extension(b'{"type":"submit","text":"a\xffb"}') == ext.Submit("a\ufffdb")


def test_a_line_over_the_limit_is_refused() -> None:
    line = encode(ext.Submit("x" * 8))

    assert encode(ext.Submit("x" * 8), limit=len(line) - 1) == line
    with pytest.raises(FrameError) as caught:
        encode(ext.ToolResult("1", (TextBlock("x" * 100),)), limit=100)
    assert str(caught.value) == "tool_result frame: 169 bytes, the limit is 100"
    assert caught.value.id == "1"


def test_the_default_limit_is_4_mib() -> None:
    with pytest.raises(FrameError, match="the limit is 4194304"):
        encode(ext.Submit("x" * 4_194_304))
