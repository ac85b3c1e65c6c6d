"""`FolderStore`: runs in a folder of one machine, for `zot fleet dev` and tests."""

import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from itertools import islice

from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.sessions.row_log.interface import RowLog
from zot_core.sessions.row_log.row_file import RowFile
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular
from zot_provider.files.replace_file import replace_file

_ATTEMPT_DIGITS = 20


class FolderStore:
    """A `FleetStore` of files: `runs/ID/session.jsonl` has the rows, `attempt` beside it the number of the attempt that
    may write, `submissions` a byte for each submission, and `blobs/HASH` contents. The kernel's lock of the rows keeps
    two attempts apart, so all workers must be on one machine."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)

    def create(self, id: str, rows: list[bytes]) -> bool:
        path = self._path(id)
        temporary = f"{path}.{os.urandom(6).hex()}"
        try:
            make_private(os.path.dirname(path))
            replace_file(temporary, b"".join(rows), mode=0o600)
            try:
                os.link(temporary, path)
            finally:
                os.unlink(temporary)
        except FileExistsError:
            return False
        except OSError as error:
            raise SessionError(f"cannot write {path}: {error.strerror}") from error
        return True

    def submit(self, id: str) -> int:
        self.read(id, 1)
        with SessionError.of_system(f"cannot write {os.path.dirname(self._path(id))}"):
            os.utime(self._path(id))
            with open(os.path.join(os.path.dirname(self._path(id)), "submissions"), "ab") as file:
                file.write(b".")
                file.flush()
                return file.tell()

    def read(self, id: str, first: int = 0) -> bytes:
        try:
            with open(self._path(id), "rb", opener=open_regular) as file:
                return b"".join(islice(file, first)) if first else file.read()
        except FileNotFoundError:
            raise SessionNotFound(f"no run {id} in {self.folder}") from None
        except OSError as error:
            raise SessionError(f"cannot read {self._path(id)}: {error.strerror}") from error

    def open(self, id: str, attempt: int, folder: str) -> tuple[str, RowLog]:
        """See `FleetStore`. The file is the one with the rows, so `folder` stays empty."""
        self.read(id, 1)
        path = self._path(id)
        return path, _AttemptFile(path, os.path.join(os.path.dirname(path), "attempt"), attempt)

    def names(self) -> list[str]:
        return [name for _, name in sorted(self._changed(), reverse=True)]

    def _changed(self) -> list[tuple[float, str]]:
        root, found = os.path.join(self.folder, "runs"), []
        with suppress(FileNotFoundError):
            for name in os.listdir(root):
                with suppress(FileNotFoundError):  # being made, or removed
                    found.append((os.stat(self._path(name)).st_mtime, name))
        return [each for each in found if not each[1].startswith(".")]

    def submissions(self, id: str) -> int:
        self.read(id, 1)
        try:
            return os.stat(os.path.join(os.path.dirname(self._path(id)), "submissions")).st_size
        except FileNotFoundError:
            return 0

    def unchanged(self, seconds: float) -> list[str]:
        before = time.time() - seconds
        return [name for changed, name in self._changed() if changed < before]

    def remove(self, id: str, submission: int) -> bool:
        folder = os.path.dirname(self._path(id))
        gone = os.path.join(self.folder, "runs", f".{os.urandom(6).hex()}")
        try:
            os.rename(folder, gone)  # from now on it cannot be submitted
            size = 0
            with suppress(FileNotFoundError):
                size = os.stat(os.path.join(gone, "submissions")).st_size
            if size > submission:
                os.rename(gone, folder)
                return False
            shutil.rmtree(gone)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SessionError(f"cannot remove {folder}: {error.strerror}") from error
        return True

    def put(self, id: str, data: bytes) -> str:
        self.read(id, 1)
        hash, folder = hashlib.sha256(data).hexdigest(), os.path.join(os.path.dirname(self._path(id)), "blobs")
        with SessionError.of_system(f"cannot write {folder}"):
            make_private(folder)
            replace_file(os.path.join(folder, hash), data, mode=0o600)
        return hash

    def get(self, id: str, hash: str) -> bytes:
        try:
            if not re.fullmatch(r"[0-9a-f]{64}", hash):
                raise FileNotFoundError
            with open(os.path.join(os.path.dirname(self._path(id)), "blobs", hash), "rb") as file:
                return file.read()
        except FileNotFoundError:
            raise SessionNotFound(f"no content {hash[:64]} of the run {id} in {self.folder}") from None

    def close(self) -> None:
        """See `FleetStore`."""

    def _path(self, id: str) -> str:
        return os.path.join(self.folder, "runs", id, "session.jsonl")


class _AttemptFile(RowFile):
    """Rows that the newest attempt may write, once the process of the one before has let them go."""

    def __init__(self, path: str, numbers: str, attempt: int) -> None:
        super().__init__(path)
        self._numbers, self._attempt = numbers, attempt

    def resume(self, size: int, *, torn: bool) -> None:
        super().resume(size, torn=torn)
        try:
            with suppress(FileNotFoundError), open(self._numbers, "rb") as file:
                if int(file.read(_ATTEMPT_DIGITS) or b"0") >= self._attempt:
                    raise SessionLocked(f"another worker has taken up the run in {self.path}")
            replace_file(self._numbers, b"%d" % self._attempt, mode=0o600)
        except OSError as error:
            self.close()
            raise SessionError(f"cannot write {self._numbers}: {error.strerror}") from error
        except (SessionError, ValueError):
            self.close()
            raise
