"""`check`: verifies that a program in any language follows the extension protocol."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.manifest import ManifestError
from zot_ext.protocol.events import BUS
from zot_ext.protocol.flags import FLAG_TYPES, ExtensionFlag
from zot_ext.protocol.permissions import granted, may_intercept, may_observe
from zot_ext.testing.conformance.findings import RULES, CheckFinding, Report, distinct, finding
from zot_ext.testing.conformance.runs import CheckRuns
from zot_ext.testing.conformance.target import environment, find_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.permissions import ExtensionPermissions
    from zot_ext.testing.conformance.requests import Registered
    from zot_ext.testing.conformance.target import CheckTarget

__all__ = ["RULES", "CheckFinding", "Report", "check"]


def check(
    target: str | os.PathLike[str] | Sequence[str],
    *,
    limits: ExtensionLimits = DEFAULT_LIMITS,
    calls: bool = True,
    environ: Mapping[str, str] | None = None,
) -> Report:
    """Drive an extension and report every rule of the protocol that it breaks. Never raises for its behaviour.

    `target` is the directory of an extension, or a program with its arguments, which runs in the working directory.
    The program is started about ten times. Unless `calls` is false, its commands and tools are really run, with
    made-up arguments, and its interceptors and observers with made-up events. Its `data_dir` is a folder that is
    deleted afterwards.

    `environ` is the whole environment of the program, by default that of this process, with `zot_ext` importable.
    POSIX only: on other systems the report says so.
    """
    try:
        found = find_target(target, None if environ is None else environ.get("PATH"))
    except ManifestError as error:
        return Report("", (finding("bad-manifest", str(error)),))
    if os.name != "posix":
        return Report(found.name, (finding("cannot-start", "extensions are checked on POSIX systems only"),))
    missing = [*_resources(found.folder, found.resources)]
    if not found.command:
        return Report(found.name, (finding("no-program", "it has only files and is never started"), *missing))
    with tempfile.TemporaryDirectory(prefix="zot-check-", ignore_cleanup_errors=True) as folder:
        modules, data = os.path.join(folder, "modules"), os.path.join(folder, "data")
        os.mkdir(modules)
        os.mkdir(data)
        default = environment(modules)
        runs = CheckRuns(found, limits, data, default if environ is None else environ, calls=calls)
        try:
            runs.run()
        finally:
            runs.close()
    known = runs.registered
    return Report(
        runs.name,
        distinct(
            [
                *missing,
                *runs.findings,
                *_not_permitted(found.permissions, known),
                *_flags(found.flags, known),
                *_unnamed(found, known),
                *_unguarded(found.guards, known),
            ]
        ),
        tuple(known.commands),
        tuple(known.tools),
        known.events,
        known.intercepts,
        tuple(known.providers),
    )


def _unnamed(target: CheckTarget, known: Registered) -> Iterator[CheckFinding]:
    """Find providers that a host refuses because the manifest does not name them."""
    for name in known.providers:
        if target.providers is not None and name not in target.providers:
            yield finding(
                "unnamed-provider", f"hosts refuse the provider {name!r}: 'providers' in the manifest lacks it"
            )


def _unguarded(guards: Sequence[str], known: Registered) -> Iterator[CheckFinding]:
    """Find guards of the manifest that the program does not have."""
    for event in guards:
        if event not in known.intercepts:
            yield finding(
                "guard-not-there", f"'guards' in the manifest has {event!r}, which is not in subscribe.intercept"
            )


def _not_permitted(permissions: ExtensionPermissions, known: Registered) -> Iterator[CheckFinding]:
    """Find what a host refuses because the manifest does not ask for it."""
    refused = [name for name in known.events if not may_observe(permissions, name)]
    kinds = (
        ("commands", "the command", [name for name in known.commands if not granted(name, permissions.commands)]),
        ("tools", "the tool", [name for name in known.tools if not granted(name, permissions.tools)]),
        ("conversation", "the event", [name for name in refused if not name.startswith(BUS)]),
        ("calls", "the event", [name for name in refused if name.startswith(BUS)]),
        ("intercept", "to intercept", [name for name in known.intercepts if not may_intercept(permissions, name)]),
    )
    for permission, what, names in kinds:
        for name in names:
            text = f"hosts refuse {what} {name!r}: 'permissions.{permission}' in the manifest does not have it"
            yield finding("not-permitted", text)


def _resources(folder: str, resources: Mapping[str, Sequence[str]]) -> Iterator[CheckFinding]:
    """Find paths of the manifest that lead nowhere, or out of the folder."""
    root = os.path.realpath(folder)
    for field, path in ((field, path) for field, paths in resources.items() for path in paths):
        target = os.path.realpath(os.path.join(root, path))
        if not target.startswith(root + os.sep):
            yield finding("bad-resource", f"{field}: {path!r} is not in the folder of the extension")
        elif not os.path.exists(target):
            yield finding("bad-resource", f"{field}: {path!r} does not exist")


def _flags(manifest: tuple[ExtensionFlag, ...] | None, known: Registered) -> Iterator[CheckFinding]:
    """Find flags that the program reads and no command line can give."""
    there = {each.name: (each.type, each.value) for each in manifest or ()}
    for frame in known.flags if manifest is not None else ():
        read = ExtensionFlag(frame.name, frame.flag_type, frame.default)
        if frame.name not in there:
            yield finding("flag-not-in-manifest", f"no flag {frame.name!r} in the manifest; it can never be given")
        elif frame.flag_type in FLAG_TYPES and there[frame.name] != (read.type, read.value):
            kind, value = there[frame.name]
            text = (
                f"the flag {frame.name!r} is {read.type}, by default {read.value!r}; in the manifest {kind}, {value!r}"
            )
            yield finding("flag-not-in-manifest", text)
