"""Installs extensions written for pi: what the bridge needs, packages of npm, and single files."""

import json
import os
import re
import shutil

from zot_agent.cli.ext.folder.staging import SOURCE_FILE
from zot_agent.cli.ext.terminal import can_ask, inline, print_line
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension
from zot_agent.pi.npm import install_dependencies, install_modules, install_package
from zot_agent.pi.package import PACKAGE_FILE, is_pi_file, read_pi_package
from zot_agent.pi.runtime import installed, node_problem
from zot_ext.manifest import ManifestError
from zot_provider.errors import ConfigError

WORD = "pi"
"""In place of a source: what the bridge needs."""
NPM = "npm:"
GIT = "git:"
_SPEC = re.compile(r"(@[a-z0-9._~-]+/)?[a-zA-Z0-9._~-]+(@[^\s/:]+)?")


def install_bridge() -> int:
    """Fetch what the bridge needs, and check Node; return 0, or 1 if Node is missing or too old."""
    home = zot_home()
    if installed(home):
        print_line("what extensions written for pi need is installed")
    else:
        if can_ask():  # it may take a while
            print_line("fetching modules with npm")
        print_line(f"installed in {install_modules(home)}")
    if problem := node_problem():
        print_line(problem)
        return 1
    return 0


def npm_folder(source: str) -> str:
    """Return the name of the folder for `npm:NAME@VERSION`. Raises `ConfigError` for what names no package."""
    spec = source.removeprefix(NPM)
    if not _SPEC.fullmatch(spec):
        raise ConfigError(f"{source!r} names no package of npm; write npm:NAME or npm:NAME@VERSION")
    return re.sub(r"(?<=.)@.*", "", spec).removeprefix("@").replace("/", "-")


def fetch_npm(source: str, staged: str) -> None:
    """Install the package of `npm:NAME@VERSION` in the new folder `staged`, with a manifest. Raises `ConfigError`."""
    if can_ask():  # it may take a while
        print_line(f"fetching {inline(source)}")
    inner = install_package(source.removeprefix(NPM), staged)
    _write_manifest(staged, os.path.join(staged, inner), inner, source)


def copy_file(source: str, staged: str) -> None:
    """Copy the file of one extension to the new folder `staged`, with a manifest. Raises `ConfigError`."""
    with ConfigError.of_system(f"cannot copy {source}"):
        os.mkdir(staged)
        shutil.copyfile(source, os.path.join(staged, os.path.basename(source)))
    _write_manifest(staged, os.path.join(staged, os.path.basename(source)), os.path.basename(source), source)


def complete(staged: str, found: DiscoveredExtension, source: str, name: str) -> None:
    """Give a copied package written for pi a manifest, if it has none, and the packages that it needs. It is called
    `name` if its `package.json` does not say how."""
    if not os.path.lexists(os.path.join(staged, MANIFEST_FILE)):
        _write_manifest(staged, staged, ".", source, name)
    if found.pi:
        needs_packages(staged)


def needs_packages(folder: str) -> None:
    """Install the packages that the `package.json` in a folder names, unless they are there. Raises `ConfigError`."""
    try:
        with open(os.path.join(folder, PACKAGE_FILE)) as file:
            wanted = json.load(file).get("dependencies")
    except (OSError, ValueError, AttributeError):
        return
    if wanted and not os.path.isdir(os.path.join(folder, "node_modules")):
        install_dependencies(folder)


def git_source(source: str) -> tuple[str, str]:
    """Return the URL of a git source, and the branch or tag, empty for the newest commit. A source is a URL,
    `git:URL@REF`, `git:HOST/PATH@REF` or `git:/PATH@REF`."""
    if source.startswith("git://") or not source.startswith(GIT):
        return source, ""
    address = source.removeprefix(GIT)
    address, _, ref = address.rpartition("@") if re.search(r"[^/:@]@[^/:@]+$", address) else (address, "", "")
    if address.startswith(("/", "./", "../", "~/")):
        address = f"file://{os.path.abspath(os.path.expanduser(address))}"
    elif "://" not in address and not address.startswith("git@"):
        address = f"https://{address}"
    return address, ref


def is_file(path: str) -> bool:
    """Whether a path names a file that can be an extension written for pi."""
    return is_pi_file(path)


def _write_manifest(staged: str, package: str, word: str, source: str, name: str = "") -> None:
    try:
        read = read_pi_package(package, bare=True)
    except ManifestError as error:
        raise ConfigError(f"{source}: {error}") from None
    if read is None:
        raise ConfigError(f"{source} is not an extension written for pi: its package.json has no member 'pi'")
    manifest = read.manifest
    values = {
        "name": name if name and manifest.name == os.path.basename(package) else manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "language": manifest.language,
        "enabled": True,
        "remember": True,
        "pi": [word],
    }
    try:
        with open(os.path.join(staged, MANIFEST_FILE), "w") as file:
            json.dump({name: value for name, value in values.items() if value != ""}, file, indent=2)
            file.write("\n")
        with open(os.path.join(staged, SOURCE_FILE), "w") as file:
            json.dump({"path": source}, file)
    except OSError as error:
        raise ConfigError(f"cannot write {error.filename}: {error.strerror}") from error
