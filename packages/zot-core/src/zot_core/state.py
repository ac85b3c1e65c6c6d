"""`State`: what a `Runtime` says of itself."""

from zot_provider.record import Record, record
from zot_provider.request import Reasoning
from zot_provider.usage import Usage


@record
class State(Record):
    """A snapshot of a runtime. `model` is empty while only the server knows its models, `session_id` without a session
    file; `queued` messages wait in the inbox."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: Usage
    reasoning: Reasoning
    session_id: str
    queued: int
