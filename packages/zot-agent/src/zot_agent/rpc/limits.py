"""`RpcLimits`: the limits on memory and waiting time of a process that serves another program."""

from zot_provider.record import Record


class RpcLimits(Record):
    """Sizes in bytes, times in seconds.

    `line_bytes`: the longest command; a longer line is answered with an error and skipped.

    Output that the client has not read waits in memory. From `pause_bytes` on, no model call and no tool begins; from
    `read_pause_bytes` on, no command is read. With more than `max_bytes` behind the line that it reads, or after
    `stall_seconds` in which it read nothing, the client counts as stuck: everything is aborted and the process ends.
    `flush_seconds` replaces `stall_seconds` once the client has closed standard input, `signal_flush_seconds` does
    after a signal.

    `permission_seconds`: how long clients may take to answer a `permission_request`, and an `ext_ui_request`; then the
    call is refused, and the dialog closed. `field_seconds`: how long a client may take to answer an
    `ext_field_request`.
    """

    line_bytes: int = 16 << 20
    pause_bytes: int = 4 << 20
    read_pause_bytes: int = 16 << 20
    max_bytes: int = 64 << 20
    stall_seconds: float = 3600.0
    flush_seconds: float = 60.0
    signal_flush_seconds: float = 2.0
    permission_seconds: float = 600.0
    field_seconds: float = 2.0


DEFAULT_LIMITS = RpcLimits()
