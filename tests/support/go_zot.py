"""A small model of what the Go zot reads of a session file and sends to the model, and what vendors accept of that."""

import json
from typing import Any

STUB = "tool call was aborted; no result recorded."


def go_reads(data: bytes) -> list[dict[str, Any]]:
    """The messages that the Go zot finds: lines that are not JSON, messages without content and rows of unknown types
    are skipped. A compaction has the whole conversation in `messages`, and is skipped if that is no list."""
    found: list[dict[str, Any]] = []
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row["type"] == "message" and row["message"]["content"]:
            found.append(row["message"])
        elif row["type"] == "compaction" and isinstance(row.get("messages", []), list):
            found = [*row.get("messages", [])]
    return found


def go_sends(messages: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """What it sends: the role and the ids of the calls or results of each message. It looks for results in the message
    after the calls, and forges the missing ones."""
    sent: list[tuple[str, list[str]]] = []
    for position, message in enumerate(messages):
        role, content = message["role"], message["content"]
        sent.append(
            (role, [block["id" if role == "assistant" else "call_id"] for block in content if "text" not in block])
        )
        after = messages[position + 1] if position + 1 < len(messages) else {"role": "", "content": []}
        answered = {block["call_id"] for block in after["content"]} if after["role"] == "tool" else set()
        forged = [id for id in sent[-1][1] if id not in answered] if role == "assistant" else []
        if forged and after["role"] == "tool":
            after["content"].extend({"call_id": id, "content": [{"text": STUB}], "is_error": True} for id in forged)
        elif forged:
            sent.append(("tool", forged))
    return sent


def check_accepted(data: bytes) -> None:
    """Fail unless vendors accept what the Go zot sends: after an answer with calls comes one message with one result
    for each, and there are no other results."""
    sent = go_sends(go_reads(data))
    for before, (role, ids) in zip([("", []), *sent], sent, strict=False):
        if role == "tool":
            assert before[0] == "assistant", sent
            assert sorted(before[1]) == sorted(ids), sent
        assert not (before[0] == "assistant" and before[1] and role != "tool"), sent
