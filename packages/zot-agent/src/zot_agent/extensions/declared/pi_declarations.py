"""Declarations in the code of extensions for pi: flags of the command line, and providers of models.

The bridge loads them without zot and says so (`--describe`). The answer is kept until a file of theirs changes, so that
nothing is started for it the next time.
"""

import json
import os
import subprocess
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.launch import LaunchError
from zot_agent.extensions.python.environment import launch_of
from zot_ext.manifest import Manifest
from zot_ext.protocol.flags import FLAG_TYPES, ExtensionFlag, flag_type, name_problem
from zot_ext.protocol.raw import RawObject
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.files.sha256 import sha256_hex
from zot_provider.record import Record

_SECONDS = 20.0
"""How long the bridge may take."""
_LARGEST = 1 << 20
_PROVIDERS, _FLAGS = b"registerProvider", b"registerFlag"


class DescribeOptions(Record):
    """`home` is zot's own folder, `removed` the variables that programs do not get. Unless `flags` are wanted, only
    providers are."""

    home: str
    removed: Collection[str] = ()
    flags: bool = False


def add_described(active: Iterable[DiscoveredExtension], options: DescribeOptions) -> None:
    """Add the flags and the providers that extensions name in their code to their manifests. The code of an extension
    that may not do everything does not run for it."""
    for found in active:
        texts = {path: _text(path) for path in found.pi}
        wanted = (_PROVIDERS, *((_FLAGS,) if options.flags else ()))
        if found.manifest.permissions is not None or not any(
            word in text for text in texts.values() for word in wanted
        ):
            continue
        described = _described(found, sha256_hex(b"\0".join(texts.values())), options)
        fields = {name: getattr(found.manifest, name) for name in Manifest.__fields__}
        fields["flags"] = tuple({flag.name: flag for flag in _flags(described)}.values())
        if names := [name for each in described for name in each.get("providers", {})]:
            fields["providers"] = RawObject.from_value({name: {} for name in names})
        found.manifest = Manifest(**fields)


def _text(path: str) -> bytes:
    try:
        return read_regular(path, _LARGEST)
    except OSError:
        return b""


def _described(found: DiscoveredExtension, digest: str, options: DescribeOptions) -> list[dict[str, Any]]:
    path = os.path.join(options.home, "remembered", f"pi-{sha256_hex(' '.join(found.pi).encode())[:32]}.json")
    with suppress(OSError, ValueError):
        kept = json.loads(read_regular(path, _LARGEST))
        if kept["digest"] == digest:
            return list(kept["extensions"])
    try:
        launch = launch_of(found, options.home, options.removed)
        words = [*launch.argv[:2], "--describe", *launch.argv[2:]]
        done = subprocess.run(
            words, cwd=launch.cwd, env=launch.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False,
        )  # fmt: skip
        extensions = [each for each in json.loads(done.stdout)["extensions"] if isinstance(each, dict)]
        make_private(os.path.dirname(path))
        replace_file(path, json.dumps({"digest": digest, "extensions": extensions}).encode(), mode=0o600)
    except (LaunchError, OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError):
        return []  # the process says what is wrong when it starts
    return extensions


def _flags(described: Iterable[Mapping[str, Any]]) -> Iterable[ExtensionFlag]:
    for each in (flag for extension in described for flag in extension.get("flags", ())):
        name, kind, default = str(each.get("name")), each.get("type"), each.get("default")
        if not name_problem(name) and kind in FLAG_TYPES:
            text = " ".join(str(each.get("description") or "").split())[:200]
            yield ExtensionFlag(name, str(kind), default if flag_type(default) == kind else None, text)
