"""What a client says in a prompt, as text and images for the model."""

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from zot_agent.rpc.images import read_images
from zot_agent.rpc.method import InvalidCommand
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field, record


@record
class Content(Record):
    """A prompt. Files that came with it stand behind its words."""

    text: str = ""
    images: list[ImageBlock] = field(default_factory=list)


def read_content(blocks: Sequence[dict[str, Any]], cwd: str) -> Content:
    """The prompt of content blocks of the protocol. Raises `InvalidCommand` for what cannot be shown to a model.

    A link stands where it was, as a path if it is to a file. Of an embedded file the path stands there, and the text
    behind everything, as that of files attached on the command line.
    """
    words: list[str] = []
    files: list[str] = []
    images: list[dict[str, Any]] = []
    for block in blocks:
        kind = block["type"]
        if kind == "text":
            words.append(block["text"])
        elif kind == "resource_link":
            words.append(named(block["uri"], cwd))
        elif kind == "image":
            images.append({"mime_type": block["mimeType"], "data": block["data"]})
        elif kind == "resource" and "text" in block["resource"]:
            name = named(block["resource"]["uri"], cwd)
            words.append(name)
            files.append(f'<file path="{name}">\n{block["resource"]["text"].strip(_BREAKS)}\n</file>')
        elif kind == "resource" and str(block["resource"].get("mimeType", "")).startswith("image/"):
            words.append(named(block["resource"]["uri"], cwd))
            images.append({"mime_type": block["resource"]["mimeType"], "data": block["resource"]["blob"]})
        else:
            what = "audio" if kind == "audio" else "a file that is neither text nor an image"
            raise InvalidCommand(f"the prompt holds {what}, which zot cannot show to a model; name its path instead")
    content = Content("\n\n".join(filter(str.strip, ["".join(words), *files])), read_images(images))
    if not content.text and not content.images:
        raise InvalidCommand("the prompt is empty")
    return content


_BREAKS = "\r\n"


def named(uri: str, cwd: str) -> str:
    """How a resource is called in a prompt: a file by its path, below `cwd` a relative one, with what follows a `#`
    in brackets; anything else by its URI."""
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
