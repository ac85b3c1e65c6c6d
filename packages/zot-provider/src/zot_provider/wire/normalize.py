"""Repair of a history before it is sent, on a copy: a stored one may hold anything, providers accept only a valid one.

No provider is named here. Every encoder begins with `normalize`, so its callers need not.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from zot_provider.json_text import without_surrogates
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.wire.base import Quirks
from zot_provider.wire.parts import NAMES, WordRule, id_rule

NO_RESULT = "tool call was aborted; no result recorded."
"""The result that the model reads for a tool call without one."""

NO_IMAGE = "(image omitted: this model cannot see images)"
"""The text that a model without vision reads in place of an image."""


def normalize(
    messages: Iterable[Message],
    wire: str,
    model: Model,
    quirks: Quirks,
    ids: set[str] | None = None,
    usual_ids: WordRule = NAMES,
) -> list[Message]:
    """Return a copy of the conversation, for this `model` on this `wire`, in which

    - each assistant message with calls is followed by one tool message with one result for each call, in call order:
      a missing result becomes an error with the text `NO_RESULT`, a result without a call is dropped;
    - call ids are unique and follow the rule of `quirks`, else `usual_ids`; the names of tools follow the rule of
      names, and the arguments of calls are the text of a JSON object;
    - each role has only the blocks that it may have; reasoning is kept only if it comes from this wire, from this
      provider or an unknown one, and of this model or an unknown one: another model refuses its signature or its
      cipher;
    - there are no empty texts, no empty messages and no lone surrogates, and no images for a model without vision;
    - consecutive user messages are one message, and so are consecutive assistant messages without calls between them.

    `ids` holds the call ids of the messages before these; the call ids of these messages are added to it.
    """
    history = list(messages)
    copy: list[Message] = []
    ids = set() if ids is None else ids
    rule, images, origin = id_rule(quirks, usual_ids), model.images, (wire, model.provider, model.id)
    for index, message in enumerate(history):
        if message.role == "user":
            _append(copy, "user", _texts_and_images(message.content, images=images))
        elif message.role == "assistant":
            blocks, calls = _assistant(message.content, origin, ids, rule)
            _append(copy, "assistant", blocks)
            if calls:
                results = _results_after(history, index + 1)
                copy.append(Message("tool", [_result(old, new, results, images=images) for old, new in calls]))
    return copy


def _append(copy: list[Message], role: Literal["user", "assistant"], blocks: Sequence[Block]) -> None:
    """Append a message, or only its blocks if the last message has the same role. Does nothing without blocks."""
    if not blocks:
        return
    if copy and copy[-1].role == role:
        copy[-1].content.extend(blocks)
    else:
        copy.append(Message(role, list(blocks)))


def _texts_and_images(blocks: Sequence[Block], *, images: bool) -> list[TextBlock | ImageBlock]:
    """Return the non-blank texts and the images."""
    shown: list[TextBlock | ImageBlock] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            if block.text.strip():
                shown.append(TextBlock(without_surrogates(block.text)))
        elif isinstance(block, ImageBlock):
            shown.append(block if images else TextBlock(NO_IMAGE))
    return shown


def _assistant(
    blocks: Sequence[Block], origin: tuple[str, str, str], ids: set[str], rule: WordRule
) -> tuple[list[Block], list[tuple[str, ToolCallBlock]]]:
    """Return the blocks to send, and each call among them with its id in the history. `origin` is the wire, the
    provider and the model whose reasoning is kept."""
    wire, provider, model = origin
    sent: list[Block] = []
    calls: list[tuple[str, ToolCallBlock]] = []
    for block in blocks:
        if isinstance(block, ToolCallBlock):
            name = NAMES.apply(without_surrogates(block.name))
            call = ToolCallBlock(unique_id(block.id, ids, rule), name, _arguments(block), block.free_text)
            calls.append((block.id, call))
            sent.append(call)
        elif isinstance(block, ReasoningBlock):
            if block.wire == wire and block.provider in ("", provider) and block.model in ("", model):
                sent.append(block)
        elif isinstance(block, TextBlock) and block.text.strip():
            sent.append(block.replace(text=without_surrogates(block.text)))
    while sent and isinstance(sent[-1], ReasoningBlock):
        sent.pop()  # the answer broke off after its thinking, which providers refuse
    return sent, calls


def _results_after(history: Sequence[Message], start: int) -> dict[str, list[ToolResultBlock]]:
    """Return the results from `start` to the next assistant message, by call id."""
    found: dict[str, list[ToolResultBlock]] = {}
    for position in range(start, len(history)):  # not a slice: a long conversation would be copied for every answer
        message = history[position]
        if message.role == "assistant":
            break
        if message.role == "tool":
            for block in message.content:
                if isinstance(block, ToolResultBlock):
                    found.setdefault(block.call_id, []).append(block)
    return found


def _result(
    id: str, call: ToolCallBlock, results: dict[str, list[ToolResultBlock]], *, images: bool
) -> ToolResultBlock:
    """Return the result of the call with this `id` in the history."""
    found = results.get(id)
    if not found:
        return ToolResultBlock(call.id, [TextBlock(NO_RESULT)], is_error=True)
    result = found.pop(0)
    return ToolResultBlock(call.id, _texts_and_images(result.content, images=images), result.is_error)


def unique_id(id: str, ids: set[str], rule: WordRule = NAMES) -> str:
    """Return the id as a word that follows `rule` and is not in `ids`, and add it there: some servers count their calls
    from 0 in every answer."""
    base = fresh = rule.apply(without_surrogates(id) or "call")
    number = 1
    while fresh in ids:
        number += 1
        fresh = rule.apply(f"{base}_{number}")
    ids.add(fresh)
    return fresh


def _arguments(call: ToolCallBlock) -> str:
    """Return the call's arguments if they are a JSON object, else a JSON object that quotes them for the model.

    Servers parse the arguments of earlier calls, so one invalid call would make every later request fail.
    """
    if not call.arguments.strip():
        return "{}"
    from jiter import from_json  # noqa: PLC0415  the first request has no calls

    try:
        # Stricter than json.loads, like the servers: no NaN and no lone surrogates.
        if isinstance(from_json(call.arguments.encode(), allow_inf_nan=False), dict):
            return call.arguments
    except ValueError:
        pass
    return json.dumps({"invalid_arguments": without_surrogates(call.arguments)})
