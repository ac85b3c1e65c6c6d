"""`SwarmLimits`: how many members there may be, how large a message is, and how long each wait takes."""

from zot_provider.record import Record


class SwarmLimits(Record):
    """Times are in seconds."""

    members: int = 200
    """Members with a folder, working or not."""
    working: int = 16
    """Members that work at the same time."""
    message_bytes: int = 1 << 20
    """The longest message, in bytes of UTF-8."""
    messages: int = 100
    """Messages that wait to be read by one member."""
    lock_seconds: float = 10.0
    """How long a process waits for another process, which is about to end, or only looks."""
    start_seconds: float = 30.0
    """How long a new member may be without a process."""
    stop_seconds: float = 10.0
    """From the wish that a member ends to SIGKILL."""
    git_seconds: float = 120.0
    """The time of one git command."""
    question_seconds: float = 12 * 3600.0
    """How long a member waits for the answer to a question; after that the call is refused."""
    line: int = 200
    """Characters of the line that says what a member does."""
    answer: int = 4000
    """Characters of its last answer in its state."""
