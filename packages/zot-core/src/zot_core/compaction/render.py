"""Render a conversation as text that a model summarizes instead of continuing it."""

from collections.abc import Iterable, Iterator

from zot_provider.messages import Block, ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock


def render(messages: Iterable[Message], bound: int) -> str:
    """Render messages as parts headed `[user]`, `[assistant]`, `[call] name`, `[result]` or `[failed]`.

    The arguments of a call and the text of a result are cut to `bound` characters. Reasoning is left out, images are
    replaced by their type and size. The texts are those the model knows, not the display texts.
    """
    return "\n\n".join(
        part for message in messages for block in message.content for part in _parts(message, block, bound)
    )


def _parts(message: Message, block: Block, bound: int) -> Iterator[str]:
    match block:
        case TextBlock(text) if text.strip():
            yield f"[{message.role}]\n{text.strip()}"
        case ImageBlock():
            yield f"[{message.role}]\n{_image(block)}"
        case ToolCallBlock():
            yield f"[call] {block.name}\n{shorten(block.arguments, bound)}"
        case ToolResultBlock():
            texts = (_image(each) if isinstance(each, ImageBlock) else each.text.strip() for each in block.content)
            yield f"[{'failed' if block.is_error else 'result'}]\n{shorten(chr(10).join(texts), bound)}"


def _image(block: ImageBlock) -> str:
    return f"[image: {block.mime_type}, {block.size} bytes]"


def shorten(text: str, bound: int, where: str = "") -> str:
    """Cut the text to `bound` characters, a quarter of them from its beginning, with a line that says how many are
    missing, and `where` they are."""
    if len(text) <= bound:
        return text
    head = bound // 4
    tail = bound - head
    return f"{text[:head]}\n[... {len(text) - bound} characters left out{where} ...]\n{text[len(text) - tail :]}"
