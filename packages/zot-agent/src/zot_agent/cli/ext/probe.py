"""Starts extensions and reports what they register, for `zot ext doctor` and `zot ext list`."""

import os
from collections.abc import Sequence

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.config.child_keys import removed_variables
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.extensions.discover import DiscoveredExtension, Discovery
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.managed import ManagedExtension
from zot_agent.extensions.setup import ExtensionSetup
from zot_agent.host.build import open_registry
from zot_agent.host.extensions import extension_limits
from zot_agent.ui.commands import KEYS
from zot_core.skills import SKILL_TOOL
from zot_core.tools import BUILTIN_TOOLS
from zot_provider.record import Record


class ProbeResult(Record):
    """The registrations of an extension, as lines of the doctor, why it does not get a name, a line each, and why it
    does not run, or not whole."""

    lines: list[DoctorLine]
    name_conflicts: list[str]
    absence: str = ""


def probe(found: Sequence[DiscoveredExtension]) -> dict[str, ProbeResult]:
    """Start the extensions at the same time, note what they register, and stop them; return that by directory."""
    return run_in_loop(_probe(found)) if found else {}


async def _probe(found: Sequence[DiscoveredExtension]) -> dict[str, ProbeResult]:
    extensions = Extensions(
        lambda: Discovery(list(found), []),
        lambda: AgentInfo(os.getcwd(), "doctor", "doctor", ""),
        ExtensionSetup(
            zot_home(),
            extension_limits(),
            removed_env=removed_variables(load_settings(zot_home()), open_registry(zot_home()).providers),
            commands=KEYS,
            tools=[SKILL_TOOL, *(tool.name for tool in BUILTIN_TOOLS if not tool.replaceable)],
        ),
    )
    extensions.start()
    try:
        await extensions.ready()
        return {member.found.directory: _result(member, extensions) for member in extensions.members}
    finally:
        await extensions.close()


def _result(member: ManagedExtension, extensions: Extensions) -> ProbeResult:
    # Sorted, since extensions register side by side: which conflict is noticed first differs from run to run.
    conflicts = sorted({each.why for each in member.registrations.conflicts})
    shadowed = [DoctorLine("no", "name", why) for why in conflicts]
    absence = _absence(member, extensions)
    return ProbeResult([*_lines(member, extensions, absence), *shadowed], conflicts, absence)


def _absence(member: ManagedExtension, extensions: Extensions) -> str:
    if member.failure or not member.running:
        return member.failure or f"no hello within {extensions.setup.limits.ready_total_seconds:g} s"
    if member.progress.given_up or not member.started.done():
        return "still loading: it was not ready in the time that zot waits"
    return member.progress.absence and f"not complete: {member.progress.absence}"


def _lines(member: ManagedExtension, extensions: Extensions, absence: str) -> list[DoctorLine]:
    name = member.name
    registered = {
        "commands": [f"/{command.name}" for command in extensions.commands if command.source == name],
        "tools": [offer.name for offer in extensions.tools if offer.source == name],
        "watches": sorted(member.registrations.observes),
        "guards": sorted(member.registrations.intercepts),
    }
    lines = [DoctorLine("ok", kind, ", ".join(names)) for kind, names in registered.items() if names]
    if absence:
        return [DoctorLine("no", "start", absence), *(lines if member.running else [])]
    runs = DoctorLine("ok", "start", "runs" if lines else "runs; it has registered no command, tool, event or guard")
    if member.connection is not None and member.connection.handshake.auto_ready:
        lines.insert(0, DoctorLine("--", "ready", "it sends no ready frame, so zot waits 0.25 s at every start"))
    return [runs, *lines]
