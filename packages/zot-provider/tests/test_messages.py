"""Messages: what is shown of them, and what they hold."""

import pytest

from zot_provider.messages import ImageBlock, Message, TextBlock, ToolCallBlock, new_entry_id

IMAGE = ImageBlock("image/png", "aGVsbG8=")


def test_an_image_has_the_size_of_its_bytes() -> None:
    assert IMAGE.size == len(b"hello")


@pytest.mark.parametrize(("text", "parsed"), [("", {}), ("  ", {}), ('{"a": 1}', {"a": 1})])
def test_arguments_are_an_object(text: str, parsed: dict[str, int]) -> None:
    assert ToolCallBlock("1", "ls", text).parsed() == parsed


@pytest.mark.parametrize("text", ["[1]", "{", "[" * 100_000])
def test_arguments_that_are_no_object_are_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON object|nested too deeply|Expecting"):
        ToolCallBlock("1", "ls", text).parsed()


def test_a_person_sees_the_display_text_in_place_of_all_text() -> None:
    message = Message("user", [IMAGE, TextBlock("one"), TextBlock("two")])
    assert (message.shown, message.shown_text) == (message.content, "one\ntwo")
    other = message.replace(display_text="short")
    assert (other.shown, other.shown_text) == ([IMAGE, TextBlock("short")], "short")
    hidden = message.replace(hidden="secret")
    assert [each.is_prompt for each in (message, other, hidden)] == [True, True, False]
    assert (hidden.shown, hidden.shown_text) == ([IMAGE], "")


def test_calls_are_in_the_order_of_the_model_and_the_id_does_not_count() -> None:
    calls = [ToolCallBlock("1", "ls", "{}"), ToolCallBlock("2", "read", "{}")]
    message = Message("assistant", [calls[0], TextBlock("x"), calls[1]])
    assert message.tool_calls == calls
    assert message == message.replace(id=new_entry_id())
    assert message != "assistant"
