from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.messages import ImageBlock, TextBlock, ToolResultBlock
from zot_provider.wire.parts import call_id, data_url, is_closed, plain_text, result_text


def test_an_image_becomes_a_data_url() -> None:
    assert data_url(ImageBlock("image/png", "AAAA")) == "data:image/png;base64,AAAA"


def test_the_text_leaves_out_images() -> None:
    assert plain_text([TextBlock("a"), ImageBlock("image/png", "AAAA"), TextBlock("b")]) == "a\nb"


def test_a_failed_result_says_so_once() -> None:
    assert result_text(ToolResultBlock("a", [TextBlock("ok")])) == "ok"
    assert result_text(ToolResultBlock("a", [TextBlock("no such file")], is_error=True)) == "error: no such file"
    assert result_text(ToolResultBlock("a", [TextBlock("Error: boom")], is_error=True)) == "Error: boom"


def test_an_id_that_is_allowed_stays() -> None:
    assert call_id("toolu_01-A") == "toolu_01-A"
    assert call_id("x" * 64) == "x" * 64


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=100), st.text(st.characters(codec="utf-8"), min_size=1)
)
def test_an_id_becomes_an_allowed_one_that_no_other_becomes(one: str, other: str) -> None:
    for id in (call_id(one), call_id(other)):
        assert len(id) <= 64
        assert id.isascii()
        assert id.replace("_", "").replace("-", "").isalnum() or set(id) <= {"_", "-"}
    assert (one == other) == (call_id(one) == call_id(other))


def closed(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "is_it"),
    [
        ({"type": "string"}, True),
        (closed(), True),
        (closed(a={"type": "array", "items": closed()}), True),
        ({"type": "object"}, False),
        (closed() | {"additionalProperties": True}, False),
        (closed(a={"type": "string"}) | {"required": []}, False),
        (closed(a={"anyOf": [{"type": "null"}, {"type": "object"}]}), False),
    ],
)
def test_a_schema_is_closed_if_all_its_objects_are(schema: dict[str, Any], is_it: bool) -> None:
    assert is_closed(schema) is is_it
