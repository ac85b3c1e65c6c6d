"""Details by which a person recognizes a session: its last prompt and answer, its size in tokens."""

import os

from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.listing import FULL_SCAN_BYTES
from zot_core.sessions.raw import read_row
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record, field
from zot_provider.usage import Usage

TEXT_LENGTH = 4000
"""Maximum characters of a text in a preview."""

_SAID = tuple(rows.MESSAGE_START + role for role in (b"user", b"assistant"))


class SessionPreview(Record):
    """The last prompt that a person sees and the text of the answer to it, which may be missing; the usage of the
    whole session. Each text is empty if it is not within the last 1 MiB of the file."""

    prompt: str = ""
    answer: str = ""
    usage: Usage = field(default_factory=Usage)


def read_preview(path: str) -> SessionPreview:
    """Read the end of a session file. Raises `SessionError` if it cannot be read."""
    preview = SessionPreview()
    counted = False
    for line in reversed(_last_lines(path)):
        if line.startswith(b'{"type":"usage"'):
            if not counted:
                preview.usage, counted = rows.read_usage(read_row(line).get("cumulative")), True
        elif line.startswith(_SAID) and not preview.prompt:
            message = rows.read_message(read_row(line).get("message"))
            if message is not None and not message.hidden:
                text = message.shown_text.strip()[:TEXT_LENGTH]
                if message.role == "user":
                    preview.prompt = text
                elif not preview.answer:
                    preview.answer = text
        if preview.prompt and counted:
            break
    return preview


def _last_lines(path: str) -> list[bytes]:
    with SessionError.of_system(f"cannot read session {path}"), open(path, "rb", opener=open_regular) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - FULL_SCAN_BYTES, 0))
        return file.read(FULL_SCAN_BYTES).split(b"\n")
