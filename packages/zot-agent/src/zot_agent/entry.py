"""Where the `zot` command starts. It imports nothing but `sys`, so that `zot --version` costs a bare interpreter."""

import sys


def main() -> int:
    """Run `zot` with the arguments of this process; the exit code."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_descriptors()
    failure = ""
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # before there is a turn to stop
        return 130
    except BrokenPipeError:
        code = 0
    except OSError as error:  # of standard output; `run` tells of any other
        code, failure = 1, error.strerror or str(error)
    return _flushed(code, failure)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-v"], ["version"]):
        from zot_agent.version import __version__  # noqa: PLC0415  see the module's docstring

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    import gc  # noqa: PLC0415  see the module's docstring

    # Loading makes a hundred thousand objects that stay: looking for garbage among them takes a twentieth of the time.
    gc.set_threshold(20_000, 20, 20)
    from zot_agent.standard_output import watch_standard_output  # noqa: PLC0415  see the module's docstring

    watch_standard_output()
    from zot_agent.cli.main import run  # noqa: PLC0415  see the module's docstring

    return run(arguments)


def _flushed(code: int, failure: str) -> int:
    """The exit code, once the standard streams have taken what was written: still `code` if their reader has gone.
    `failure` is why standard output takes no more, empty if it may yet."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard(1)
        if not isinstance(error, BrokenPipeError):
            failure = failure or error.strerror or str(error)
    if failure:
        code = code or 1
        _tell(f"zot: cannot write to standard output: {failure}\n")
    try:
        sys.stderr.flush()
    except OSError:
        _discard(2)
    return code


def _tell(line: str) -> None:
    try:
        sys.stderr.write(line)
    except OSError:
        return


def _discard(stream: int) -> None:
    """Have what cannot be written go nowhere: the interpreter flushes once more as it ends, and would fail."""
    import os  # noqa: PLC0415  see the module's docstring

    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _fill_descriptors() -> None:
    """Put the null device in the place of standard streams that are closed. Otherwise the next file that is opened, a
    session perhaps, would get their number, and what is printed."""
    import os  # noqa: PLC0415  see the module's docstring

    number = 0
    while number < 3:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
