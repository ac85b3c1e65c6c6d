"""`zot ext check DIR`: tests whether an extension, in any language, follows the protocol."""

import errno
import os
import tempfile
from collections.abc import Sequence
from json import dump, dumps

from zot_agent.cli.ext.folder.modes import modes_fault
from zot_agent.cli.ext.folder.theme import theme_fault, theme_notes
from zot_agent.cli.ext.pi import is_file
from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.verb import Json
from zot_agent.config.child_keys import removed_variables
from zot_agent.config.paths import current_directory, zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.declared.pi_process import SHARED_NAME
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension, read_extension
from zot_agent.extensions.launch import LaunchError, environment, launch_failure
from zot_agent.extensions.python.environment import launch_of
from zot_agent.host.build import open_registry
from zot_agent.host.extensions import extension_limits
from zot_agent.pi.runtime import CACHE_VARIABLE
from zot_ext.limits import ExtensionLimits
from zot_ext.manifest import ManifestError, load_manifest
from zot_ext.testing import Report, check
from zot_ext.testing.conformance.findings import CheckFinding, finding
from zot_provider.errors import ConfigError


def check_extension(directory: str, *, json: Json = False, no_calls: bool = False, seconds: float | None = None) -> int:
    """Test whether an extension follows the protocol. It is started about ten times and gets usual and unusual
    messages; the report names the rules that it breaks. Its commands and tools are really run, with made-up arguments.

    DIR: the folder with extension.json, or what is written for pi
    --no-calls: do not run its commands, tools and event handlers
    --seconds N: time limit for each answer

    exit codes: 0 no errors, 1 errors, 2 usage
    """
    current_directory()  # raises `ConfigError` if it was deleted
    if not os.path.isdir(directory) and not is_file(directory):
        raise ConfigError(f"{directory} is not a folder; pass the folder that contains extension.json")
    report = examine(directory, chosen_limits(seconds), calls=not no_calls)
    if json:
        print_line(dumps(report.as_json()))
    else:
        print_report(report, directory)
    return 0 if report.ok else 1


def examine(directory: str, limits: ExtensionLimits, *, calls: bool) -> Report:
    """Check the extension in a folder as zot would start it, and its theme and modes as the screen would read them."""
    report = _examine_program(directory, limits, calls=calls)
    fault, found = theme_fault(directory), read_extension(os.path.abspath(directory))
    # These rules are not part of the protocol's, which covers neither themes nor the words of modes.
    themes = [CheckFinding("error", "bad-theme", fault)] if fault else []
    if isinstance(found, DiscoveredExtension) and (fault := modes_fault(found.manifest)):
        themes.append(CheckFinding("error", "bad-editor-mode", fault))
    themes += [CheckFinding("warning", "theme-entry", note) for note in theme_notes(directory)]
    return Report(
        report.name, (*report.findings, *themes), report.commands, report.tools, report.events, report.intercepts
    )


def _examine_program(directory: str, limits: ExtensionLimits, *, calls: bool) -> Report:
    folder = os.path.abspath(directory)
    found = read_extension(folder)
    if isinstance(found, DiscoveredExtension) and found.pi:
        return _examine_pi(found, limits, calls=calls)
    name, launch = "", None
    removed = removed_variables(load_settings(zot_home()), open_registry(zot_home()).providers)
    try:
        manifest = load_manifest(directory)
        name = manifest.name
        if manifest.exec.strip():
            launch = launch_of(DiscoveredExtension(name, folder, "explicit", manifest), zot_home(), removed)
    except LaunchError as error:
        return Report(name, (finding("cannot-start", str(error)),))
    except ManifestError:
        pass  # the check reports it
    environ = environment(removed=removed) if launch is None else launch.env
    report = check(directory, limits=limits, calls=calls, environ=environ)
    for each in report.findings:
        if each.rule == "cannot-start" and launch is not None:
            return Report(name, (finding("cannot-start", _with_advice(each.text, name, launch.argv, folder)),))
    return report


_OF_BRIDGE = ("name-mismatch", "no-ready", "not-granted", "flag-not-in-manifest")
"""Rules that an extension written for pi cannot break: what it says to zot is the bridge's, under a name of its own,
and older hosts that grant less do not run it."""


def _examine_pi(found: DiscoveredExtension, limits: ExtensionLimits, *, calls: bool) -> Report:
    """Check an extension written for pi, as the bridge runs it."""
    removed = removed_variables(load_settings(zot_home()), open_registry(zot_home()).providers)
    try:
        launch = launch_of(found, zot_home(), removed)
    except LaunchError as error:
        return Report(found.name, (finding("cannot-start", str(error)),))
    with tempfile.TemporaryDirectory(prefix="zot-check-") as folder:
        with open(os.path.join(folder, MANIFEST_FILE), "w") as file:
            dump({"name": SHARED_NAME, "exec": launch.argv[0], "args": launch.argv[1:]}, file)
        environ = {**launch.env, CACHE_VARIABLE: ""}  # every start is as the first one
        report = check(folder, limits=limits, calls=calls, environ=environ)
    findings = tuple(each for each in report.findings if each.rule not in _OF_BRIDGE)
    return Report(found.name, findings, report.commands, report.tools, report.events, report.intercepts)


def _with_advice(text: str, name: str, argv: Sequence[str], folder: str) -> str:
    """Replace the system's error by the message that zot prints when it cannot start a program."""
    for number in (errno.ENOEXEC, errno.ENOENT):
        reason = os.strerror(number)
        if text.endswith(reason):
            return str(launch_failure(name, argv, folder, OSError(number, reason)))
    return text


def chosen_limits(seconds: float | None) -> ExtensionLimits:
    """Return the limits that a run has, or `seconds` for each answer. Raises `ConfigError` for an invalid time."""
    if seconds is None:
        return extension_limits()
    if not 0 < seconds < 86400:
        raise ConfigError(f"--seconds must be greater than 0 and less than 86400, got {seconds:g}")
    return ExtensionLimits(command_seconds=seconds, tool_seconds=seconds, intercept_seconds=seconds)


def print_report(report: Report, directory: str) -> None:
    for each in report.findings:
        print_line(f"{each.level}: {each.text} [{each.rule}]")
        if each.frame:
            print_line(f"    {each.frame}")
    counts = [(report.count(level), level) for level in ("error", "warning", "note")]
    result = ", ".join(f"{count} {level}{'s' if count > 1 else ''}" for count, level in counts if count)
    kinds = (("command", report.commands), ("tool", report.tools), ("interception", report.intercepts))
    registered = ", ".join(f"{kind} {name}" for kind, names in kinds for name in names)
    suffix = f" ({registered})" if registered else ""
    print_line(f"{report.name or directory}: {result or 'follows the protocol'}{suffix}")
