"""Parts of a request that several wires encode in the same way."""

import json
import math
from typing import Any
from zlib import crc32

from zot_provider.messages import Block, ImageBlock, TextBlock, ToolResultBlock
from zot_provider.record import Record, record


@record
class WordRule(Record):
    """What an API accepts as an id: at most `longest` letters, digits, "_", "-" and the characters in `also`."""

    longest: int = 64
    also: str = ""

    def apply(self, text: str) -> str:
        """Return `text` if it follows the rule, else a similar word, which differs for different texts."""
        allowed = "".join(
            char if char.isascii() and (char.isalnum() or char in "_-" + self.also) else "_" for char in text
        )
        if text and text == allowed and len(text) <= self.longest:
            return text
        return f"{allowed[: self.longest - 9]}_{crc32(text.encode()):08x}"


NAMES = WordRule()
"""The names of tools on all wires."""


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


def finite_json(arguments: str) -> Any:
    """Parse the arguments of a call; numbers beyond a float's range become strings, since JSON has no infinity."""
    return json.loads(arguments, parse_float=_finite)


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


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
