"""Parts of a request that several wires encode in the same way."""

from typing import Any
from zlib import crc32

from zot_provider.messages import Block, ImageBlock, TextBlock, ToolResultBlock

_LONGEST_ID = 64


def call_id(id: str) -> str:
    """Return a call id of at most 64 letters, digits, "_" and "-"; ids of other providers may need to be changed."""
    if len(id) <= _LONGEST_ID and id.isascii() and id.replace("_", "").replace("-", "").isalnum():
        return id
    cleaned = "".join(char if char.isascii() and char.isalnum() else "_" for char in id)
    return f"{cleaned[: _LONGEST_ID - 9]}_{crc32(id.encode()):08x}"


def data_url(image: ImageBlock) -> str:
    """Return the image as a data URL (RFC 2397)."""
    return f"data:{image.mime_type};base64,{image.data}"


def plain_text(blocks: "list[Block] | list[TextBlock | ImageBlock]") -> str:
    """Return the text blocks, joined by a line break."""
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def result_text(result: ToolResultBlock) -> str:
    """Return the text of a tool result, for wires without a flag for failures."""
    text = plain_text(result.content)
    if result.is_error and not text.lower().startswith("error"):
        return f"error: {text}"
    return text


def is_closed(schema: Any) -> bool:
    """Whether each object of a JSON Schema requires all its properties and no others, as OpenAI's strict mode wants."""
    if isinstance(schema, list):
        return all(is_closed(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", [])) != set(properties):
            return False
    return all(is_closed(value) for value in schema.values())
