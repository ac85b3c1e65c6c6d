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
    """An extension that is silent for this long after `hello_ack` counts as ready (protocol document), unless it has
    the group `ready`."""
    ready_total_seconds: float = 3.0
    """The longest time that the start waits for all extensions together (the first zot host)."""
    busy_seconds: float = 0.0
    """How much longer the start waits for extensions that have said hello and still register. A run of one prompt,
    which has no later request for their tools, waits `BUSY_ONCE` (our choice)."""
    start_delay_seconds: float = 0.5
    """An extension whose registrations are remembered is started this long after the others, or when it is needed: the
    first request has the processor until then (our choice)."""
    remembered_seconds: float = 20.0
    """How long a request waits for such an extension to be ready, and how long remembered registrations hold while it
    registers (our choice)."""
    tool_seconds: float = 60.0
    """From `tool_call` to `tool_result`; then the call fails (protocol document)."""
    longest_tool_seconds: float = 600.0
    """The longest time that a tool can ask for with `timeout_ms` (our choice)."""
    prepare_seconds: float = 2.0
    """From the question `tool_prepare` to its answer; then the arguments stay as they are (our choice)."""
    progress_seconds: float = 0.05
    """Progress of a tool that comes within this time is joined (our choice)."""
    progress_characters: int = 64 * 1024
    """How much progress waits to be shown; of more, the end (our choice)."""
    details_bytes: int = 64 * 1024
    """Largest `tool_result.details`, as JSON; larger ones are dropped (our choice)."""
    call_tool_seconds: float = 600.0
    """From `call_tool` to its result; the newer zot host waits 60 s, less than a command of `bash` may take."""
    call_tool_bytes: int = 256 * 1024
    """Largest content of a result of `call_tool` (the newer zot host)."""
    call_tool_chain: int = 4
    """How many tools may call each other, one within the other (the newer zot host)."""
    complete_seconds: float = 3.0
    """From the question `complete` to its answer; nobody waits for it, and a newer one replaces it (our choice)."""
    render_seconds: float = 1.0
    """From the question `render` to its answer; zot's own drawing is shown meanwhile (our choice)."""
    render_misses: int = 5
    """Questions in a row without an answer, after which a renderer is not asked any more (our choice)."""
    intercept_seconds: float = 5.0
    """From `event_intercept` to its response; then the event is allowed (protocol document)."""
    context_seconds: float = 10.0
    """The same for `context` and `before_provider_request`, whose frames are large (our choice)."""
    summary_seconds: float = 60.0
    """The same for `session_before_compact` and `session_before_tree`, where an extension may write a summary."""
    editor_key_seconds: float = 0.05
    """The same for a key of the editor; then it does what it does without the extension (our choice)."""
    editor_key_misses: int = 5
    """After this number of keys in a row without an answer, the extension is no longer asked about keys (our
    choice)."""
    editor_decorate_seconds: float = 1.0
    """The same for how the editor is drawn, which waits for nothing (our choice)."""
    panel_stop_seconds: float = 0.5
    """From Esc or Ctrl+C to the answer of a panel that handles it; then the panel is closed (our choice)."""
    panel_key_seconds: float = 0.1
    """From a key to the answer of a panel that has no use for it; later, the key does nothing (our choice)."""
    large_frame_bytes: int = 16 * 1024 * 1024
    """Longest line in either direction for an extension with the group `large_frames`."""
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
    bus_bytes: int = 256 * 1024
    """Largest data of a message to other extensions, as JSON (our choice)."""
    entry_bytes: int = 64 * 1024
    """Largest data of an entry that an extension stores in the session, as JSON (our choice)."""
    kv_bytes: int = 1024 * 1024
    """Size of all values that an extension keeps in one scope, as JSON (our choice)."""
    stream_idle_seconds: float = 120.0
    """How long an answer of a provider may pause between two events; then it has failed and may be asked for again
    (our choice)."""
    stream_bytes: int = 64 * 1024 * 1024
    """Longest answer of a provider, as frames (our choice)."""
    stream_waiting_bytes: int = 1024 * 1024
    """Frames of an answer that wait to be used; zot reads nothing more from the extension meanwhile (our choice)."""
    context_bytes: int = 16 * 1024 * 1024
    """Longest `provider_stream`; only these frames may be longer than `frame_bytes` (our choice)."""
    provider_seconds: float = 60.0
    """From a `provider_request` to its result, unless a person signs in (our choice)."""
    sign_in_seconds: float = 900.0
    """The longest time that a person has to sign in (our choice)."""
    op_seconds: float = 60.0
    """From an `op_request` to its response, unless it runs a command; for each MiB of a `write` as long again (our
    choice)."""
    op_cancel_seconds: float = 3.0
    """From the `cancel` of an `op_request` to its response; then nobody waits for it (our choice)."""
    op_piece_bytes: int = 256 * 1024
    """Most bytes of a file in one frame (our choice)."""
    op_write_bytes: int = 32 * 1024 * 1024
    """Most bytes of a file that a tool writes on another machine (our choice)."""
    result_bytes: int = 2 * 1024 * 1024
    """Largest result of a call; longer lists come in pages (our choice)."""
    continuations: int = 8
    """How often interceptors of `before_stop` can keep one run from ending (our choice)."""
    system_prompt_bytes: int = 1024 * 1024
    """Longest `system_prompt` in a reply to `before_agent_start` (the newer zot host)."""
    observation_bytes: int = 256 * 1024
    """Longest payload of an observed tool result (the newer zot host)."""
    observation_blocks: int = 128
    """Most content blocks in an observed tool result (the newer zot host)."""

    def longer(self, factor: float) -> ExtensionLimits:
        """Return these limits with every wait for an extension `factor` times as long."""
        kept = {name: getattr(self, name) for name in self.__fields__}
        return ExtensionLimits(**kept | {name: kept[name] * factor for name in WAITS})


WAITS = (
    *("hello_seconds", "ready_total_seconds", "busy_seconds", "remembered_seconds", "tool_seconds", "prepare_seconds"),
    *("complete_seconds", "render_seconds", "intercept_seconds", "context_seconds", "summary_seconds"),
    *("editor_key_seconds", "editor_decorate_seconds", "panel_stop_seconds", "panel_key_seconds", "command_seconds"),
    *("shutdown_seconds", "write_seconds", "provider_seconds", "op_seconds", "op_cancel_seconds"),
)
"""The limits on how long the host waits for an extension."""


BUSY_ONCE = 15.0
"""Seconds; see `busy_seconds`."""
DEFAULT_LIMITS = ExtensionLimits()
"""The limits of an extension whose settings name none."""
