"""`watch_loop`: reports what holds the event loop in debug runs, with the stack."""

import asyncio
import logging
import sys
import threading
import time
import traceback
import weakref

LIMIT = 0.1
"""Seconds. Nothing may hold the loop that long: keys and output would wait."""

_FRAMES = 12
"""The most frames of a report: the innermost ones."""

_log = logging.getLogger("zot_agent")
_watched: "weakref.WeakSet[asyncio.AbstractEventLoop]" = weakref.WeakSet()


def watch_loop(limit: float = LIMIT) -> None:
    """Watch the running loop until it is closed, from a thread. Does nothing if it is watched already.

    Whatever holds it for more than `limit` seconds is reported once: in the log, or with `python -X dev` on standard
    error.
    """
    loop = asyncio.get_running_loop()
    if loop not in _watched:
        _watched.add(loop)
        arguments = (loop, threading.get_ident(), limit)
        threading.Thread(target=_watch, args=arguments, name="loop watch", daemon=True).start()


def _watch(loop: asyncio.AbstractEventLoop, thread: int, limit: float) -> None:
    while not loop.is_closed():
        answered = threading.Event()
        try:
            loop.call_soon_threadsafe(answered.set)
        except RuntimeError:  # closed
            return
        if not answered.wait(limit) and loop.is_running():
            _report(thread, limit)
        while not answered.wait(limit) and not loop.is_closed():
            pass
        time.sleep(limit / 5)


def _report(thread: int, limit: float) -> None:
    frame = sys._current_frames().get(thread)
    stack = "".join(traceback.format_stack(frame)[-_FRAMES:])
    text = f"the event loop was held for over {limit * 1000:.0f} ms by\n{stack}"
    _log.warning("%s", text.rstrip())
    if sys.flags.dev_mode:
        sys.stderr.write(f"zot: {text}")
