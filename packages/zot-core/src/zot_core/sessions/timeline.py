"""`read_timeline`: the prompts of a conversation, and what each answer took."""

from collections.abc import Iterable
from datetime import datetime

from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.tree import file_rows, first_line
from zot_provider.files.regular_file import open_regular
from zot_provider.messages import Message
from zot_provider.record import Record, field
from zot_provider.usage import Usage


class PromptEntry(Record):
    """A prompt: its entry's id, its first line and its time. `seconds` is the time to the last message before the next
    prompt, `tools` the number of calls by tool, `usage` the sum of its model calls, None if it was not recorded."""

    id: str
    text: str
    time: str
    seconds: float = 0.0
    tools: dict[str, int] = field(default_factory=dict)
    usage: Usage | None = None


def read_timeline(path: str) -> list[PromptEntry]:
    """Return the prompts in a session file, those before a compaction too. Reads the whole file: call it in a thread.
    Raises `SessionError`."""
    found: list[PromptEntry] = []
    try:
        with open(path, "rb", opener=open_regular) as file:
            for kind, id, _, _, line in file_rows(file):
                if kind == "usage" and found:
                    usage = rows.read_usage(read_row(line).get("usage"))
                    found[-1].usage = usage if (known := found[-1].usage) is None else known + usage
                elif kind in ("user", "assistant", "tool"):
                    message = rows.read_message(read_row(line).get("message"))
                    if message is not None:
                        message.id = id
                        _add(found, message)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error
    return found


def timeline(messages: Iterable[Message]) -> list[PromptEntry]:
    """Return the prompts of a conversation that is not saved."""
    found: list[PromptEntry] = []
    for message in messages:
        _add(found, message)
    return found


def _add(found: list[PromptEntry], message: Message) -> None:
    if message.is_prompt:
        found.append(PromptEntry(message.id, first_line(message), message.time))
    elif found:
        last = found[-1]
        last.seconds = max(_seconds(last.time, message.time), last.seconds)
        for call in message.tool_calls:
            last.tools[call.name] = last.tools.get(call.name, 0) + 1


def _seconds(begin: str, end: str) -> float:
    """Return the seconds between two times of messages; 0 if one is unknown."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
