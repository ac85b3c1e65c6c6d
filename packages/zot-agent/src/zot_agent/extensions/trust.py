"""`Trust`: which of a project's extensions the person has allowed to run.

An extension of a project comes with a repository that somebody cloned, and would run with all the rights of the person.
The answer is kept for one folder as it was when it was given: with another manifest or another program the person is
asked anew. Files that the program loads by itself (modules, packages) are not looked at.
"""

import hashlib
import json
import os
from typing import Any

from zot_agent.config.settings import read_json_object
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension
from zot_core.machine.replace_file import replace_file
from zot_provider.errors import ConfigError

TRUST_FILE = "trusted-extensions.json"
_CHUNK = 1 << 18


class Trust:
    """The answers in the home folder, in `trusted-extensions.json`: `{folder: {"sha256": ..., "allowed": "yes"|"no"}}`.

    The folder is the real path, and there is one answer for each. A file that is not there or cannot be understood
    holds no answers. It is read each time, as other processes may write it too; the last writer wins, and whoever lost
    is asked again.
    """

    def __init__(self, home: str) -> None:
        self.path = os.path.join(home, TRUST_FILE)

    def decision(self, found: DiscoveredExtension) -> bool | None:
        """What was said about the extension as it is now; None if it has to be asked."""
        answer = self._read().get(os.path.realpath(found.directory))
        if not isinstance(answer, dict) or answer.get("allowed") not in ("yes", "no"):
            return None
        if answer.get("sha256") != fingerprint(found):
            return None
        return bool(answer["allowed"] == "yes")

    def remember(self, found: DiscoveredExtension, allowed: bool) -> None:  # noqa: FBT001  the answer to the question
        """Keep an answer. Raises `ConfigError` if it cannot be written; nothing has changed then."""
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
    """SHA-256, in hexadecimal, over the manifest, the program, and those arguments that name files.

    Of the program and the arguments those count that are given relative to the folder or lie in it: an interpreter of
    the machine may be updated without a question. What cannot be read counts as such.
    """
    whole = hashlib.sha256()
    for path in (os.path.join(found.directory, MANIFEST_FILE), *_own_files(found)):
        whole.update(_digest(path))
    return whole.hexdigest()


def _own_files(found: DiscoveredExtension) -> list[str]:
    """The files that the command line of the extension names, in its order."""
    folder = os.path.realpath(found.directory)
    words = list(found.manifest.args)
    if os.path.dirname(found.manifest.exec):  # a bare name is looked for on the path instead
        words.insert(0, found.manifest.exec)
    own = []
    for word in words:
        path = os.path.join(folder, word)
        if not os.path.isfile(path):  # nor is a word that no path can hold
            continue
        if not os.path.isabs(word) or os.path.realpath(path).startswith(folder + os.sep):
            own.append(path)
    return own


def _digest(path: str) -> bytes:
    """Of one file, of a length that does not depend on it: what follows cannot be mistaken for a part of it."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return b"?" * digest.digest_size
    return digest.digest()
