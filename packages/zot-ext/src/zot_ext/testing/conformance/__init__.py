"""`check`: holds a program, in whatever language, against the extension protocol, from outside."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.manifest import ManifestError
from zot_ext.testing.conformance.findings import RULES, Finding, Report, distinct, finding
from zot_ext.testing.conformance.runs import Conversations
from zot_ext.testing.conformance.target import environment, find_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zot_ext.limits import Limits

__all__ = ["RULES", "Finding", "Report", "check"]


def check(
    target: str | os.PathLike[str] | Sequence[str],
    *,
    limits: Limits = DEFAULT_LIMITS,
    calls: bool = True,
    environ: Mapping[str, str] | None = None,
) -> Report:
    """Drive an extension and report every rule of the protocol that it breaks. Never raises for what it does.

    `target` is the directory of an extension, or a program with its arguments, which runs in the working directory.
    The program is started about ten times. Its commands and tools are really run, with made-up arguments, and its
    interceptors and observers with made-up events, unless `calls` is false. It is told to keep its files in a folder
    that is deleted afterwards.

    `environ` is the whole environment of the program; by default that of this process, with `zot_ext` within reach.
    POSIX only: elsewhere the report says so.
    """
    try:
        found = find_target(target)
    except ManifestError as error:
        return Report("", (finding("bad-manifest", str(error)),))
    if os.name != "posix":
        return Report(found.name, (finding("cannot-start", "extensions are checked on POSIX systems only"),))
    if not found.command:
        return Report(found.name, (finding("no-program", "it brings only files, and is never started"),))
    with tempfile.TemporaryDirectory(prefix="zot-check-", ignore_cleanup_errors=True) as folder:
        modules, data = os.path.join(folder, "modules"), os.path.join(folder, "data")
        os.mkdir(modules)
        os.mkdir(data)
        there = environment(modules)
        talks = Conversations(found, limits, data, there if environ is None else environ, calls=calls)
        try:
            talks.run()
        finally:
            talks.close()
    known = talks.registered
    return Report(
        talks.name,
        distinct(talks.findings),
        tuple(known.commands),
        tuple(known.tools),
        known.events,
        known.intercepts,
    )
