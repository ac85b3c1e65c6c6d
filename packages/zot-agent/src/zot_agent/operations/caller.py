"""`OperationCaller`: on whose behalf an operation is carried out, and what it acts on."""

from zot_agent.operations.stored_sessions import StoredSessions
from zot_core.conversation.driver import Conversation
from zot_provider.record import Record


class OperationCaller(Record):
    """`stored` are the sessions that the caller may see. `extension` is its name, empty for a client or a program.
    `may_restore` is whether it may bring files back to what they were, and stop commands in the background for that.
    `entry_bytes` is the largest data of an entry as JSON, `answer_bytes` the largest answer."""

    conversation: Conversation
    stored: StoredSessions
    extension: str = ""
    may_restore: bool = True
    entry_bytes: int = 64 * 1024
    answer_bytes: int = 1 << 20
