"""What is checked: a program with its arguments, or the directory of an extension with a manifest."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import zot_ext
from zot_ext.manifest import load_manifest
from zot_ext.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence


class Target(Record):
    """How an extension is started."""

    command: tuple[str, ...]
    """The program and its arguments; empty for an extension that has no program."""
    folder: str
    """Where it runs, absolute."""
    name: str = ""
    """As in the manifest; `""` when there is none."""


def find_target(given: str | os.PathLike[str] | Sequence[str]) -> Target:
    """Take the directory of an extension, or the program and its arguments. Raises `ManifestError`."""
    if not isinstance(given, (str, os.PathLike)):
        return Target(tuple(given), os.getcwd())
    folder = os.path.abspath(given)
    manifest = load_manifest(folder)
    if not manifest.exec.strip():
        return Target((), folder, manifest.name)
    program = manifest.exec
    # An absolute one stays as it is.
    program = os.path.join(folder, program) if os.path.dirname(program) else shutil.which(program) or program
    return Target((program, *manifest.args), folder, manifest.name)


def environment(folder: str) -> dict[str, str]:
    """The environment of a checked program: this process's, with `zot_ext` within reach of any Python as under zot.

    `folder` must exist; a link is made there, so that nothing but `zot_ext` comes into reach.
    """
    os.symlink(os.path.dirname(zot_ext.__file__), os.path.join(folder, "zot_ext"), target_is_directory=True)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    # One by one: another thread may take a variable away meanwhile, as pytest does.
    own = {name: value for name in os.environ if (value := os.environ.get(name)) is not None}
    return {**own, "ZOT_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([*paths, folder])}
