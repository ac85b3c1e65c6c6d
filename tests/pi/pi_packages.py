"""`Package`: a package that zot, or pi itself, installs; what it needs of the registry is fetched once, before."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from command import Zot
from pi_zot import pi_environment
from waiting import INSTALLING


class Package:
    """A package, `npm:NAME` or a folder. It is in `folder` too, with all that it needs, and npm keeps that: who
    installs it then, with the variables `installer`, waits for no server."""

    def __init__(self, source: str, folder: Path, installer: Mapping[str, str]) -> None:
        self._source, self._folder = source, folder
        self._installer = dict(installer) | {"npm_config_prefer_offline": "true"}
        self._local = Path(source).is_dir()
        if self._local:
            shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            npm_install(folder, installer)
        else:
            folder.mkdir()
            npm_install(folder, installer, source.removeprefix("npm:"))

    def install(self, zot: Zot) -> None:
        """Install it in zot."""
        variables = pi_environment(zot.env) | self._installer
        done = zot.run("ext", "install", self._source, "--yes", env=variables, timeout=INSTALLING)
        assert done.code == 0, done.err

    def install_in_pi(self, pi: Path, zot: Zot) -> None:
        """Install it in the pi of this folder. zot installs what a folder needs, and pi uses the folder as it is."""
        variables = pi_environment(zot.env) | self._installer
        home = Path(variables["HOME"])
        npm = {"npm_config_userconfig": str(home / ".npmrc"), "npm_config_cache": str(home / ".npm")}
        source = str(self._folder) if self._local else self._source
        command = ("node", str(pi / "dist" / "cli.js"), "install", source)
        _run(command, zot.cwd, variables | npm | {"HOME": zot.env["HOME"]})  # pi keeps packages in its home


def npm_install(folder: Path, installer: Mapping[str, str], *packages: str) -> None:
    """Install packages in a folder, or what its `package.json` needs, with the variables `installer`."""
    words = (
        "--omit=dev",
        "--omit=peer",
        "--legacy-peer-deps",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--prefix",
    )
    _run(("npm", "install", *words, str(folder), *packages), folder, pi_environment(os.environ) | dict(installer))


def _run(command: tuple[str, ...], folder: Path, variables: Mapping[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=INSTALLING)
    assert done.returncode == 0, done.stderr
