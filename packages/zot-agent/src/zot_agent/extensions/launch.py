"""The command line and environment of the process of an extension."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Container, Mapping, Sequence

import zot_ext
from zot_ext.manifest import Manifest
from zot_provider.errors import ZotError

SDK_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sdk")
"""Contains only a `zot_ext`, which loads the one installed in the importing interpreter, or else the one of this
zot."""


class LaunchError(ZotError):
    """An extension cannot be started. The message, one line, names the extension and its `exec`, and says what to
    do."""


def command(manifest: Manifest, directory: str, programs: str = "") -> list[str]:
    """Return the program, as an absolute path, and its arguments, for the extension in the folder `directory`.

    An absolute `exec` is used unchanged; a path with a separator is relative to the extension's folder; any other name
    is looked up in the folder `programs`, if there is one, and on the PATH. Raises `LaunchError`.
    """
    program = manifest.exec
    if not program.strip():
        raise _error(manifest, "names no program; set 'exec' in its extension.json")
    if "\0" in "".join((program, *manifest.args)):
        raise _error(manifest, "has a NUL character; remove it from 'exec' and 'args' in its extension.json")
    if os.path.isabs(program):
        path = program
    elif program in (".", "..") or any(separator in program for separator in (os.sep, os.altsep) if separator):
        path = os.path.abspath(os.path.join(directory, program))
    else:
        found = (shutil.which(program, path=programs) if programs else None) or shutil.which(program)
        if found is None:
            raise _error(
                manifest, "is not on the PATH; install it, or write ./ before a program of the extension's own"
            )
        # An entry of the PATH may be relative to the working directory of zot, which the extension does not share.
        return [os.path.abspath(found), *manifest.args]
    _check_program(manifest, path)
    return [path, *manifest.args]


def outside_program(manifest: Manifest, directory: str) -> str:
    """Return the program that a relative `exec` names outside the folder `directory`, by `..` or through a link;
    otherwise empty."""
    program = manifest.exec
    if not program.strip() or "\0" in program or os.path.isabs(program) or os.path.basename(program) == program:
        return ""
    path, folder = os.path.realpath(os.path.join(directory, program)), os.path.realpath(directory)
    return "" if os.path.commonpath([folder, path]) == folder else path


def environment(base: Mapping[str, str] | None = None, removed: Container[str] = ()) -> dict[str, str]:
    """Return `base` (by default the environment of this process) without the variables `removed`, and with those for
    extensions in Python.

    `ZOT_PYTHON` is an interpreter with `zot_ext`. `PYTHONPATH` ends in `SDK_FOLDER`, so that other interpreters find
    `zot_ext` too; if they have their own, that one is used. `ZOT_EXT_PATH` is the folder of zot's own `zot_ext`.
    """
    base = os.environ if base is None else base
    path = [entry for entry in base.get("PYTHONPATH", "").split(os.pathsep) if entry and entry != SDK_FOLDER]
    return {
        **{name: value for name, value in base.items() if name not in removed},
        "ZOT_PYTHON": sys.executable,
        "ZOT_EXT_PATH": os.path.dirname(os.path.abspath(zot_ext.__file__)),
        "PYTHONPATH": os.pathsep.join([*path, SDK_FOLDER]),
    }


def launch_failure(name: str, argv: Sequence[str], directory: str, error: Exception) -> LaunchError:
    """Return the error to show when the system could not start `argv`."""
    program = argv[0] if argv else ""
    if not os.path.isdir(directory):
        why = f"its folder {directory} is gone"
    elif isinstance(error, FileNotFoundError) and os.path.exists(program):
        why = "the interpreter in its first line (#!) is missing; install it, or change that line"
    elif isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        why = "the system does not know how to run it; give it a first line such as #!/usr/bin/env python3"
    else:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
    return LaunchError(f"extension {name!r}: {program!r} cannot be started: {why}")


def _check_program(manifest: Manifest, path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            raise _error(manifest, f"is not there: {path}; does the extension have to be built?") from None
        raise _error(manifest, f"cannot be used: {path}: {error.strerror}") from None
    if stat.S_ISDIR(mode):
        raise _error(manifest, f"is a folder: {path}; name the program in it")
    if not os.access(path, os.X_OK):
        raise _error(manifest, f"is not executable; run: chmod +x {path}")


def _error(manifest: Manifest, text: str) -> LaunchError:
    return LaunchError(f"extension {manifest.name!r}: exec {manifest.exec!r} {text}")
