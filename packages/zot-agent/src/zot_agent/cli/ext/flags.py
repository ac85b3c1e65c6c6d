"""The flags of extensions on the command line: they come from manifests, and nothing is started for them."""

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.declared.flags import list_flags
from zot_agent.extensions.discover import discover
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_provider.errors import ConfigError
from zot_provider.json_text import without_surrogates
from zot_tui.text.sanitize import sanitize_line

if TYPE_CHECKING:
    from zot_agent.extensions.discover import DiscoveredExtension
    from zot_ext.protocol.flags import ExtensionFlag, FlagValue

_DEST = "flag of an extension: "
_METAVARS = {"integer": "N", "string": "TEXT"}
_OPTIONS = (
    "extensions", "no_ext", "no_project_ext", "trust", "no_skills", "no_context_files", "cwd", "ignore_settings",
)  # fmt: skip
"""The options that decide which extensions are active."""


def add_flags(parser: argparse.ArgumentParser, values: Mapping[str, Any]) -> "list[DiscoveredExtension]":
    """Add the flags of the active extensions to the parser, and return the extensions of the project that the person
    has not allowed. `values` are the flags of zot itself that were parsed. Raises `ConfigError`."""
    options = HostOptions(**{name: values[name] for name in _OPTIONS})
    home, cwd = zot_home(), os.path.abspath(os.path.expanduser(options.cwd))
    settings = load_settings(home, ignore=options.ignore_settings)
    every = discover(
        options.extensions, cwd, home, installed=not options.no_ext, project=not options.no_project_ext,
        pi_folders=settings.pi.get("folders") is True,
    ).found  # fmt: skip
    if not any(each.manifest.flags or each.pi for each in every):
        return []
    choice = ProjectChoice(options, settings, cwd)
    active = choice.find().active()
    if any(each.pi for each in active):
        from zot_agent.extensions.declared.pi_declarations import (  # noqa: PLC0415  few are written for pi
            DescribeOptions,
            add_described,
        )

        add_described(active, DescribeOptions(home, flags=True))
    groups: dict[str, argparse._ArgumentGroup] = {}
    for each in list_flags(active):
        if not each.why:
            title = f"flags of the extension {sanitize_line(each.owner.name)}"
            group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
            _add(group, each.flag)
    return [each for each in choice.found.found if each.untrusted and each.scope == "project"]


def _add(group: argparse._ArgumentGroup, flag: "ExtensionFlag") -> None:
    details: dict[str, Any] = {"dest": _DEST + flag.name, "default": argparse.SUPPRESS}
    help = sanitize_line(flag.description)
    if flag.type == "boolean":
        details["action"] = argparse.BooleanOptionalAction
        help += " (on by default)" if flag.value else ""
    else:
        details |= {"metavar": _METAVARS[flag.type], "type": int if flag.type == "integer" else without_surrogates}
        help += f" (default: {sanitize_line(str(flag.value))})" if flag.value else ""
    group.add_argument(f"--{flag.name}", help=help.strip().replace("%", "%%"), **details)


def take_values(values: dict[str, Any]) -> "dict[str, FlagValue]":
    """Remove the values of flags of extensions from the values of the parser and return them, by name."""
    return {name.removeprefix(_DEST): values.pop(name) for name in [*values] if name.startswith(_DEST)}


def refuse_untrusted(flag: str, waiting: "list[DiscoveredExtension]") -> None:
    """Raise `ConfigError` if a flag, with its dashes, belongs to an extension that the person has not allowed."""
    for found in waiting:
        if any(flag.removeprefix("--") in each.names for each in found.manifest.flags):
            name = sanitize_line(found.name)
            raise ConfigError(
                f"the flag {flag} belongs to the extension {name} of this project, which you have not allowed "
                "(start zot there to decide, or pass --trust)"
            )
