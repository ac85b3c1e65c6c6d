"""`zot ext doctor [NAME]`: what keeps an extension from running, and what it registers when it runs."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from zot_agent.cli.doctor import Finding
from zot_agent.cli.ext.folder.names import installed, pick, title
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.folder.theme import theme, theme_fault, theme_notes
from zot_agent.cli.ext.probe import probe
from zot_agent.cli.ext.terminal import say, word
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.discover import DiscoveredExtension, Problem
from zot_agent.extensions.launch import command
from zot_agent.extensions.log import log_path
from zot_agent.extensions.trust import Trust
from zot_provider.errors import ZotError

_SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".pl", ".lua")


def run(arguments: Sequence[str]) -> int:
    """Examine one extension or all of them; 0, or 1 if something is wrong with one."""
    parser = Parser(prog="zot ext doctor", description="Say what keeps an extension from running, and what it brings.")
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="one of them; all without it")
    parser.add_argument("--no-start", action="store_true", help="start none of them; look at their files alone")
    options = parser.parse_args(list(arguments))
    name = options.name
    discovery = installed()
    chosen: list[DiscoveredExtension | Problem] = [pick(name)] if name else [*discovery.found, *discovery.problems]
    if not chosen:
        say("no extension is installed")
    everything: list[DiscoveredExtension | Problem] = [*discovery.found, *discovery.problems]
    findings = {each.directory: examine(each) for each in everything}
    if not options.no_start:
        # All of them, also when one is asked about: they may take names from each other.
        for directory, more in probe(
            [each for each in discovery.active() if startable(findings[each.directory])]
        ).items():
            findings[directory] += more
    width = max(shutil.get_terminal_size().columns, 60) if sys.stdout.isatty() else 10_000
    for each in chosen:
        say(f"{word(title(each))} ({each.scope}, {each.directory})")
        for finding in findings[each.directory]:
            for line in finding.lines(width).splitlines():
                say(line)
    return int(any(finding.state == "no" for each in chosen for finding in findings[each.directory]))


def examine(found: DiscoveredExtension | Problem) -> list[Finding]:
    """What is to be said about one extension without starting it."""
    if isinstance(found, Problem):
        return [Finding("no", "manifest", found.message)]
    return [
        Finding("ok", "manifest", f"version {found.manifest.version}" if found.manifest.version else "can be read"),
        *_standing(found),
        *_program(found),
        *_skills(found),
        *_theme(found),
        _log(found),
    ]


def startable(findings: Sequence[Finding]) -> bool:
    """Whether an extension may be started, by what `examine` found: nothing is wrong, and the person allows it."""
    by_topic = {finding.topic: finding.state for finding in findings}
    allowed = by_topic.get("program") == "ok" and by_topic.get("allowed", "ok") == "ok"
    return allowed and "no" not in by_topic.values()


def _standing(found: DiscoveredExtension) -> list[Finding]:
    """Whether it would be loaded."""
    findings = [Finding("ok", "enabled", "yes") if found.enabled else Finding("--", "enabled", "no; it does not run")]
    if found.hidden_by:
        findings.append(Finding("--", "hidden", f"it does not run: {found.hidden_by} has the name before it"))
    if found.scope == "project":
        findings.append(_allowed(found))
    return findings


def _allowed(found: DiscoveredExtension) -> Finding:
    """Whether an extension of a project may run here."""
    home = zot_home()
    try:
        setting = load_settings(home).project_extensions
    except ZotError as error:
        return Finding("no", "allowed", str(error))
    if setting != "ask":
        state = "ok" if setting == "on" else "--"
        return Finding(state, "allowed", f"project_extensions is {setting} in the settings")
    decision = Trust(home).decision(found)
    if decision is None:
        return Finding("--", "allowed", "not asked yet, or it has changed since")
    return Finding("ok", "allowed", "yes") if decision else Finding("--", "allowed", "no, you said")


def _program(found: DiscoveredExtension) -> list[Finding]:
    if not found.manifest.exec:
        return [Finding("--", "program", "it has none, and needs none")]
    if missing := needs(found):
        return [Finding("no", "program", line) for line in missing]
    argv = command(found.manifest, found.directory)
    findings = [Finding("ok", "program", shlex.join(argv)), *_interpreter(argv[0])]
    for argument in found.manifest.args:
        script = argument.endswith(_SCRIPTS) and not argument.startswith("-")
        if script and not os.path.exists(os.path.join(found.directory, argument)):
            findings.append(Finding("no", "argument", f"{argument} is not there"))
    return findings


def _interpreter(program: str) -> list[Finding]:
    """What the first line of a script asks for."""
    try:
        with open(program, "rb") as file:
            first = file.readline(256)
    except OSError as error:
        return [Finding("--", "interpreter", f"{program} cannot be read: {error.strerror}")]
    if not first.startswith(b"#!"):
        return []
    if first.endswith(b"\r\n"):
        return [Finding("no", "interpreter", "the first line ends like a line of Windows; save it with line feeds")]
    words = first[2:].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [each for each in words[1:] if not each.startswith("-") and "=" not in each]
    if not words:
        return [Finding("no", "interpreter", "the first line names none after #!")]
    path = shutil.which(words[0])
    if path is None:
        return [Finding("no", "interpreter", f"{words[0]} is not found; install it, or name another in the first line")]
    return [Finding("ok", "interpreter", path)]


def _skills(found: DiscoveredExtension) -> list[Finding]:
    missing = [path for path in found.manifest.skills if not os.path.exists(os.path.join(found.directory, path))]
    return [Finding("no", "skill", f"{path} is not there") for path in missing]


def _theme(found: DiscoveredExtension) -> list[Finding]:
    if not theme(found):
        return []
    if fault := theme_fault(found.directory):
        return [Finding("no", "theme", fault)]
    notes = [Finding("--", "theme", note) for note in theme_notes(found.directory)]
    return [Finding("ok", "theme", f"{word(theme(found))} shows it"), *notes]


def _log(found: DiscoveredExtension) -> Finding:
    path = log_path(zot_home(), found.name)
    try:
        return Finding("ok", "log", f"{path} ({os.path.getsize(path)} bytes)")
    except OSError:
        return Finding("--", "log", f"{path} is not there yet")
