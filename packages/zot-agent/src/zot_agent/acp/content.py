"""Turns the content blocks of a prompt into text and images for the model."""

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.images import read_images
from zot_core.tools.definition.attached_files import written
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field


class PromptContent(Record):
    """A prompt. The text of attached files follows its own text."""

    text: str = ""
    images: list[ImageBlock] = field(default_factory=list)


def read_content(blocks: Sequence[dict[str, Any]], cwd: str) -> PromptContent:
    """Return the prompt of content blocks of the protocol. Raises `OperationFailed` for what models cannot read.

    A link stays in its place, as a path if it is a file. An embedded file leaves its path in its place; its text goes
    to the end, in the form of files attached on the command line.
    """
    words: list[str] = []
    files: list[str] = []
    images: list[dict[str, Any]] = []
    for block in blocks:
        kind = block["type"]
        if kind == "text":
            words.append(block["text"])
        elif kind == "resource_link":
            words.append(resource_name(block["uri"], cwd))
        elif kind == "image":
            images.append({"mime_type": block["mimeType"], "data": block["data"]})
        elif kind == "resource" and "text" in block["resource"]:
            name = resource_name(block["resource"]["uri"], cwd)
            words.append(name)
            files.append(written(name, block["resource"]["text"].strip(_BREAKS)))
        elif kind == "resource" and str(block["resource"].get("mimeType", "")).startswith("image/"):
            words.append(resource_name(block["resource"]["uri"], cwd))
            images.append({"mime_type": block["resource"]["mimeType"], "data": block["resource"]["blob"]})
        else:
            what = "audio" if kind == "audio" else "a file that is neither text nor an image"
            raise OperationFailed(
                "invalid", f"the prompt holds {what}, which zot cannot show to a model; name its path instead"
            )
    content = PromptContent("\n\n".join(filter(str.strip, ["".join(words), *files])), read_images(images))
    if not content.text and not content.images:
        raise OperationFailed("invalid", "the prompt is empty")
    return content


_BREAKS = "\r\n"


def resource_name(uri: str, cwd: str) -> str:
    """Return the name of a resource in a prompt: for a file its path, relative if it is below `cwd`, with the fragment
    of the URI in brackets; otherwise the URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme != "file" or not parts.path:
        return uri
    path = unquote(parts.path)
    inside = os.path.relpath(path, cwd) if os.path.isabs(path) else path
    path = path if inside.startswith("..") else inside
    return f"{path} ({parts.fragment})" if parts.fragment else path
