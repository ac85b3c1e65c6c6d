"""Answers of a server, as blocks for the model and as text for a person."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any

from zot_ext.answers import Result
from zot_ext.protocol.values import Block, ImageBlock, TextBlock

TEXT_CHARACTERS = 100_000
"""The most text of one answer that the model gets; an eighth of a large context window."""
IMAGE_CHARACTERS = 2_500_000
"""The most base64 text of the images of one answer; a frame has 4 MiB."""


def tool_result(answer: Any) -> Result:
    """Return a `CallToolResult` as the result of a tool. An answer with nothing but structured content is its JSON."""
    blocks = list(answer.content)
    content = limited(blocks)
    if not blocks and answer.structured_content is not None:
        content = [TextBlock(_cut(json.dumps(answer.structured_content, ensure_ascii=False)))]
    return Result(tuple(content or [TextBlock("(the server returned no content)")]), bool(answer.is_error))


def limited(blocks: Iterable[Any]) -> list[Block]:
    """Return content blocks of MCP as blocks, with no more text and images than the limits."""
    found: list[Block] = []
    text_left, image_left, omitted = TEXT_CHARACTERS, IMAGE_CHARACTERS, 0
    for each in blocks:
        if (image := _image(each)) is not None:
            kind, data = image[0], _base64(image[1])
            image_left -= len(data)
            if not data:
                found.append(TextBlock(f"({kind} omitted: its data are not base64)"))
            elif image_left >= 0:
                found.append(ImageBlock(kind, data))
            else:
                found.append(TextBlock(f"({kind} omitted: too large)"))
            continue
        text = plain_text(each)
        if text_left > 0:
            found.append(TextBlock(_cut(text, text_left)))
        elif text:
            omitted += 1
        text_left -= len(text)
    if omitted:
        found.append(TextBlock(f"({omitted} more parts omitted: the answer is too long)"))
    return found


def _image(block: Any) -> tuple[str, str] | None:
    """Return the type and the data of an image, or of a resource that is one; None for another block."""
    if block.type == "image":
        return block.mime_type, block.data
    if block.type == "resource" and block.resource.mime_type and block.resource.mime_type.startswith("image/"):
        blob = getattr(block.resource, "blob", None)
        return None if blob is None else (block.resource.mime_type, blob)
    return None


def _base64(data: str) -> str:
    """Return base64 as models take it: without line breaks, a prefix `data:...,` and the letters of URLs. Empty if it
    is not base64."""
    text = "".join(data.partition(",")[2].split() if data.startswith("data:") else data.split())
    text = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64encode(base64.b64decode(text + "=" * (-len(text) % 4), validate=True)).decode()
    except (binascii.Error, ValueError):
        return ""


def plain_text(block: Any) -> str:
    if block.type == "text":
        return str(block.text)
    if block.type == "resource":
        return resource_text(block.resource)
    if block.type == "resource_link":
        described = f" ({block.description})" if block.description else ""
        return f"resource {block.uri}: {block.title or block.name}{described}"
    return f"({getattr(block, 'mime_type', None) or block.type} omitted: models cannot read it here)"


def resource_text(resource: Any) -> str:
    """Return the content of a resource as text, with its address."""
    text = getattr(resource, "text", None)
    if text is None:
        return f"({resource.mime_type or 'binary data'} at {resource.uri} omitted)"
    return f'<resource uri="{resource.uri}">\n{text}\n</resource>'


def _cut(text: str, most: int = TEXT_CHARACTERS) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n(cut: {len(text) - most} more characters)"
