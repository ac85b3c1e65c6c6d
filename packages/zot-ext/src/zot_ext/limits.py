"""`ExtensionLimits`: all documented limits of the extension protocol with their defaults."""

from __future__ import annotations

from zot_ext.record import Record


class ExtensionLimits(Record):
    """Limits that the host enforces, and `drain_seconds`, which the extension enforces itself.

    Times are in seconds, sizes in bytes. Tests pass shorter times: `ExtensionLimits(hello_seconds=0.1)`.
    """

    frame_bytes: int = 4 * 1024 * 1024
    """Longest line in either direction, without its newline (the reader of the first zot host)."""
    hello_seconds: float = 30.0
    """From the start of the process to its `hello`; a program that runs from source may compile first (our choice)."""
    ready_idle_seconds: float = 0.25
    """An extension that is silent for this long after `hello_ack` counts as ready (protocol document)."""
    ready_total_seconds: float = 3.0
    """The longest time that the start waits for all extensions together (the first zot host)."""
    tool_seconds: float = 60.0
    """From `tool_call` to `tool_result`; then the call fails (protocol document)."""
    intercept_seconds: float = 5.0
    """From `event_intercept` to its response; then the event is allowed (protocol document)."""
    command_seconds: float = 30.0
    """From `command_invoked` to `command_response` (the first zot host)."""
    shutdown_seconds: float = 2.0
    """From `shutdown` to `shutdown_ack` or exit; then SIGTERM (protocol document)."""
    kill_seconds: float = 1.0
    """From SIGTERM to SIGKILL (the first zot host)."""
    stuck_seconds: float = 0.05
    """The same two times for an extension that owes an answer nobody waits for any more: the user has stopped it, or
    it took too long (our choice)."""
    drain_seconds: float = 1.5
    """From `shutdown` until an extension replies on behalf of the handlers that still run; less than
    `shutdown_seconds`, so that these replies and `shutdown_ack` arrive in time (our choice)."""
    write_seconds: float = 5.0
    """How long an extension may read nothing while its queue is full; then it is ended (the newer zot host)."""
    queue_frames: int = 256
    """Frames in the queue for one extension that make it full (the newer zot host)."""
    queue_bytes: int = 16 * 1024 * 1024
    """Bytes in the queue for one extension that make it full (the newer zot host)."""
    open_calls: int = 256
    """Calls of one extension that may be open at once; further ones fail with `busy` (our choice)."""
    dialog_seconds: float = 86_400.0
    """The longest time that a dialog is open; `timeout_ms` shortens it (our choice)."""
    extension_seconds: float = 600.0
    """How much time `request.extend` can add, once for each request (our choice)."""
    exec_seconds: float = 600.0
    """The longest time that a program may take that the host runs for an extension."""
    exec_bytes: int = 256 * 1024
    """How much of its output the extension gets."""
    completion_seconds: float = 600.0
    """From `model.complete` to its result (our choice)."""
    completions: int = 4
    """Model calls of one extension at the same time (our choice)."""
    entry_bytes: int = 64 * 1024
    """Largest data of an entry that an extension stores in the session, as JSON (our choice)."""
    kv_bytes: int = 1024 * 1024
    """Size of all values that an extension keeps in one scope, as JSON (our choice)."""
    result_bytes: int = 2 * 1024 * 1024
    """Largest result of a call; longer lists come in pages (our choice)."""
    system_prompt_bytes: int = 1024 * 1024
    """Longest `system_prompt` in a reply to `before_agent_start` (the newer zot host)."""
    observation_bytes: int = 256 * 1024
    """Longest payload of an observed tool result (the newer zot host)."""
    observation_blocks: int = 128
    """Most content blocks in an observed tool result (the newer zot host)."""


DEFAULT_LIMITS = ExtensionLimits()
