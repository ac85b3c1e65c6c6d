"""`zot ext doctor [NAME]`: shows why an extension does not run, and what it registers when it does."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.cli.ext.folder.modes import modes_fault
from zot_agent.cli.ext.folder.names import display_name, installed, pick, project_choice
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.folder.theme import theme, theme_fault, theme_notes
from zot_agent.cli.ext.probe import probe
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import read_settings
from zot_agent.extensions.discover import DiscoveredExtension, Discovery, Problem
from zot_agent.extensions.launch import command
from zot_agent.extensions.log import log_path
from zot_agent.extensions.permissions.lines import NOTHING, permission_lines
from zot_agent.extensions.python.environment import environment_of
from zot_agent.host.extension_grants import ExtensionGrants
from zot_provider.files.regular_file import read_start

_SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".pl", ".lua")


def doctor(name: str = "", *, no_start: bool = False) -> int:
    """Show problems, and what extensions register.

    NAME: the extension (default: all)
    --no-start: only check the files; do not start extensions
    """
    discovery = installed()
    chosen: list[DiscoveredExtension | Problem] = [pick(name)] if name else [*discovery.found, *discovery.problems]
    if not chosen:
        print_line("no extension is installed")
    everything: list[DiscoveredExtension | Problem] = [*discovery.found, *discovery.problems]
    lines = {each.directory: examine(each) for each in everything}
    if not no_start:
        # Start all of them, even if one is chosen: extensions may register each other's names.
        for directory, registered in probe(startable(discovery)).items():
            lines[directory] += registered.lines
    width = max(shutil.get_terminal_size().columns, 60) if sys.stdout.isatty() else 10_000
    for each in chosen:
        print_line(f"{inline(display_name(each))} ({each.scope}, {each.directory})")
        for line in lines[each.directory]:
            for row in line.lines(width).splitlines():
                print_line(row)
    return int(any(line.state == "no" for each in chosen for line in lines[each.directory]))


def examine(found: DiscoveredExtension | Problem) -> list[DoctorLine]:
    """Examine one extension without starting it."""
    if isinstance(found, Problem):
        return [DoctorLine("no", "manifest", found.message)]
    return [
        DoctorLine("ok", "manifest", f"version {found.manifest.version}" if found.manifest.version else "valid"),
        *_status(found),
        *_permissions(found),
        *_program(found),
        *_flags(found),
        *_resources(found),
        *_theme(found),
        *_modes(found),
        _log(found),
    ]


def startable(discovery: Discovery) -> list[DiscoveredExtension]:
    """List the active extensions that have a program and no problem, but for that of MCP servers: `zot mcp doctor`."""
    return [each for each in discovery.active() if each.scope != "bundled" and _can_start(examine(each))]


def _can_start(lines: Sequence[DoctorLine]) -> bool:
    by_topic = {line.topic: line.state for line in lines}
    allowed = by_topic.get("program") == "ok" and by_topic.get("allowed", "ok") == "ok"
    return allowed and "no" not in by_topic.values()


def _status(found: DiscoveredExtension) -> list[DoctorLine]:
    """Report whether zot would start the extension."""
    enabled = (
        DoctorLine("ok", "enabled", "yes") if found.enabled else DoctorLine("--", "enabled", "no; it does not run")
    )
    lines = [enabled]
    if found.hidden_by:
        lines.append(DoctorLine("--", "hidden", f"it does not run: {found.hidden_by} has the same name"))
    if found.scope == "project":
        lines.append(_allowed())
    return lines


def _allowed() -> DoctorLine:
    """Report whether what the project brings may be used."""
    settings = read_settings(zot_home())
    if problems := [*settings.errors, *settings.problems]:
        return DoctorLine("no", "allowed", problems[0])
    setting = settings.project_trust
    if setting != "ask":
        state = "ok" if setting == "on" else "--"
        return DoctorLine(state, "allowed", f"project_trust is {setting} in the settings")
    choice = project_choice()
    choice.find()
    if choice.undecided is not None:
        return DoctorLine("--", "allowed", "not decided yet, or something has changed since")
    return DoctorLine("ok", "allowed", "yes") if choice.trusted else DoctorLine("--", "allowed", "no, as you decided")


def _permissions(found: DiscoveredExtension) -> list[DoctorLine]:
    """Report what the extension may do, and whether the person has allowed that."""
    if not found.manifest.exec:
        return []
    lines = [DoctorLine("ok", "may", inline(line)) for line in permission_lines(found.manifest)]
    lines = lines or [DoctorLine("ok", "may", NOTHING)]
    if found.scope == "global" and not ExtensionGrants(zot_home()).decision(found):
        lines.append(DoctorLine("--", "allowed", f"no; allow it with zot ext enable {inline(found.name)}"))
    return lines


def _program(found: DiscoveredExtension) -> list[DoctorLine]:
    if not found.manifest.exec:
        return [DoctorLine("--", "program", "none (optional)")]
    if missing := needs(found):
        return [DoctorLine("no", "program", line) for line in missing]
    packages = environment_of(found, zot_home())
    argv = command(found.manifest, found.directory, packages.programs if packages else "")
    lines = [DoctorLine("ok", "program", shlex.join(argv)), *_interpreter(argv[0])]
    if packages is not None:
        lines.append(DoctorLine("ok", "packages", f"{inline(', '.join(packages.requirements))} in {packages.folder}"))
    for argument in found.manifest.args:
        script = argument.endswith(_SCRIPTS) and not argument.startswith("-")
        if script and not os.path.exists(os.path.join(found.directory, argument)):
            lines.append(DoctorLine("no", "argument", f"{argument} does not exist"))
    return lines


def _interpreter(program: str) -> list[DoctorLine]:
    """Check the interpreter in the first line of a script."""
    try:
        line, line_break, _ = read_start(program, 256).partition(b"\n")
    except OSError as error:
        return [DoctorLine("--", "interpreter", f"{program} cannot be read: {error.strerror}")]
    first = line + line_break
    if not first.startswith(b"#!"):
        return []
    if first.endswith(b"\r\n"):
        return [DoctorLine("no", "interpreter", "the first line ends in CR LF; save the file with line feeds")]
    words = first[2:].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [each for each in words[1:] if not each.startswith("-") and "=" not in each]
    if not words:
        return [DoctorLine("no", "interpreter", "the first line names no interpreter after #!")]
    path = shutil.which(words[0])
    if path is None:
        return [DoctorLine("no", "interpreter", f"{words[0]} is not found; install it, or change the first line")]
    return [DoctorLine("ok", "interpreter", path)]


def _flags(found: DiscoveredExtension) -> list[DoctorLine]:
    names = ", ".join(f"--{flag.name}" for flag in found.manifest.flags)
    return [DoctorLine("ok", "flags", names)] if names else []


def _resources(found: DiscoveredExtension) -> list[DoctorLine]:
    """Report the skills, prompt templates and themes that the manifest names and that do not exist."""
    named = {"skill": found.manifest.skills, "prompt": found.manifest.prompts, "theme": found.manifest.themes}
    return [
        DoctorLine("no", kind, f"{path} does not exist")
        for kind, paths in named.items()
        for path in paths
        if not os.path.exists(os.path.join(found.directory, path))
    ]


def _theme(found: DiscoveredExtension) -> list[DoctorLine]:
    if not theme(found):
        return []
    if fault := theme_fault(found.directory):
        return [DoctorLine("no", "theme", fault)]
    notes = [DoctorLine("--", "theme", note) for note in theme_notes(found.directory)]
    return [DoctorLine("ok", "theme", f"show it with {inline(theme(found))}"), *notes]


def _modes(found: DiscoveredExtension) -> list[DoctorLine]:
    if found.manifest.editor_modes is None:
        return []
    fault = modes_fault(found.manifest)
    return [DoctorLine("no" if fault else "ok", "editor_modes", fault or ", ".join(found.manifest.editor_modes.value))]


def _log(found: DiscoveredExtension) -> DoctorLine:
    path = log_path(zot_home(), found.name)
    try:
        return DoctorLine("ok", "log", f"{path} ({os.path.getsize(path)} bytes)")
    except OSError:
        return DoctorLine("--", "log", f"{path} does not exist yet")
