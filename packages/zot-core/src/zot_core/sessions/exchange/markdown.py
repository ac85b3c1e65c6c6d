"""A session as Markdown, for people: prompts, answers, and the calls of tools, folded."""

import html
import re
from collections.abc import Iterator
from typing import BinaryIO

from zot_core.sessions.exchange.passages import Passage, read_passages
from zot_core.sessions.listing import SessionEntry
from zot_provider.messages import Block, ImageBlock, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock

_SUMMARY = 120  # characters of a call's arguments beside its name


def write_markdown(entry: SessionEntry, target: BinaryIO) -> None:
    """Write the session of `entry` as Markdown. Raises OSError and `SessionError`."""
    for part in _parts(entry):
        target.write(part.encode("utf-8", "replace") + b"\n\n")


def call_summary(call: ToolCallBlock) -> str:
    """Return the beginning of a call's arguments, in one line."""
    line = " ".join(call.arguments.split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1] + "…"


def result_text(result: ToolResultBlock | None) -> str:
    """Return what a call has given, with a line for each image."""
    if result is None:
        return "(no result)"
    return "\n".join(block.text if isinstance(block, TextBlock) else image_line(block) for block in result.content)


def image_line(image: ImageBlock) -> str:
    return f"({image.mime_type or 'image'}, {image.size:,} bytes)"


def _parts(entry: SessionEntry) -> Iterator[str]:
    yield f"# {_one_line(entry.name) or 'A session'}"
    yield f"Session `{entry.id}`, started {entry.started or 'at an unknown time'}, model `{entry.model}`"
    speaker = ""
    for passage in read_passages(entry.path):
        message = passage.message
        if message.summarized_tokens is not None:
            yield f"---\n\n{_folded('The conversation was compacted here', message.text)}"
            continue
        blocks = [part for block in message.shown if (part := _block(block, passage))]
        if blocks and message.role != speaker:
            speaker = message.role
            yield "## You" if speaker == "user" else "## zot"
        yield from blocks


def _block(block: Block, passage: Passage) -> str:
    match block:
        case TextBlock(text):
            return text.strip()
        case ImageBlock():
            return image_line(block)
        case ReasoningBlock(summary):
            return _folded("Reasoning", summary) if summary.strip() else ""
        case ToolCallBlock(id, name, arguments):
            result = result_text(passage.results.get(id))
            return _folded(f"{name} {call_summary(block)}", f"{arguments}\n\n{result}")
        case _:
            return ""


def _folded(title: str, text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    shown = html.escape(_one_line(title), quote=False)
    return f"<details><summary>{shown}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>"


def _one_line(text: str) -> str:
    return " ".join(text.split())
