"""`zot ext check DIR`: holds an extension, in whatever language, against the protocol."""

import errno
import json
import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder.theme import theme_fault, theme_notes
from zot_agent.cli.ext.terminal import say
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import current_directory
from zot_agent.extensions.launch import LaunchError, command, environment, refusal
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.manifest import ManifestError, load_manifest
from zot_ext.testing import Report, check
from zot_ext.testing.conformance.findings import CheckFinding, finding
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Check and print what was found: 0, 1 for errors. Raises `ConfigError` for what is no folder."""
    parser = Parser(
        prog="zot ext check",
        description="Start an extension about ten times, talk to it as zot does and as zot might, and say which rules "
        "of the protocol it breaks. Its commands and tools are really run, with made-up arguments.",
        epilog="exit codes: 0 no errors, 1 errors, 2 usage",
    )
    parser.add_argument("directory", metavar="DIR", help="the folder with extension.json")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--no-calls", action="store_true", help="do not run its commands, tools, interceptors, events")
    parser.add_argument("--seconds", type=float, metavar="N", help="how long it may take to answer anything")
    asked = parser.parse_args(list(arguments))
    current_directory()  # a relative path needs one
    if not os.path.isdir(asked.directory):
        raise ConfigError(f"{asked.directory} is no folder; name the one with the extension's extension.json")
    report = examine(asked.directory, chosen_limits(asked.seconds), calls=not asked.no_calls)
    if asked.json:
        say(json.dumps(report.as_json()))
    else:
        tell(report, asked.directory)
    return 0 if report.ok else 1


def examine(directory: str, limits: ExtensionLimits, *, calls: bool) -> Report:
    """Check the extension in a folder as zot would start it, and its theme as the screen would read it."""
    report = _examine_program(directory, limits, calls=calls)
    fault = theme_fault(directory)
    # The protocol knows no themes, so these rules are not among its own.
    found = [CheckFinding("error", "bad-theme", fault)] if fault else []
    found += [CheckFinding("warning", "theme-entry", each) for each in theme_notes(directory)]
    return Report(
        report.name,
        (*report.findings, *found),
        report.commands,
        report.tools,
        report.events,
        report.intercepts,
    )


def _examine_program(directory: str, limits: ExtensionLimits, *, calls: bool) -> Report:
    folder = os.path.abspath(directory)
    argv: list[str] = []
    name = ""
    try:
        manifest = load_manifest(directory)
        name = manifest.name
        if manifest.exec.strip():
            argv = command(manifest, folder)
    except LaunchError as error:
        return Report(name, (finding("cannot-start", str(error)),))
    except ManifestError:
        pass  # the check tells of it
    report = check(directory, limits=limits, calls=calls, environ=environment())
    for each in report.findings:
        if each.rule == "cannot-start" and argv:
            return Report(name, (finding("cannot-start", _in_words(each.text, name, argv, folder)),))
    return report


def _in_words(text: str, name: str, argv: Sequence[str], folder: str) -> str:
    """What to do about a program that the system refused, as zot says it when it starts one."""
    for number in (errno.ENOEXEC, errno.ENOENT):
        said = os.strerror(number)
        if text.endswith(said):
            return str(refusal(name, argv, folder, OSError(number, said)))
    return text


def chosen_limits(seconds: float | None) -> ExtensionLimits:
    """The limits of the protocol, or `seconds` for every answer. Raises `ConfigError` for what is no time."""
    if seconds is None:
        return DEFAULT_LIMITS
    if not 0 < seconds < 86400:
        raise ConfigError(f"--seconds {seconds:g}: a number above 0, of seconds")
    return ExtensionLimits(
        hello_seconds=seconds, command_seconds=seconds, tool_seconds=seconds, intercept_seconds=seconds
    )


def tell(report: Report, directory: str) -> None:
    """Print a report for a person."""
    for each in report.findings:
        say(f"{each.level}: {each.text} [{each.rule}]")
        if each.frame:
            say(f"    {each.frame}")
    counts = [(report.count(level), level) for level in ("error", "warning", "note")]
    found = ", ".join(f"{count} {level}{'s' if count > 1 else ''}" for count, level in counts if count)
    kinds = (("command", report.commands), ("tool", report.tools), ("interception", report.intercepts))
    does = ", ".join(f"{kind} {name}" for kind, names in kinds for name in names)
    say(f"{report.name or directory}: {found or 'keeps to the protocol'}{f' ({does})' if does else ''}")
