from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.messages import ImageBlock, TextBlock, ToolResultBlock
from zot_provider.wire.parts import NAMES, WordRule, data_url, is_closed, plain_text, result_text


def test_an_image_becomes_a_data_url() -> None:
    assert data_url(ImageBlock("image/png", "AAAA")) == "data:image/png;base64,AAAA"


def test_the_text_leaves_out_images() -> None:
    assert plain_text([TextBlock("a"), ImageBlock("image/png", "AAAA"), TextBlock("b")]) == "a\nb"


def test_a_failed_result_says_so_once() -> None:
    assert result_text(ToolResultBlock("a", [TextBlock("ok")])) == "ok"
    assert result_text(ToolResultBlock("a", [TextBlock("no such file")], is_error=True)) == "error: no such file"
    assert result_text(ToolResultBlock("a", [TextBlock("Error: boom")], is_error=True)) == "Error: boom"


def test_an_id_that_is_allowed_stays() -> None:
    assert NAMES.apply("toolu_01-A") == "toolu_01-A"
    assert NAMES.apply("x" * 64) == "x" * 64
    assert WordRule(40, ".:").apply("functions.read:0") == "functions.read:0"


@given(
    st.text(st.characters(codec="utf-8"), max_size=100),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from([40, 64]),
)
def test_an_id_becomes_an_allowed_one_that_no_other_becomes(one: str, other: str, longest: int) -> None:
    rule = WordRule(longest)
    for id in (rule.apply(one), rule.apply(other)):
        assert 0 < len(id) <= longest
        assert id.isascii()
        assert id.replace("_", "").replace("-", "").isalnum() or set(id) <= {"_", "-"}
    assert (one == other) == (rule.apply(one) == rule.apply(other))


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
