"""The process of an extension: standard streams and signals."""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from zot_ext.runtime.runner import ExtensionRunner


def run(serve: Callable[[int, int, Callable[[ExtensionRunner], None]], bool]) -> None:
    """Serve over the standard streams; see `Extension.run`.

    `serve` takes the two descriptors and a function to call with the runner before it sends anything, and returns
    whether every handler has ended.
    """
    source, target = _take_streams()
    interactive = os.isatty(source)
    complete = serve(source, target, lambda runner: _handle_signals(runner, interactive=interactive))
    if not complete:
        # The interpreter would stop a running thread in the middle of its own clean-up, which can abort the process;
        # and a thread that never ends must not keep the process alive.
        sys.stderr.flush()
        os._exit(0)


def _take_streams() -> tuple[int, int]:
    """Move the wire to descriptors that no other code knows and no child inherits; leave harmless ones in place."""
    source, target = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    # Text that was printed but is still in Python's buffer is written through descriptor 1, so it goes to the log too.
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return source, target


def _handle_signals(runner: ExtensionRunner, *, interactive: bool) -> None:
    if threading.current_thread() is not threading.main_thread():
        return

    def end(_signal: int, _frame: object) -> None:
        if runner.finishing:
            os._exit(0)  # the last frames are stuck: nobody reads them
        runner.terminate()

    # Without it, a signal that arrives just before the main thread waits would be noticed too late.
    signal.set_wakeup_fd(runner.signal_descriptor(), warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, end)
    # A Ctrl+C meant for the host also reaches its extensions. Child processes do not inherit a function that does
    # nothing, but they would inherit SIG_IGN.
    signal.signal(signal.SIGINT, end if interactive else lambda _signal, _frame: None)
