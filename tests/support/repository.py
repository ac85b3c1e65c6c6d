"""`Repository`: a git repository of a person."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A git repository of a person, with one file in one commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("config", "user.name", "Pat")
        self.git("config", "user.email", "pat@example.org")
        self.commit("a.txt", "alpha\n")

    def git(self, *arguments: str, cwd: "str | Path" = "") -> str:
        """What a command prints."""
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.path, env=os.environ, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, name: str, text: str, cwd: "str | Path" = "") -> str:
        """Commit a file, and return the commit."""
        (Path(cwd or self.path) / name).write_text(text)
        self.git("add", "--all", cwd=cwd)
        self.git("commit", "--quiet", "-m", f"change {name}", cwd=cwd)
        return self.git("rev-parse", "HEAD", cwd=cwd)
