"""What an extension still needs before it can run: a build, a program. It is said, never done."""

import os
import shlex
from collections.abc import Mapping
from typing import Any

from zot_agent.config.settings import read_json_object
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.launch import command
from zot_provider.errors import ConfigError, ZotError


def needs(found: DiscoveredExtension) -> list[str]:
    """Lines that say what to do, none if it can run as it is."""
    if build := _build(found):
        return [f"it must be built first: cd {shlex.quote(found.directory)} && {build}"]
    if not found.manifest.exec:
        return []
    try:
        command(found.manifest, found.directory)
    except ZotError as error:
        return [str(error)]
    return []


def _build(found: DiscoveredExtension) -> str:
    """The command that makes the program, or fetches the modules it needs; empty if it is there."""
    there = set(os.listdir(found.directory))
    package = _package(found.directory) if "package.json" in there else {}
    program = found.manifest.exec.replace("\\", "/")
    relative = "/" in program and not os.path.isabs(program)
    missing = relative and not os.path.exists(os.path.join(found.directory, program))
    if package.get("dependencies") and "node_modules" not in there:
        return "npm install && npm run build" if missing and _has_build(package) else "npm install"
    if not missing:
        return ""
    if "go.mod" in there:
        return f"go build -o {shlex.quote(program.removeprefix('./'))} ."
    if "Cargo.toml" in there:
        return "cargo build --release"
    if _has_build(package):
        return "npm run build"
    if "pyproject.toml" in there:
        return "uv sync"
    return "make" if "Makefile" in there else ""


def _package(directory: str) -> Mapping[str, Any]:
    try:
        return read_json_object(os.path.join(directory, "package.json"))
    except ConfigError:
        return {}


def _has_build(package: Mapping[str, Any]) -> bool:
    scripts = package.get("scripts")
    return isinstance(scripts, dict) and "build" in scripts
