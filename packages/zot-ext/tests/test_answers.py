import pytest

from zot_ext import (
    ImageBlock,
    PanelSpec,
    Response,
    TextBlock,
    display,
    error,
    image_result,
    insert,
    noop,
    prompt,
    text_result,
)
from zot_ext.answers import command_frame, tool_frame
from zot_ext.protocol.from_extension import CommandResponse, ToolResult


@pytest.mark.parametrize(
    ("answer", "frame"),
    [
        (prompt("p"), CommandResponse("1", "prompt", prompt="p")),
        (insert("i"), CommandResponse("1", "insert", insert="i")),
        (display("d"), CommandResponse("1", "display", display="d")),
        ("d", CommandResponse("1", "display", display="d")),
        (noop(), CommandResponse("1", "noop")),
        (None, CommandResponse("1", "noop")),
        (error("e"), CommandResponse("1", error="e")),
        (error(""), CommandResponse("1", error="failed")),
        (
            Response("open_panel", panel=PanelSpec("p", lines=("a",))),
            CommandResponse("1", "open_panel", open_panel=PanelSpec("p", lines=("a",))),
        ),
    ],
)
def test_answers_of_commands(answer: object, frame: CommandResponse) -> None:
    assert command_frame("1", answer) == frame


def text(value: str) -> tuple[TextBlock, ...]:
    return (TextBlock(value),)


@pytest.mark.parametrize(
    ("answer", "frame"),
    [
        ("t", ToolResult("1", text("t"))),
        (text_result("t"), ToolResult("1", text("t"))),
        (text_result("t", is_error=True), ToolResult("1", text("t"), is_error=True)),
        (error("e"), ToolResult("1", text("e"), is_error=True)),
        (None, ToolResult("1", text("done"))),
        ({"a": [1, None]}, ToolResult("1", text('{"a":[1,null]}'))),
        (False, ToolResult("1", text("false"))),
        (image_result(b"\x00\xff", text="dots"), ToolResult("1", (TextBlock("dots"), ImageBlock("image/png", "AP8=")))),
        (image_result("AP8=", "image/gif"), ToolResult("1", (ImageBlock("image/gif", "AP8="),))),
        (TextBlock("t"), ToolResult("1", text("t"))),
    ],
)
def test_answers_of_tools(answer: object, frame: ToolResult) -> None:
    assert tool_frame("1", answer) == frame


def test_answers_in_the_wrong_place_are_refused() -> None:
    with pytest.raises(TypeError, match="a command answers with a Response, text or None, not int"):
        command_frame("1", 1)
    with pytest.raises(TypeError, match="'prompt' answers a command, not a tool"):
        tool_frame("1", prompt("p"))
