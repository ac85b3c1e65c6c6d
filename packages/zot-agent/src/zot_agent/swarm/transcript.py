"""`MemberTranscript`: the conversation of a member as lines of text, read from its session while that grows."""

import os
from collections.abc import Iterator

from zot_core.display import main_argument
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import read_message
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, TextBlock, ToolResultBlock

_PIECE = 1 << 20
_ENTRIES = ("message", "compaction", "branch_summary")


class MemberTranscript:
    """Reads a session file on from where it was last."""

    def __init__(self) -> None:
        self._path, self._offset, self._rest = "", 0, b""

    def more(self, path: str) -> Iterator[str]:
        """Yield the lines of what is new in the session at `path`; nothing if there is no such file. Raises OSError."""
        if path != self._path:
            self._path, self._offset, self._rest = path, 0, b""
        if not path or not os.path.exists(path):
            return
        with open(path, "rb", opener=open_regular) as file:
            file.seek(self._offset)
            while piece := file.read(_PIECE):
                self._offset += len(piece)
                *lines, self._rest = (self._rest + piece).split(b"\n")
                for line in lines:
                    yield from _row_lines(line)


def _row_lines(line: bytes) -> Iterator[str]:
    row = read_row(line)
    if row.get("type") not in _ENTRIES:
        return
    if row["type"] == "compaction":
        yield "-- the conversation was summarised"
        return
    message = read_message(row.get("message"))
    if message is not None and not message.hidden:
        yield from _message_lines(message)


def _message_lines(message: Message) -> Iterator[str]:
    if message.role == "tool":
        for block in message.content:
            if isinstance(block, ToolResultBlock) and block.is_error:
                said = "".join(each.text for each in block.content if isinstance(each, TextBlock)).strip()
                yield f"    {block.fate if block.fate != 'ran' else 'failed'}: {said.partition(chr(10))[0]}"
        return
    mark = "> " if message.role == "user" else ""
    if text := message.shown_text.strip():
        yield from (f"{mark}{line}" for line in text.split("\n"))
    for call in message.tool_calls:
        yield f"  {call.name}: {main_argument(call.arguments)}".partition("\n")[0]
