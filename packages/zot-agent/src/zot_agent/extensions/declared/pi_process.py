"""`share_process`: extensions written for pi run in one process, called `pi`, unless something separates them."""

import os
from collections.abc import Collection, Sequence

from zot_agent.extensions.discover import DiscoveredExtension, Discovery
from zot_agent.pi.runtime import BRIDGE, FOLDER, NODE
from zot_ext.manifest import Manifest
from zot_ext.protocol.raw import RawObject

SHARED_NAME = "pi"


def share_process(discovery: Discovery, separate: object = ()) -> None:
    """Let the active extensions written for pi share a process; only their resources stay theirs.

    An extension whose manifest has permissions runs alone, and so do those in the list `separate`;
    True separates all.
    """
    alone: Collection[object] = separate if isinstance(separate, list | tuple) else ()
    together = [
        each
        for each in discovery.active()
        if each.pi and each.manifest.permissions is None and separate is not True and each.name not in alone
    ]
    if not together:
        return
    entries = list(dict.fromkeys(path for each in together for path in each.pi))
    discovery.found.append(
        DiscoveredExtension(
            SHARED_NAME,
            FOLDER,
            "bundled",
            Manifest(
                SHARED_NAME,
                exec=NODE,
                args=(BRIDGE, *entries),
                language="typescript",
                env=tuple(dict.fromkeys(name for each in together for name in each.manifest.env)),
                flags=tuple(flag for each in together for flag in each.manifest.flags),
                remember=all(each.manifest.remember for each in together),
                guards=_guards(together),
            ),
            reads=[*map(os.path.realpath, entries), *(os.path.realpath(each.directory) for each in together)],
            pi=entries,
            parts=together,
        )
    )
    for each in together:
        fields = {name: getattr(each.manifest, name) for name in Manifest.__fields__}
        each.manifest = Manifest(**fields | {"exec": "", "args": (), "flags": (), "guards": None})
        each.pi = ()


def _guards(together: Sequence[DiscoveredExtension]) -> RawObject | None:
    """Return what the manifests say about guards; of one event what blocks counts."""
    found: dict[str, dict[str, object]] = {}
    for each in together:
        for event, options in () if each.manifest.guards is None else each.manifest.guards.value.items():
            given = options if isinstance(options, dict) else {}
            found[event] = found.get(event, {}) | {name: value for name, value in given.items() if value == "block"}
    return RawObject.from_value(found) if found else None
