"""`Manifest`: the content of `extension.json`, read by the host and by tools for authors."""

from __future__ import annotations

import os

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.kinds import read_record
from zot_ext.protocol.permissions import ExtensionPermissions, check_permissions
from zot_ext.protocol.raw import parse_object
from zot_ext.record import Record
from zot_ext.regular_file import read_regular

MANIFEST_FILE = "extension.json"
MANIFEST_BYTES = 1 << 20
"""The most bytes of a manifest."""
THEME_FILES = ("theme.json", "themes/theme.json")
"""An extension with one of these files needs no program."""


class ManifestError(ValueError):
    """A manifest is invalid. The message is one line and names the field."""


class Manifest(Record):
    """The record in `extension.json`. Unknown fields are ignored; a `null` field counts as absent."""

    name: str
    """Identifies the extension; the name in its `hello` should be the same."""
    version: str = ""
    exec: str = ""
    """The program: an absolute path, a path with `/` relative to the directory of the manifest, or a name on the
    PATH. Empty for an extension that only has a theme or skills, which is never started."""
    args: tuple[str, ...] = ()
    """Arguments after `exec`."""
    language: str = ""
    """Information only: `go`, `python`, `typescript`, ..."""
    description: str = ""
    enabled: bool = True
    skills: tuple[str, ...] = ()
    """The skills of the extension, as paths relative to its directory."""
    env: tuple[str, ...] = ()
    """Environment variables with keys of model providers that the program needs; the host removes all others."""
    permissions: ExtensionPermissions | None = None
    """What the program may do; without the field it may do everything that its user may."""


def parse_manifest(text: str | bytes, *, has_theme: bool = False) -> Manifest:
    """Read the text of an `extension.json`; a byte order mark is tolerated.

    `has_theme`: one of `THEME_FILES` is beside the manifest. `exec` may be missing only then or if there are
    `skills`. Raises `ManifestError`.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            raise ManifestError(f"{MANIFEST_FILE}: not UTF-8 text") from None
    try:
        members = parse_object(text.removeprefix("\ufeff"))
        manifest = read_record(Manifest, {name: value for name, (value, _) in members.items()}, {}, "")
        if manifest.permissions is not None:
            check_permissions(manifest.permissions)
    except FrameError as error:
        raise ManifestError(f"{MANIFEST_FILE}: {error}") from None
    if not manifest.name.strip():
        raise ManifestError(f"{MANIFEST_FILE}: field 'name' is missing or empty")
    if not manifest.exec.strip() and not has_theme and not manifest.skills:
        raise ManifestError(
            f"{MANIFEST_FILE}: field 'exec' is missing or empty; only an extension "
            f"with {THEME_FILES[0]} or with skills needs no program"
        )
    return manifest


def load_manifest(directory: str | os.PathLike[str]) -> Manifest:
    """Read the manifest in `directory` and look for a theme beside it. Raises `ManifestError`."""
    try:
        text = read_regular(os.path.join(directory, MANIFEST_FILE), MANIFEST_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ManifestError(f"{MANIFEST_FILE}: cannot be read in {os.fspath(directory)!r}: {reason}") from None
    return parse_manifest(text, has_theme=has_theme(directory))


def has_theme(directory: str | os.PathLike[str]) -> bool:
    """Whether one of `THEME_FILES` is in `directory`."""
    return any(os.path.isfile(os.path.join(directory, *name.split("/"))) for name in THEME_FILES)
