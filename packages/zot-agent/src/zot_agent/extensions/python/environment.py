"""`PythonEnvironment`: the environment with the packages of one extension, `$ZOT_HOME/envs/NAME/KEY`; `requirements`.

`KEY` stands for the requirements and the version of Python, so that other requirements mean another folder. A file
that is written last says that the environment is complete.
"""

import hashlib
import os
import re
import sys
from collections.abc import Collection, Mapping

from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.launch import LaunchError, command, environment
from zot_core.machine.shell import Launch
from zot_ext.manifest import Manifest
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record

_BYTES = 64 << 10
"""How much of a program is searched for a block."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][^\0\r\n]*")


class RequirementError(ValueError):
    """A text is not a requirement; `str()` is one line."""


def requirements(manifest: Manifest, directory: str) -> tuple[str, ...]:
    """Return the requirements of the extension in the folder `directory`, as in `pip install`; empty for none.

    Requirements of the manifest come before the program's, which may have a block of inline script metadata
    (https://packaging.python.org/en/latest/specifications/inline-script-metadata/). A program that uv starts gets its
    packages from uv. Raises `RequirementError`.
    """
    found = manifest.dependencies or _of_program(manifest, directory)
    for each in found:
        if not _REQUIREMENT.fullmatch(each):  # "-r file" and the like would be an option of the installer
            raise RequirementError(f"dependencies: {each!r} is not a requirement such as 'mcp>=2,<3'")
    return found


def _of_program(manifest: Manifest, directory: str) -> tuple[str, ...]:
    if os.path.basename(manifest.exec) in ("uv", "uvx"):
        return ()
    words = [manifest.exec, *manifest.args]
    script = next((word for word in words if word.endswith(".py") and "\0" not in word), "")
    if not script:
        return ()
    try:
        text = read_start(os.path.join(directory, script), _BYTES).decode("utf-8", "replace")
    except OSError:
        return ()  # the start reports it
    lines = text.splitlines()
    if lines and lines[0].startswith("#!") and re.search(r"\buv\b", lines[0]):
        return ()
    return _of_block(lines)


def _of_block(lines: list[str]) -> tuple[str, ...]:
    """Return the `dependencies` of the first block `script`."""
    if "# /// script" not in lines:
        return ()
    block = []
    for line in lines[lines.index("# /// script") + 1 :]:
        if line != "#" and not line.startswith("# "):
            break
        block.append(line[2:])
    if "///" not in block:
        return ()  # a block without an end is a comment
    end = len(block) - 1 - block[::-1].index("///")  # the last one ends the block
    import tomllib  # noqa: PLC0415  few programs have a block

    try:
        found = tomllib.loads("\n".join(block[:end])).get("dependencies", [])
    except tomllib.TOMLDecodeError as error:
        raise RequirementError(f"the block '# /// script' of its program is not TOML: {error}") from None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise RequirementError("dependencies in the block '# /// script' of its program is not a list of texts")
    return tuple(found)


COMPLETE = "complete"
"""The file that is written last."""
_PROGRAMS = "Scripts" if sys.platform == "win32" else "bin"


class PythonEnvironment(Record):
    """An environment of the extension `name`, which need not exist yet."""

    name: str
    parent: str
    """The folder of all environments of this extension."""
    requirements: tuple[str, ...]

    @property
    def folder(self) -> str:
        """The folder of this one."""
        key = "\n".join([*self.requirements, f"{sys.implementation.name} {sys.version_info[:2]}"])
        return os.path.join(self.parent, hashlib.sha256(key.encode()).hexdigest()[:12])

    @property
    def programs(self) -> str:
        """The folder of its programs, Python among them."""
        return os.path.join(self.folder, _PROGRAMS)

    @property
    def python(self) -> str:
        """Its Python."""
        return os.path.join(self.programs, "python")

    @property
    def complete(self) -> bool:
        """Whether all packages are there, and its Python."""
        return os.path.exists(os.path.join(self.folder, COMPLETE)) and os.path.exists(self.python)

    def variables(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables `base` of a process that is to use it."""
        path = [self.programs, *filter(None, [base.get("PATH", "")])]
        return {**base, "PATH": os.pathsep.join(path), "VIRTUAL_ENV": self.folder, "ZOT_PYTHON": self.python}


def environment_of(found: DiscoveredExtension, home: str) -> PythonEnvironment | None:
    """Return the environment of an extension; None if it needs no packages. `home` is zot's own folder. Raises
    `LaunchError`."""
    if not found.manifest.exec or found.pi:
        return None
    try:
        needed = requirements(found.manifest, found.directory)
    except RequirementError as error:
        raise LaunchError(f"extension {found.name!r}: {error}") from None
    return PythonEnvironment(found.name, environments_folder(found, home), needed) if needed else None


def usable_environment(found: DiscoveredExtension, home: str) -> PythonEnvironment | None:
    """Like `environment_of`; also raises `LaunchError` if the packages are not installed."""
    needed = environment_of(found, home)
    if needed is not None and not needed.complete:
        raise LaunchError(
            f"extension {found.name!r} needs Python packages that are not installed; run: zot ext setup {found.name}"
        )
    return needed


def launch_of(found: DiscoveredExtension, home: str, removed: Collection[str] = ()) -> Launch:
    """Return how the process of an extension is started: without the variables `removed`, unless its manifest names
    them. Raises `LaunchError`."""
    if found.pi:
        return _launch_of_pi(found, home, removed)
    packages = usable_environment(found, home)
    argv = command(found.manifest, found.directory, packages.programs if packages else "")
    env = environment(removed=set(removed) - set(found.manifest.env))
    return Launch(argv, found.directory, packages.variables(env) if packages else env)


def _launch_of_pi(found: DiscoveredExtension, home: str, removed: Collection[str]) -> Launch:
    from zot_agent.pi.runtime import missing, variables  # noqa: PLC0415  few are written for pi

    if problem := missing(home):
        raise LaunchError(f"extension {found.name!r}: {problem}")
    env = environment(removed=set(removed) - set(found.manifest.env))
    argv = command(found.manifest, found.directory)
    return Launch(argv, found.directory, {**variables(home), **env})


def environments_folder(found: DiscoveredExtension, home: str) -> str:
    """Return the folder for all environments of an extension. Extensions of one name have different ones."""
    if found.scope == "bundled":
        return os.path.join(home, "envs", found.name)
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", found.name).lstrip(".")
    place = os.path.realpath(found.directory)
    return os.path.join(home, "envs", f"{name}-{hashlib.sha256(place.encode()).hexdigest()[:8]}")
