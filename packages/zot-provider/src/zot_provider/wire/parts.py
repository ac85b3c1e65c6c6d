"""Parts of a request that several wires encode in the same way."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from zot_provider.messages import Block, ImageBlock, TextBlock, ToolResultBlock
from zot_provider.record import Record
from zot_provider.request import CacheTime
from zot_provider.wire.base import Quirks

_USUAL = re.compile(r"[A-Za-z0-9_-]+")


class WordRule(Record):
    """The form of ids that an API accepts: at most (with `exact`: exactly) `longest` letters and digits, and, without
    `exact`, "_", "-" and the characters in `also`."""

    longest: int = 64
    also: str = ""
    exact: bool = False

    def apply(self, text: str) -> str:
        """Return `text` if it follows the rule, else a similar word, which differs for different texts."""
        if not self.exact and len(text) <= self.longest and _USUAL.fullmatch(text):
            return text
        others = "" if self.exact else "_-" + self.also
        allowed = "".join(char if char.isascii() and (char.isalnum() or char in others) else "_" for char in text)
        fits = len(text) == self.longest if self.exact else len(text) <= self.longest
        if text and text == allowed and fits:
            return text
        from zlib import crc32  # noqa: PLC0415  few ids must be changed

        number = f"{crc32(text.encode()):08x}"
        if self.exact:
            return number.rjust(self.longest, "0")[: self.longest]
        return f"{allowed[: self.longest - 9]}_{number}"


def cache_mark(time: CacheTime) -> dict[str, Any]:
    """Return the member that makes a block of Messages the end of a cached prefix; a new object every time, because the
    caller may change the body. Entries of an hour must not follow shorter ones, so all marks of a request are alike."""
    return {"cache_control": {"type": "ephemeral"} if time == "5m" else {"type": "ephemeral", "ttl": time}}


def last_user_turns(items: Sequence[dict[str, Any]], *roles: str) -> list[dict[str, Any]]:
    """Return the ends of the last two turns of the user's side, whose items have these roles: the end of this request
    and that of the last one.

    A cache is looked up at every mark and at 20 blocks before it. An answer with many calls and their results has more
    blocks, so the end of the last request needs a mark of its own (Claude docs, "Prompt caching").
    """
    ends: list[dict[str, Any]] = []
    after = ""  # the role of the next item
    for item in reversed(items):
        if item["role"] in roles and after not in roles:
            ends.append(item)
        after = item["role"]
        if len(ends) == 2:
            break
    return ends


NAMES = WordRule()
"""The names of tools on all wires."""


def id_rule(quirks: Quirks, usual: WordRule = NAMES) -> WordRule:
    """Return the rule for the ids of calls, which is `usual` on this wire."""
    if quirks.call_id_length:
        return WordRule(quirks.call_id_length, exact=True)
    return WordRule(usual.longest, quirks.call_id_extra) if quirks.call_id_extra else usual


def data_url(image: ImageBlock) -> str:
    """Return the image as a data URL (RFC 2397)."""
    return f"data:{image.mime_type};base64,{image.data}"


def plain_text(blocks: "list[Block] | list[TextBlock | ImageBlock]") -> str:
    """Return the text blocks, joined by a line break."""
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


NO_OUTPUT = "(no output)"
"""The text of a tool result without text, which several APIs refuse."""


def result_text(result: ToolResultBlock) -> str:
    """Return the text of a tool result, which is not blank, for wires without a flag for failures."""
    text = plain_text(result.content)
    if not text.strip():
        text = "(an image)" if any(isinstance(block, ImageBlock) for block in result.content) else NO_OUTPUT
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
