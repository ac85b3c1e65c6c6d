"""Puts the folder of an extension in place: its name, its allowed content, and a staging folder.

The folder is prepared beside its target and then renamed, so that it is complete or absent, even after Ctrl+C.
"""

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator

from zot_agent.extensions.discover import DiscoveredExtension, Problem, Scope, read_extension
from zot_agent.signals import ignore_stop_signals
from zot_provider.errors import ConfigError
from zot_provider.json_file import read_json_object

SOURCE_FILE = ".zot-source.json"
"""In a copied folder: `{"path": ...}`, the folder it was copied from. A clone has this information in git."""


def folder_name(source: str, *, url: bool) -> str:
    """Return the name of the folder for `source`: its last part. Raises `ConfigError` if that is not a valid name."""
    if url:
        name = re.split(r"[/:]", re.split(r"[?#]", source)[0].rstrip("/"))[-1].removesuffix(".git")
    else:
        name = os.path.basename(os.path.realpath(source))
    if not name or name.startswith(".") or not name.isprintable() or os.path.basename(name) != name:
        raise ConfigError(f"{source}: {name!r} is not a valid name for the folder of an extension")
    return name


def read_manifest(directory: str, scope: Scope, *, label: str) -> DiscoveredExtension:
    """Read the extension in a folder. Raises `ConfigError` that begins with `label`."""
    found = read_extension(directory, scope)
    if isinstance(found, Problem):
        raise ConfigError(f"{label}: {found.message}")
    return found


@contextlib.contextmanager
def staging(parent: str) -> Iterator[str]:
    """Yield an unused path in `parent` for a folder; a folder that is left there at the end is deleted.

    Raises `ConfigError` if `parent` cannot be created.
    """
    with ConfigError.of_system(f"cannot write in {parent}"):
        os.makedirs(parent, exist_ok=True)
    path = os.path.join(parent, f".zot-{os.urandom(6).hex()}")
    try:
        yield path
    finally:
        delete(path)


def delete(path: str) -> None:
    """Delete a folder and everything in it, even write-protected files; Ctrl+C is ignored meanwhile. A link is
    unlinked, and a missing path is accepted. Raises `OSError`."""
    if os.path.islink(path):
        os.unlink(path)
        return
    with ignore_stop_signals():
        for folder, names, _ in os.walk(path):
            os.chmod(folder, 0o700)
            for name in names:
                if not os.path.islink(inner := os.path.join(folder, name)):
                    os.chmod(inner, 0o700)
        if os.path.lexists(path):
            shutil.rmtree(path)


def copy(source: str, target: str) -> list[str]:
    """Copy the folder `source` to `target`, without `.git`; return the paths of omitted entries, which are neither
    files nor folders nor links. Raises `ConfigError`."""
    omitted: list[str] = []
    refuse_links(source)
    try:
        os.mkdir(target)
        for folder, names, files in os.walk(source, onerror=_raise):
            names[:] = [name for name in names if name != ".git"]
            into = os.path.join(target, os.path.relpath(folder, source))
            for name in (*names, *files):
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                if stat.S_ISDIR(mode):
                    os.mkdir(os.path.join(into, name))
                elif stat.S_ISLNK(mode):
                    os.symlink(os.readlink(path), os.path.join(into, name))
                elif stat.S_ISREG(mode) and name != ".git":
                    shutil.copy2(path, os.path.join(into, name))
                elif not stat.S_ISREG(mode):
                    omitted.append(os.path.relpath(path, source))
        with open(os.path.join(target, SOURCE_FILE), "w") as file:
            json.dump({"path": source}, file)
    except OSError as error:
        raise ConfigError(f"cannot copy {error.filename or source}: {error.strerror or error}") from error
    return omitted


def copied_from(directory: str) -> str:
    """Return the folder that an extension was copied from; empty if unknown."""
    try:
        path = read_json_object(os.path.join(directory, SOURCE_FILE)).get("path")
    except ConfigError:
        return ""
    return path if isinstance(path, str) else ""


def refuse_links(directory: str) -> None:
    """Raise `ConfigError` for a link in the folder that leads out of it, or would do so after the folder is moved."""
    root = os.path.realpath(directory)
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name != ".git"]
        for name in (*names, *files):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                continue
            inside = os.path.realpath(path).startswith(root + os.sep)
            if not inside or os.path.isabs(os.readlink(path)):
                raise ConfigError(f"{os.path.relpath(path, root)} is a link that leads out of the extension's folder")


def publish(staged: str, target: str) -> None:
    """Rename the staged folder to `target`. Raises `ConfigError` if that exists."""
    with ConfigError.of_system(f"cannot create {target}"):
        os.rename(staged, target)


def _raise(error: OSError) -> None:
    raise error
