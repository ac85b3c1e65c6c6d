"""Entry point of the `zot` command. It imports only `sys`, so that `zot --version` costs a bare interpreter."""

import sys


def main() -> int:
    """Run `zot` with the arguments of this process and return the exit code."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_descriptors()
    failure = ""
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # before there is a turn to stop
        return 130
    except BrokenPipeError:
        code = 0
    except OSError as error:  # from standard output; `run` reports every other one
        code, failure = 1, error.strerror or str(error)
    return _flush(code, failure)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-v"], ["version"]):
        from zot_agent.version import __version__  # noqa: PLC0415  see the module's docstring

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    if sys.getfilesystemencoding() != "utf-8":
        _run_in_utf_8()
    if any(not argument.isprintable() for argument in arguments):
        arguments = _as_typed(arguments)
    import gc  # noqa: PLC0415  see the module's docstring

    # A first request creates 40,000 objects, of which nearly all stay; looking for garbage among them takes 5 % of
    # start-up.
    gc.set_threshold(100_000, 20, 20)
    from zot_agent.deferred_modules import defer_modules  # noqa: PLC0415  see the module's docstring

    defer_modules()
    from zot_agent.module_finder import find_own_modules  # noqa: PLC0415  see the module's docstring

    find_own_modules()
    from zot_agent.standard_output import watch_standard_output  # noqa: PLC0415  see the module's docstring

    watch_standard_output()
    from zot_agent.cli.main import run  # noqa: PLC0415  see the module's docstring

    code = run(arguments)
    gc.freeze()  # else the interpreter looks for garbage three times when it ends
    return code


def _run_in_utf_8() -> None:
    """Begin again in the UTF-8 mode of Python: in a locale of another encoding, text for commands, names of files and
    output could only have its characters."""
    import os  # noqa: PLC0415  see the module's docstring

    mode = ["-X", "utf8"]
    if sys.executable and sys.orig_argv[1:3] != mode:  # else it was of no use, as before `-X utf8=0`
        os.execv(sys.executable, [sys.executable, *mode, *sys.orig_argv[1:]])


def _as_typed(arguments: list[str]) -> list[str]:
    """Return the arguments as they were typed in the encoding of the locale, names of existing files as they are."""
    import locale  # noqa: PLC0415  see the module's docstring
    import os  # noqa: PLC0415  see the module's docstring

    def typed(argument: str) -> str:
        data = os.fsencode(argument)
        if data == argument.encode("utf-8", "replace") or os.path.exists(argument.removeprefix("@")):
            return argument
        try:
            return data.decode(locale.getencoding())
        except (LookupError, UnicodeDecodeError):
            return argument

    return [typed(argument) for argument in arguments]


def _flush(code: int, failure: str) -> int:
    """Flush the standard streams and return the exit code; a reader that has closed its end does not change it.
    `failure` says why an earlier write to standard output failed, and is empty if none has."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard(1)
        if not isinstance(error, BrokenPipeError):
            failure = failure or error.strerror or str(error)
    if failure:
        code = code or 1
        _write_stderr(f"zot: cannot write to standard output: {failure}\n")
    try:
        sys.stderr.flush()
    except OSError:
        _discard(2)
    return code


def _write_stderr(line: str) -> None:
    try:
        sys.stderr.write(line)
    except OSError:
        return


def _discard(stream: int) -> None:
    """Redirect a descriptor to the null device: the interpreter flushes again when it exits, and would fail."""
    import os  # noqa: PLC0415  see the module's docstring

    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _fill_descriptors() -> None:
    """Open the null device for each closed standard stream. Otherwise the next file that is opened, perhaps a session,
    would get the descriptor of that stream and everything printed to it."""
    import os  # noqa: PLC0415  see the module's docstring

    number = 0
    while number < 3:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
