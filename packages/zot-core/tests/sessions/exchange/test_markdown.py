from collections.abc import Callable
from io import BytesIO

from zot_core.sessions.exchange.markdown import write_markdown
from zot_core.sessions.listing import read_entry
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock

Saved = Callable[..., str]


def markdown(path: str) -> str:
    entry, target = read_entry(path), BytesIO()
    assert entry is not None
    write_markdown(entry, target)
    return target.getvalue().decode()


def test_prompts_and_answers_are_text_and_calls_are_folded(saved: Saved) -> None:
    call = ToolCallBlock("c", "read", '{"path": "<a>.md"}')
    page = markdown(
        saved(
            "what is **this**?",
            Message("assistant", [ReasoningBlock("Hm."), TextBlock("I look."), call]),
            Message("tool", [ToolResultBlock("c", [TextBlock("```\ncode\n```"), ImageBlock("image/png", "AAAA")])]),
            Message("assistant", [TextBlock("A *file*.")]),
            Message("user", [TextBlock("hidden")], hidden="x"),
            Message("user", [TextBlock("long")], display_text="short"),
        )
    )
    assert page.startswith("# what is this?\n\nSession `")
    said = page.partition("\n\n## You\n\n")[2]
    assert said == (
        "what is **this**?\n\n## zot\n\n"
        "<details><summary>Reasoning</summary>\n\n```text\nHm.\n```\n\n</details>\n\nI look.\n\n"
        '<details><summary>read {"path": "&lt;a&gt;.md"}</summary>\n\n'
        '````text\n{"path": "<a>.md"}\n\n```\ncode\n```\n(image/png, 3 bytes)\n````\n\n</details>\n\n'
        "A *file*.\n\n## You\n\nshort\n\n"
    )


def test_a_call_without_a_result_and_a_compaction_say_so(saved: Saved) -> None:
    call = ToolCallBlock("c", "ls", "{}")
    page = markdown(saved("go", Message("assistant", [call])))
    assert "{}\n\n(no result)" in page
