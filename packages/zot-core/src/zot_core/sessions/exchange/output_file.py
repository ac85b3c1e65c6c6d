"""`output_file`: a new file for a person, which is complete or not there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from zot_core.errors import SessionError, UnusableFile


@contextmanager
def output_file(path: str) -> Iterator[BinaryIO]:
    """Create a file that only its owner can read, to be written in the block. If the block fails, it is removed.

    Raises `UnusableFile` if the path exists or the file cannot be made, `SessionError` if it cannot be written.
    """
    try:
        file = open(path, "xb", opener=lambda path, flags: os.open(path, flags, 0o600))  # noqa: SIM115  closed below
    except FileExistsError:
        raise UnusableFile(f"{path} exists already; choose another name") from None
    except OSError as error:
        raise UnusableFile(f"cannot write {path}: {error.strerror}") from error
    try:
        with file:
            yield file
    except OSError as error:
        os.unlink(path)
        raise SessionError(f"cannot write {path}: {error.strerror}") from error
    except BaseException:
        os.unlink(path)
        raise
