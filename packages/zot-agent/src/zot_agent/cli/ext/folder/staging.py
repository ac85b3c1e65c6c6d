"""The folder of an extension on its way in: its name, what may be in it, and a place where it is made ready.

It is made ready beside its place and then renamed, so that there is all of it or nothing, also after Ctrl+C.
"""

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator

from zot_agent.config.settings import read_json_object
from zot_agent.extensions.discover import DiscoveredExtension, Problem, Scope, read_extension
from zot_agent.signals import undisturbed
from zot_provider.errors import ConfigError

SOURCE_FILE = ".zot-source.json"
"""In a folder that was copied: `{"path": ...}`, where from. A clone knows that itself."""


def folder_of(source: str, *, url: bool) -> str:
    """The name that the folder of `source` gets: its last part. Raises `ConfigError` for one that cannot be used."""
    if url:
        name = re.split(r"[/:]", re.split(r"[?#]", source)[0].rstrip("/"))[-1].removesuffix(".git")
    else:
        name = os.path.basename(os.path.realpath(source))
    if not name or name.startswith(".") or not name.isprintable() or os.path.basename(name) != name:
        raise ConfigError(f"{source}: {name!r} cannot be the name of an extension's folder")
    return name


def read_manifest(directory: str, scope: Scope, *, told_as: str) -> DiscoveredExtension:
    """The extension in a folder. Raises `ConfigError` that calls it `told_as`."""
    found = read_extension(directory, scope)
    if isinstance(found, Problem):
        raise ConfigError(f"{told_as}: {found.message}")
    return found


@contextlib.contextmanager
def staging(place: str) -> Iterator[str]:
    """The path of a folder beside its later place, which is not made yet; whatever is left there is deleted.

    Raises `ConfigError` if nothing can be made in `place`.
    """
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write in {place}: {error.strerror}") from error
    path = os.path.join(place, f".zot-{os.urandom(6).hex()}")
    try:
        yield path
    finally:
        delete(path)


def delete(path: str) -> None:
    """Delete a folder and all that is in it, also what is write-protected; Ctrl+C waits for it. A link is unlinked,
    and what is not there is deleted already. Raises `OSError`."""
    if os.path.islink(path):
        os.unlink(path)
        return
    with undisturbed():
        for folder, names, _ in os.walk(path):
            os.chmod(folder, 0o700)
            for name in names:
                if not os.path.islink(inner := os.path.join(folder, name)):
                    os.chmod(inner, 0o700)
        if os.path.lexists(path):
            shutil.rmtree(path)


def copy(source: str, target: str) -> list[str]:
    """Copy the folder `source` to `target`, without `.git`; the paths of what was left out as it is neither a file, a
    folder nor a link. Raises `ConfigError`."""
    left_out: list[str] = []
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
                    left_out.append(os.path.relpath(path, source))
        with open(os.path.join(target, SOURCE_FILE), "w") as file:
            json.dump({"path": source}, file)
    except OSError as error:
        raise ConfigError(f"cannot copy {error.filename or source}: {error.strerror or error}") from error
    return left_out


def copied_from(directory: str) -> str:
    """The folder that an extension was copied from; empty if that is not known."""
    try:
        path = read_json_object(os.path.join(directory, SOURCE_FILE)).get("path")
    except ConfigError:
        return ""
    return path if isinstance(path, str) else ""


def refuse_links(directory: str) -> None:
    """Raises `ConfigError` for a link in the folder that leads out of it, or that will when the folder has moved."""
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


def settle(staged: str, target: str) -> None:
    """Give the folder its name. Raises `ConfigError` if that is taken."""
    try:
        os.rename(staged, target)
    except OSError as error:
        raise ConfigError(f"cannot make {target}: {error.strerror}") from error


def _raise(error: OSError) -> None:
    raise error
