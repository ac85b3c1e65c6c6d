"""`zot ext list`: lists the extensions, one per line, why one does not run, and which names it does not get."""

import os
import sys
from collections.abc import Mapping
from json import dumps

from zot_agent.cli.ext.doctor import startable
from zot_agent.cli.ext.folder.names import installed
from zot_agent.cli.ext.folder.permissions import permissions_value
from zot_agent.cli.ext.folder.theme import theme
from zot_agent.cli.ext.probe import ProbeResult, probe
from zot_agent.cli.ext.terminal import inline, print_line, print_table
from zot_agent.cli.verb import Json
from zot_agent.extensions.discover import DiscoveredExtension, Discovery
from zot_agent.extensions.launch import outside_program
from zot_agent.extensions.permissions.lines import permission_summary
from zot_tui.text.width import clip

_HEAD = ("scope", "name", "version", "enabled", "language", "may", "dir", "description")
_MAY_COLUMNS = 40
"""Columns for what an extension may do; zot ext doctor shows all of it."""


def print_extensions(*, json: Json = False, no_start: bool = False) -> int:
    """List the extensions, and which of them run. Some are for the project in this directory, others for all projects.
    They are started for a moment, to learn whether they run, and which commands and tools have a name that zot or
    another extension has.

    --no-start: do not start extensions

    enabled: yes, no, hidden (an extension with the same name takes precedence), untrusted (of a project that you have
    not allowed, or with permissions that you have not allowed), broken (invalid manifest)
    """
    discovery = installed()
    registered = {} if no_start else probe(startable(discovery))
    if json:
        sys.stdout.write(dumps(_value(discovery, registered)) + "\n")
    elif not discovery.found and not discovery.problems:
        print_line("no extension is installed; install one with zot ext install SOURCE")
    else:
        print_table([_HEAD, *(_row(found, registered) for found in discovery.found), *_broken(discovery)])
    return 0


def _row(found: DiscoveredExtension, registered: Mapping[str, ProbeResult]) -> tuple[str, ...]:
    manifest = found.manifest
    state = "hidden" if found.hidden_by else "no" if not found.enabled else "untrusted" if found.untrusted else "yes"
    text = f"hidden by {found.hidden_by}" if found.hidden_by else _text(found, registered)
    may = clip(inline(permission_summary(manifest)), _MAY_COLUMNS)
    return found.scope, found.name, manifest.version, state, manifest.language, may, found.directory, text


def _text(found: DiscoveredExtension, registered: Mapping[str, ProbeResult]) -> str:
    """Return why it does not run, the description, the program if it is outside the folder, the command that shows the
    theme, and the names that it does not get."""
    command, outside = theme(found), outside_program(found.manifest, found.directory)
    runs = f"(runs {outside}, outside its folder)" if outside else ""
    shadowed = [f"({why})" for why in _name_conflicts(found, registered)]
    absence = _absence(found, registered)
    fails = f"({absence})" if absence else ""
    return " ".join(
        filter(None, [fails, found.manifest.description, runs, f"({command})" if command else "", *shadowed])
    )


def _name_conflicts(found: DiscoveredExtension, registered: Mapping[str, ProbeResult]) -> list[str]:
    return registered[found.directory].name_conflicts if found.directory in registered else []


def _absence(found: DiscoveredExtension, registered: Mapping[str, ProbeResult]) -> str:
    return registered[found.directory].absence if found.directory in registered else ""


def _broken(discovery: Discovery) -> list[tuple[str, ...]]:
    return [
        (each.scope, os.path.basename(each.directory), "", "broken", "", "", each.directory, each.message)
        for each in discovery.problems
    ]


def _value(discovery: Discovery, registered: Mapping[str, ProbeResult]) -> dict[str, object]:
    return {
        "extensions": [
            {
                "scope": found.scope,
                "name": found.name,
                "version": found.manifest.version,
                "enabled": found.enabled,
                "language": found.manifest.language,
                "dir": found.directory,
                "description": found.manifest.description,
                "theme": bool(theme(found)),
                "outside_program": outside_program(found.manifest, found.directory),
                "hidden_by": found.hidden_by,
                "trusted": not found.untrusted,
                "permissions": permissions_value(found),
                "absence": _absence(found, registered),
                "name_conflicts": _name_conflicts(found, registered),
            }
            for found in discovery.found
        ],
        "problems": [
            {"scope": each.scope, "dir": each.directory, "message": each.message} for each in discovery.problems
        ],
    }
