"""Steps that the user must still take before an extension can run: build it, or install a program."""

import os
import shlex
from collections.abc import Mapping
from typing import Any

from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.launch import command
from zot_agent.extensions.python.environment import environment_of
from zot_provider.errors import ConfigError, ZotError
from zot_provider.json_file import read_json_object


def needs(found: DiscoveredExtension) -> list[str]:
    """Return lines that say what to do; empty if the extension can run."""
    if build := _build(found):
        return [f"it must be built first: cd {shlex.quote(found.directory)} && {build}"]
    if not found.manifest.exec:
        return []
    if found.pi:
        from zot_agent.pi.runtime import missing, node_problem  # noqa: PLC0415  few are written for pi

        return list(filter(None, [missing(zot_home()) or node_problem(for_all=False)]))
    try:
        packages = environment_of(found, zot_home())
        if packages is not None and not packages.complete:
            return [f"its Python packages must be installed first: zot ext setup {found.name}"]
        command(found.manifest, found.directory, packages.programs if packages else "")
    except ZotError as error:
        return [str(error)]
    return []


def _build(found: DiscoveredExtension) -> str:
    """Return the command that builds the program or installs its modules; empty if nothing is missing."""
    entries = set(os.listdir(found.directory))
    package = _package(found.directory) if "package.json" in entries else {}
    program = found.manifest.exec.replace("\\", "/")
    relative = "/" in program and not os.path.isabs(program)
    missing = relative and not os.path.exists(os.path.join(found.directory, program))
    if package.get("dependencies") and "node_modules" not in entries:
        return "npm install && npm run build" if missing and _has_build(package) else "npm install"
    if not missing:
        return ""
    if "go.mod" in entries:
        return f"go build -o {shlex.quote(program.removeprefix('./'))} ."
    if "Cargo.toml" in entries:
        return "cargo build --release"
    if _has_build(package):
        return "npm run build"
    if "pyproject.toml" in entries:
        return "uv sync"
    return "make" if "Makefile" in entries else ""


def _package(directory: str) -> Mapping[str, Any]:
    try:
        return read_json_object(os.path.join(directory, "package.json"))
    except ConfigError:
        return {}


def _has_build(package: Mapping[str, Any]) -> bool:
    scripts = package.get("scripts")
    return isinstance(scripts, dict) and "build" in scripts
