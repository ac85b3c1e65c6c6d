"""The target of a check: a program with its arguments, or the directory of an extension with a manifest."""

from __future__ import annotations

import os
import shutil
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

import zot_ext
from zot_ext.manifest import load_manifest
from zot_ext.protocol.permissions import EVERYTHING, ExtensionPermissions
from zot_ext.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zot_ext.manifest import Manifest
    from zot_ext.protocol.flags import ExtensionFlag


class CheckTarget(Record):
    """The start of an extension: its command, its folder, its name."""

    command: tuple[str, ...]
    """The program and its arguments; empty for an extension without a program."""
    folder: str
    """Its working directory, absolute."""
    name: str = ""
    """The name in the manifest; `""` without a manifest."""
    permissions: ExtensionPermissions = EVERYTHING
    """The permissions that the manifest asks for."""
    flags: tuple[ExtensionFlag, ...] | None = None
    """The flags in the manifest; None without a manifest."""
    providers: tuple[str, ...] | None = None
    """The providers that the manifest names; `None` without a manifest."""
    guards: tuple[str, ...] = ()
    """The events that the manifest declares as guarded."""
    remember: bool = False
    """Whether the manifest wants the registrations to be remembered."""
    resources: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The paths of skills, prompts and themes in the manifest."""


def find_target(given: str | os.PathLike[str] | Sequence[str], path: str | None = None) -> CheckTarget:
    """Take the directory of an extension, or the program and its arguments; `path` is the PATH of the program. Raises
    `ManifestError`."""
    if not isinstance(given, (str, os.PathLike)):
        return CheckTarget(tuple(given), os.getcwd())
    folder = os.path.abspath(given)
    manifest = load_manifest(folder)
    if not manifest.exec.strip():
        return CheckTarget((), folder, manifest.name, resources=_resources(manifest))
    program = manifest.exec
    # `join` leaves an absolute path as it is.
    program = os.path.join(folder, program) if os.path.dirname(program) else shutil.which(program, path=path) or program
    permissions = manifest.permissions or EVERYTHING
    providers = tuple(manifest.providers.value) if manifest.providers is not None else ()
    argv = (program, *manifest.args)
    guards = tuple(manifest.guards.value) if manifest.guards is not None else ()
    remember, resources = manifest.remember, _resources(manifest)
    return CheckTarget(argv, folder, manifest.name, permissions, manifest.flags, providers, guards, remember, resources)


def _resources(manifest: Manifest) -> dict[str, Sequence[str]]:
    return {"skills": manifest.skills, "prompts": manifest.prompts, "themes": manifest.themes}


def environment(folder: str) -> dict[str, str]:
    """Return the environment of this process for a checked program, with `zot_ext` importable by any Python, as in zot.

    `folder` must exist; it gets a link to `zot_ext`, so that no other package becomes importable.
    """
    os.symlink(os.path.dirname(zot_ext.__file__), os.path.join(folder, "zot_ext"), target_is_directory=True)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    # One by one: another thread may delete a variable meanwhile, as pytest does.
    own = {name: value for name in os.environ if (value := os.environ.get(name)) is not None}
    return {**own, "ZOT_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([*paths, folder])}
