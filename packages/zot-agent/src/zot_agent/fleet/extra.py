"""The beginning and the end of a process that uses the extra."""

import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from zot_agent.event_loop import run_in_loop
from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError, ZotError


@contextmanager
def needs_extra() -> Iterator[None]:
    """A context for imports of the extra. Raises `ConfigError`."""
    try:
        yield
    except ImportError as error:
        raise ConfigError(
            f"fleets need more packages ({error.name} is missing): uv tool install 'zot-agent[fleet]'"
        ) from None


def run_and_leave(work: Coroutine[Any, Any, int], stopped: Callable[[], str] = lambda: "stopped") -> NoReturn:
    """Do `work` and end this process with its exit code; `stopped` says what Ctrl+C has stopped.

    Threads of Temporal's client may still call Python while that shuts down, which would abort the process, so it does
    not shut down."""
    try:
        code = run_in_loop(work)
    except ZotError as error:
        print_error(str(error))
        code = error.exit_code
    except KeyboardInterrupt:
        print_error(stopped())
        code = 130
    from zot_agent.fleet.traces import close_traces  # noqa: PLC0415  an extra

    close_traces()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
