"""Runs npm for the modules of the bridge and for packages of extensions, so that no code of a package runs."""

import json
import os
import shutil
from collections.abc import Sequence

from zot_agent.installers import run_installer
from zot_agent.pi.runtime import FOLDER, LOCK_FILES, PiRuntimeError
from zot_provider.record import Record

_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error")
_NOISE = ("npm warn", "npm error A complete log", "npm notice")


class NpmLimits(Record):
    seconds: float = 600.0


def install_modules(home: str, limits: NpmLimits | None = None) -> str:
    """Fetch the modules of the bridge into zot's own folder, exactly as the lock file of this zot says; return the
    folder. Raises `PiRuntimeError` and `InstallError`; what was there before is kept then."""
    folder = os.path.join(home, "pi")
    staged = os.path.join(home, f".pi-{os.getpid()}")
    try:
        os.makedirs(staged, mode=0o700)
        for name in LOCK_FILES:
            shutil.copyfile(os.path.join(FOLDER, name), os.path.join(staged, name))
        _run(["ci", "--omit=dev", *_QUIET], staged, limits or NpmLimits(), "the modules of the bridge")
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(staged, folder)
    except OSError as error:
        raise PiRuntimeError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return folder


def install_package(spec: str, folder: str, limits: NpmLimits | None = None) -> str:
    """Install the npm package `spec` (`NAME` or `NAME@VERSION`) in a new folder; return the path of the package below
    it. Raises `PiRuntimeError` and `InstallError`."""
    try:
        os.makedirs(folder)
        with open(os.path.join(folder, "package.json"), "w") as file:
            json.dump({"private": True}, file)
    except OSError as error:
        raise PiRuntimeError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    words = ["install", "--omit=dev", "--legacy-peer-deps", *_QUIET, "--", spec]
    _run(words, folder, limits or NpmLimits(), spec)
    try:
        with open(os.path.join(folder, "package.json")) as file:
            names = list(json.load(file)["dependencies"])
    except (OSError, ValueError, KeyError) as error:
        raise PiRuntimeError(f"npm has not installed {spec}") from error
    return "/".join(("node_modules", names[0]))


def install_dependencies(folder: str, limits: NpmLimits | None = None) -> None:
    """Install what the `package.json` in a folder needs. Raises `PiRuntimeError` and `InstallError`."""
    words = ["install", "--omit=dev", "--legacy-peer-deps", *_QUIET]
    _run(words, folder, limits or NpmLimits(), f"the packages that {folder} needs")


def _run(words: Sequence[str], folder: str, limits: NpmLimits, what: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise PiRuntimeError(
            "npm is not on the PATH; install Node 22.19 or newer, which brings it, from https://nodejs.org"
        )
    run_installer([npm, *words], folder, limits.seconds, f"cannot install {what}", noise=_NOISE)
