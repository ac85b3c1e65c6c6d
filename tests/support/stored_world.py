"""`StoredWorld`: a home and a project of somebody who used an earlier zot, always at the same path.

Files that zot stores name the folders that they belong to. Bubblewrap shows a folder of this machine as `AT`, so the
bytes that a version has written are read as they are.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from waiting import PATIENCE

AT = "/mnt/zot"
HOME, PROJECT = f"{AT}/state", f"{AT}/project"


class StoredWorld:
    """Runs zot in the folder `folder`, with the variables `variables`."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        for name in ("home", "project", "state"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self._env = {
            "PATH": os.pathsep.join([os.path.dirname(os.path.realpath(sys.executable)), os.environ["PATH"]]),
            "LANG": "C.UTF-8",
            "HOME": f"{AT}/home",
            "ZOT_HOME": HOME,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "GIT_CONFIG_GLOBAL": os.devnull,
            **variables,
        }

    def zot(self, *words: str, stdin: str = "", code: int = 0) -> str:
        """The output of zot, which ends with `code`."""
        return self.python("-m", "zot_agent", *words, stdin=stdin, code=code)

    def python(self, *words: str, stdin: str = "", code: int = 0) -> str:
        """The same of this Python."""
        seen: Sequence[str] = ("--dev-bind", "/", "/", "--tmpfs", "/mnt", "--dir", AT, "--bind", str(self.folder), AT)
        done = subprocess.run(
            ["bwrap", *seen, "--chdir", PROJECT, sys.executable, *words],
            env=self._env, input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == code, f"{words}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout + done.stderr
