"""`zot ext list`: lists the extensions, one per line, and why an extension does not run."""

import json
import os
import sys
from collections.abc import Sequence

from zot_agent.cli.ext.folder.names import installed
from zot_agent.cli.ext.folder.theme import theme
from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.parser import Parser
from zot_agent.extensions.discover import DiscoveredExtension, Discovery
from zot_agent.extensions.launch import outside_program

_HEAD = ("scope", "name", "version", "enabled", "language", "dir", "description")


def run(arguments: Sequence[str]) -> int:
    """Print the extensions that are installed for the working directory; return 0."""
    parser = Parser(
        prog="zot ext list",
        description="List the extensions of the project in this directory, and those for all projects.",
        epilog="enabled: yes, no, hidden (an extension with the same name takes precedence), untrusted (of a project "
        "that you have not allowed), broken (invalid manifest)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    as_json = parser.parse_args(list(arguments)).json
    discovery = installed()
    if as_json:
        sys.stdout.write(json.dumps(_value(discovery)) + "\n")
    elif not discovery.found and not discovery.problems:
        print_line("no extension is installed; install one with zot ext install PATH|GIT-URL")
    else:
        print_table([_HEAD, *(_row(found) for found in discovery.found), *_broken(discovery)])
    return 0


def _row(found: DiscoveredExtension) -> tuple[str, ...]:
    manifest = found.manifest
    state = "hidden" if found.hidden_by else "no" if not found.enabled else "untrusted" if found.untrusted else "yes"
    text = f"hidden by {found.hidden_by}" if found.hidden_by else _text(found)
    return found.scope, found.name, manifest.version, state, manifest.language, found.directory, text


def _text(found: DiscoveredExtension) -> str:
    """Return the description, the program if it is outside of the folder, and the command that shows the theme."""
    command, outside = theme(found), outside_program(found.manifest, found.directory)
    runs = f"(runs {outside}, outside of its folder)" if outside else ""
    return " ".join(filter(None, [found.manifest.description, runs, f"({command})" if command else ""]))


def _broken(discovery: Discovery) -> list[tuple[str, ...]]:
    return [
        (each.scope, os.path.basename(each.directory), "", "broken", "", each.directory, each.message)
        for each in discovery.problems
    ]


def _value(discovery: Discovery) -> dict[str, object]:
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
            }
            for found in discovery.found
        ],
        "problems": [
            {"scope": each.scope, "dir": each.directory, "message": each.message} for each in discovery.problems
        ],
    }
