from hypothesis import given
from hypothesis import strategies as st

from zot_core.compaction.render import render, shorten
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock

IMAGE = ImageBlock("image/png", "iVBORw0KGgo=")


def test_a_conversation_is_rendered_part_by_part() -> None:
    messages = [
        Message("user", [TextBlock("look\n"), IMAGE]),
        Message(
            "assistant", [ReasoningBlock("secret"), TextBlock("I will."), ToolCallBlock("1", "read", '{"path":1}')]
        ),
        Message("tool", [ToolResultBlock("1", [TextBlock("no such file")], is_error=True)]),
        Message("tool", [ToolResultBlock("2", [TextBlock("a"), IMAGE])]),
        Message("assistant", [TextBlock("  ")]),
    ]
    assert render(messages, 100) == (
        "[user]\nlook\n\n[user]\n[image: image/png, 8 bytes]\n\n[assistant]\nI will.\n\n"
        '[call] read\n{"path":1}\n\n[failed]\nno such file\n\n[result]\na\n[image: image/png, 8 bytes]'
    )


def test_arguments_and_results_are_cut_and_messages_are_not() -> None:
    long = "x" * 1000
    messages = [
        Message("assistant", [TextBlock(long), ToolCallBlock("1", "write", long)]),
        Message("tool", [ToolResultBlock("1", [TextBlock(long)])]),
    ]
    told = render(messages, 100)
    assert told.startswith(f"[assistant]\n{long}\n\n")
    assert told.count("[... 900 characters left out ...]") == 2
    assert len(told) < 1400


def test_the_model_s_own_words_are_rendered_not_the_display_text() -> None:
    messages = [
        Message("assistant", [TextBlock("the key is 7")], display_text="the key is ***"),
        Message("assistant", [TextBlock("hush")], hidden="not for people"),
    ]
    assert render(messages, 100) == "[assistant]\nthe key is 7\n\n[assistant]\nhush"


@given(st.text(max_size=300), st.integers(1, 100))
def test_a_text_is_kept_or_loses_its_middle(text: str, bound: int) -> None:
    short = shorten(text, bound)
    if len(text) <= bound:
        assert short == text
    else:
        head, tail = bound // 4, bound - bound // 4
        assert short == f"{text[:head]}\n[... {len(text) - bound} characters left out ...]\n{text[-tail:]}"
