"""A process that is an extension: its standard streams and signals, around `Extension.serve`."""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.extension import Extension
    from zot_ext.runtime.service import Service


def run(extension: Extension) -> None:
    """Serve over the standard streams; see `Extension.run`."""
    source, target = _taken_streams()
    by_hand = os.isatty(source)
    complete = extension.serve(source, target, started=lambda service: _handle_signals(service, by_hand=by_hand))
    if not complete:
        # A thread that still runs would be cut off in the middle of the interpreter's own clean-up,
        # which can abort the process; and one that never ends must not keep it.
        sys.stderr.flush()
        os._exit(0)


def _taken_streams() -> tuple[int, int]:
    """Move the wire to descriptors that nothing else knows and no child inherits; leave harmless ones."""
    source, target = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    # What has been printed and not yet written leaves through the same object, so it goes to the log too.
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return source, target


def _handle_signals(service: Service, *, by_hand: bool) -> None:
    if threading.current_thread() is not threading.main_thread():
        return

    def end(_signal: int, _frame: object) -> None:
        if service.finishing:
            os._exit(0)  # the last frames do not get out; nobody reads them
        service.terminate()

    # A signal that comes just before the main thread waits would be noticed too late.
    signal.set_wakeup_fd(service.wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, end)
    # A Ctrl+C meant for the host reaches its extensions as well. A function that does nothing is not
    # inherited by child processes, as SIG_IGN would be.
    signal.signal(signal.SIGINT, end if by_hand else lambda _signal, _frame: None)
