"""`write_copy`: the rows of a run on this machine, where everything that reads session files finds them."""

import os
from contextlib import suppress

from zot_core.errors import SessionError
from zot_provider.files.private_folder import make_private

COPY = "session.jsonl"
"""Its name in the folder of a run."""


def write_copy(path: str, rows: bytes) -> None:
    """Replace the file at `path`. An earlier process that still writes there keeps a file without a name. Raises
    `SessionError`."""
    try:
        make_private(os.path.dirname(path))
        with suppress(FileNotFoundError):
            os.unlink(path)
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(rows)
    except OSError as error:
        raise SessionError(f"cannot write {path}: {error.strerror}; free some space") from error
