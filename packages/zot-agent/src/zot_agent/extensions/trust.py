"""`Trust`: which of a project's extensions the user has allowed to run.

An extension of a project comes with a cloned repository and would run with all the rights of the user. An answer holds
for one folder in its current state: if the manifest or the program changes, the user is asked again. Files that the
program loads (modules, packages) are not checked.
"""

import hashlib
import json
import os
from typing import Any

from zot_agent.config.settings import read_json_object
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension
from zot_core.machine.replace_file import replace_file
from zot_core.regular_file import open_regular
from zot_provider.errors import ConfigError

TRUST_FILE = "trusted-extensions.json"
_CHUNK = 1 << 18


class Trust:
    """The answers in the home folder, in `trusted-extensions.json`: `{folder: {"sha256": ..., "allowed": "yes"|"no"}}`.

    There is one answer for each folder, identified by its real path. A missing or invalid file holds no answers. The
    file is read each time, because other processes may write it; the last writer wins, and a lost answer is asked
    again.
    """

    def __init__(self, home: str) -> None:
        self.path = os.path.join(home, TRUST_FILE)

    def decision(self, found: DiscoveredExtension) -> bool | None:
        """Return the answer for the extension in its current state; None if the user must be asked."""
        answer = self._read().get(os.path.realpath(found.directory))
        if not isinstance(answer, dict) or answer.get("allowed") not in ("yes", "no"):
            return None
        if answer.get("sha256") != fingerprint(found):
            return None
        return bool(answer["allowed"] == "yes")

    def remember(self, found: DiscoveredExtension, allowed: bool) -> None:  # noqa: FBT001  the answer to the question
        """Store an answer. Raises `ConfigError` if it cannot be written; nothing is changed then."""
        answers = self._read()
        answers[os.path.realpath(found.directory)] = {
            "sha256": fingerprint(found),
            "allowed": "yes" if allowed else "no",
        }
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            replace_file(self.path, json.dumps(answers, indent=2).encode() + b"\n", mode=0o600)
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror}") from error

    def _read(self) -> dict[str, Any]:
        try:
            return dict(read_json_object(self.path))
        except ConfigError:
            return {}


def fingerprint(found: DiscoveredExtension) -> str:
    """Return the SHA-256, in hexadecimal, of the manifest, the program, and the files that the arguments name.

    Only files that are in the folder or named relative to it count, so that an update of an installed interpreter asks
    no question. An unreadable file counts as unreadable.
    """
    whole = hashlib.sha256()
    for path in (os.path.join(found.directory, MANIFEST_FILE), *_own_files(found)):
        whole.update(_digest(path))
    return whole.hexdigest()


def _own_files(found: DiscoveredExtension) -> list[str]:
    """List the files of the extension that its command line names, in order."""
    folder = os.path.realpath(found.directory)
    words = list(found.manifest.args)
    if os.path.dirname(found.manifest.exec):  # a bare name is looked up on the PATH
        words.insert(0, found.manifest.exec)
    own = []
    for word in words:
        path = os.path.join(folder, word)
        if not os.path.isfile(path):  # also for a word that is not a valid path
            continue
        if not os.path.isabs(word) or os.path.realpath(path).startswith(folder + os.sep):
            own.append(path)
    return own


def _digest(path: str) -> bytes:
    """Return the digest of one file. Its fixed length keeps the files of a fingerprint apart."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", opener=open_regular) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return b"?" * digest.digest_size
    return digest.digest()
