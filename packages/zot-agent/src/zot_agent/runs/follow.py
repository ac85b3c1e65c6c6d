"""`RowLines`: the rows of a session as lines of text, read while another process writes them."""

import json
import os
from contextlib import closing
from typing import Any

from zot_core.display import main_argument
from zot_core.errors import SessionError
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import read_message
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

_PIECE = 1 << 20
_RESULT_LINES = 8
_LINE = 300


class RowLines:
    """Reads a session file from its beginning, and later what has been added."""

    def __init__(self, path: str) -> None:
        self._path, self._at, self._rest = path, 0, b""
        self._text = RowText()

    def read(self) -> list[str]:
        """Return the lines for the rows since the last call. Raises `SessionError`."""
        lines: list[str] = []
        with SessionError.of_system(f"cannot read session {self._path}"):
            descriptor = open_regular(self._path)
        with closing(os.fdopen(descriptor, "rb")) as file:
            file.seek(self._at)
            while piece := file.read(_PIECE):
                self._at += len(piece)
                *whole, self._rest = (self._rest + piece).split(b"\n")
                for row in whole:
                    lines += self._text.lines(read_row(row))
        return lines


class RowText:
    """Turns rows of a session into lines of text, in order."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def lines(self, row: dict[str, Any]) -> list[str]:
        match row.get("type"):
            case "run":
                return _run_lines(row.get("run"))
            case "message" | "tool_result":
                message = read_message(row.get("message"))
                return [] if message is None or message.hidden else self._message(message)
        return []

    def _message(self, message: Message) -> list[str]:
        if message.role == "user":
            return [f"> {line}" for line in message.shown_text.splitlines()]
        lines: list[str] = []
        for block in message.content if message.role == "assistant" else ():
            if isinstance(block, TextBlock) and block.text.strip():
                lines += block.text.splitlines()
            elif isinstance(block, ToolCallBlock):
                self._shown.discard(block.id)
                lines.append(f"* {block.name} {_cut(main_argument(block.arguments) or block.arguments)}".rstrip())
        for block in message.content if message.role == "tool" else ():
            if isinstance(block, ToolResultBlock) and block.call_id not in self._shown:
                self._shown.add(block.call_id)
                lines += _result_lines(block)
        return lines


def _result_lines(block: ToolResultBlock) -> list[str]:
    text = "\n".join(each.text for each in block.content if isinstance(each, TextBlock))
    lines = [f"  {_cut(line)}" for line in text.splitlines() if line.strip()]
    left = len(lines) - _RESULT_LINES
    return lines if left <= 0 else [*lines[:_RESULT_LINES], f"  ({left} more lines)"]


def _run_lines(fields: Any) -> list[str]:
    if not isinstance(fields, dict):
        return []
    if "pid" in fields:
        return [f"- process {fields['pid']} has taken the run up"]
    if isinstance(asked := fields.get("question"), dict) and asked:
        return [f"- waits for an answer: {_cut(str(asked.get('call')))} ({_cut(str(asked.get('reason')))})"]
    if "answers" in fields:
        return ["- answered"]
    if "state" in fields and "task" not in fields:
        reason = fields.get("reason")
        return [f"- {_cut(json.dumps(fields['state']).strip(chr(34)))}" + (f": {_cut(str(reason))}" if reason else "")]
    return []


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LINE else f"{text[:_LINE]}..."
