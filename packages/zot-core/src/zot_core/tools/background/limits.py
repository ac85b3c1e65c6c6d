"""The limits of jobs and of their output."""

from zot_provider.record import Record, field


class OutputLimits(Record):
    """Bytes that are kept of an output: of its beginning and its end in memory, and of its beginning in a file."""

    head: int = 16 * 1024
    tail: int = 32 * 1024
    file: int = 64 * 1024 * 1024


class JobLimits(Record):
    """How many jobs may run at a time, and how many that have ended are remembered; the output that is kept of each.

    The model reads at most `shown` bytes of an output at a time, unless its call names another number, and with the
    news of an end the last `news_lines` lines, `news` bytes at most. For `start_seconds` the call that starts a job
    waits: the result of a command that fails at once then says so.
    """

    running: int = 16
    remembered: int = 50
    shown: int = 16 * 1024
    news_lines: int = 10
    news: int = 1000
    output: OutputLimits = field(default_factory=OutputLimits)
    start_seconds: float = 0.1
