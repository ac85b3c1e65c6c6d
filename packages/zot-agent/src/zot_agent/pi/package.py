"""`read_pi_package`: the manifest of an extension written for pi, from its `package.json` or from its files alone.

A package names its parts in the member `pi` (or `atomic`) of `package.json`:

```json
{"name": "my-tools", "pi": {"extensions": ["./src/index.ts"], "skills": ["./skills"], "prompts": ["./prompts"]}}
```

Without that member the folders `extensions`, `skills`, `prompts` and `themes` count if it has the keyword `pi-package`.
Source: docs/packages.md of the npm package `@earendil-works/pi-coding-agent`.
"""

import glob
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

from zot_ext.manifest import Manifest, ManifestError
from zot_provider.files.regular_file import read_regular
from zot_provider.record import Record

PACKAGE_FILE = "package.json"
SUFFIXES = (".ts", ".mts", ".js", ".mjs")
"""How the names of files of extensions end."""

_MAX_BYTES = 1 << 20
_MEMBERS = ("pi", "atomic")
_KEYWORDS = ("pi-package", "atomic-package")
_KINDS = ("extensions", "skills", "prompts", "themes")
_MOST_FILES = 500


class PiPackage(Record):
    """An extension that zot runs with its bridge. `entries` are the files of its extensions, absolute; the resources in
    `manifest` are relative to its folder. A package without entries only brings resources."""

    manifest: Manifest
    entries: tuple[str, ...]


class _Parts(Record):
    """Absolute paths of files of extensions, and of skills, prompt templates and themes."""

    extensions: Sequence[str] = ()
    skills: Sequence[str] = ()
    prompts: Sequence[str] = ()
    themes: Sequence[str] = ()


def is_pi_file(path: str) -> bool:
    """Whether a path names a file that can be an extension written for pi."""
    return path.endswith(SUFFIXES) and not path.endswith(".d.ts") and os.path.isfile(path)


def read_pi_package(path: str, manifest: Manifest | None = None, *, bare: bool = False) -> PiPackage | None:
    """Read the extension at `path`, a file or a folder; None if it is not written for pi. With the `manifest` of an
    `extension.json` its field `pi` says what runs. With `bare`, for a folder that the person names, an `index.ts` or
    the usual folders are enough. Raises `ManifestError`."""
    if manifest is not None:
        return _completed(path, manifest) if manifest.pi else None
    if os.path.isfile(path):
        return PiPackage(Manifest(_stem(path), language="typescript", remember=True), (path,))
    package = _read(path)
    parts = _of_named(path, package) if bare else _parts(path, package)
    if parts is None or not (bare or _says(package)):
        return None
    return _with_resources(path, _manifest_of(package, os.path.basename(path)), [parts])


def read_pi_folder(folder: str, name: str) -> PiPackage | None:
    """Read a folder of pi's own, such as `~/.pi/agent`, with extensions, skills, prompts and themes; None if it has
    none of them."""
    parts = _in_folders(folder)
    if not any(getattr(parts, kind) for kind in _KINDS):
        return None
    return _with_resources(folder, Manifest(name, language="typescript", remember=True), [parts])


def _completed(directory: str, manifest: Manifest) -> PiPackage:
    found = []
    for word in manifest.pi:
        path = os.path.normpath(os.path.join(directory, word))
        if is_pi_file(path):
            found.append(_Parts([path]))
        elif not os.path.isdir(path):
            raise ManifestError(f"extension.json: field 'pi': there is no {word} in the folder")
        else:
            found.append(_of_named(path, _read(path)) or _Parts(_extensions_in(path)))
    return _with_resources(directory, manifest, found)


def _with_resources(directory: str, manifest: Manifest, found: Sequence[_Parts]) -> PiPackage:
    fields = {name: getattr(manifest, name) for name in Manifest.__fields__}
    for kind in ("skills", "prompts", "themes"):
        paths = [os.path.relpath(path, directory) for parts in found for path in getattr(parts, kind)]
        fields[kind] = (*fields[kind], *paths)
    entries = tuple(dict.fromkeys(path for parts in found for path in parts.extensions))
    return PiPackage(Manifest(**fields), entries)


def _read(directory: str) -> Mapping[str, Any]:
    """Return the content of `package.json`; empty if there is no such file. Raises `ManifestError`."""
    path = os.path.join(directory, PACKAGE_FILE)
    try:
        value = json.loads(read_regular(path, _MAX_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError(f"{PACKAGE_FILE}: cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise ManifestError(f"{PACKAGE_FILE}: expected an object")
    return value


def _manifest_of(package: Mapping[str, Any], folder: str) -> Manifest:
    def text(member: str) -> str:
        value = package.get(member)
        return value if isinstance(value, str) else ""

    name = text("name").removeprefix("@").replace("/", "-") or folder
    return Manifest(name, text("version"), language="typescript", description=text("description"), remember=True)


def _parts(directory: str, package: Mapping[str, Any]) -> _Parts | None:
    """Return what the package in a folder brings; None if it is not one of pi's. Raises `ManifestError`."""
    said = _said(package)
    if said is None:
        if _says(package):
            return _in_folders(directory)
        index = _index(directory)
        return _Parts([index]) if index else None
    parts = _Parts()
    for kind in _KINDS:
        listed = said.get(kind, [])
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise ManifestError(f"{PACKAGE_FILE}: '{kind}' must be a list of paths")
        setattr(parts, kind, _listed(directory, kind, listed))
    return parts


def _of_named(directory: str, package: Mapping[str, Any]) -> _Parts | None:
    """Return what a folder brings that somebody has named: without a word of pi, what the usual folders have."""
    parts = _parts(directory, package)
    if parts is None and any(getattr(usual := _in_folders(directory), kind) for kind in _KINDS):
        return usual
    return parts


def _said(package: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((package[member] for member in _MEMBERS if isinstance(package.get(member), dict)), None)


def _says(package: Mapping[str, Any]) -> bool:
    """Whether a `package.json` says that it is a package of pi."""
    words = package.get("keywords")
    return _said(package) is not None or (isinstance(words, list) and any(each in words for each in _KEYWORDS))


def _listed(directory: str, kind: str, listed: Iterable[str]) -> list[str]:
    """Return the absolute paths that a list names: paths, patterns, and exclusions with `!` or `-`."""
    found: list[str] = []
    for word in listed:
        if word[:1] in "!-":
            wanted = os.path.normpath(word[1:])
            found = [each for each in found if not fnmatch(os.path.relpath(each, directory), wanted)]
            continue
        word = word.removeprefix("+")
        if glob.has_magic(word):
            paths = [
                os.path.join(directory, each) for each in sorted(glob.glob(word, root_dir=directory, recursive=True))
            ]
        else:
            paths = [os.path.normpath(os.path.join(directory, word))]
            if kind == "extensions" and not os.path.exists(paths[0]):
                raise ManifestError(f"{PACKAGE_FILE}: there is no {word}, which it names as an extension")
        for path in filter(os.path.exists, paths):
            if kind == "extensions" and os.path.isdir(path):
                found += _extensions_in(path) if not _index(path) else [_index(path)]
            elif kind != "extensions" or is_pi_file(path):
                found.append(path)
    return found[:_MOST_FILES]


def _in_folders(directory: str) -> _Parts:
    """Return what the folders with the usual names have."""
    place = {kind: os.path.join(directory, kind) for kind in _KINDS}
    there = {kind: [place[kind]] if os.path.isdir(place[kind]) else [] for kind in ("skills", "prompts", "themes")}
    return _Parts(_extensions_in(place["extensions"]), there["skills"], there["prompts"], there["themes"])


def _extensions_in(folder: str) -> list[str]:
    """Return the files of the extensions in a folder: its own files, and what each of its folders brings."""
    found: list[str] = []
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith(".") and name != "node_modules")
    except OSError:
        return []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            parts = _parts(path, _read(path))
            found += parts.extensions if parts is not None else ()
        elif is_pi_file(path):
            found.append(path)
    return found[:_MOST_FILES]


def _index(directory: str) -> str:
    paths = (os.path.join(directory, f"index{suffix}") for suffix in SUFFIXES)
    return next(filter(os.path.isfile, paths), "")


def _stem(path: str) -> str:
    stem = os.path.basename(path).rpartition(".")[0]
    return (os.path.basename(os.path.dirname(os.path.abspath(path))) or stem) if stem == "index" else stem
