"""`Passage`: what was said in a session, in order, with the results of tools beside their calls."""

from collections.abc import Iterator

from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.tree import file_rows
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message, ToolResultBlock
from zot_provider.record import Record, field


class Passage(Record):
    """A message of a person or of the model, or the summary of a compaction. `results` belong to the calls of the
    message, by the id of the call."""

    message: Message
    results: dict[str, ToolResultBlock] = field(default_factory=dict)


def read_passages(path: str) -> Iterator[Passage]:
    """Yield what was said in a session file, also what a compaction has left out since. Raises `SessionError`.

    Only one passage at a time is in memory.
    """
    last: Passage | None = None
    with SessionError.of_system(f"cannot read session {path}"), open(path, "rb", opener=open_regular) as file:
        for kind, _, _, _, line in file_rows(file):
            if kind not in ("user", "assistant", "tool", "compaction"):
                continue
            message = rows.entry_message(read_row(line))
            if message is None:
                continue
            if message.role == "tool":
                results = [block for block in message.content if isinstance(block, ToolResultBlock)]
                if last is not None:
                    last.results |= {block.call_id: block for block in results}
                continue
            if last is not None:
                yield last
            last = Passage(message)
    if last is not None:
        yield last
