"""What extensions do when they are started: for `zot ext doctor`."""

import asyncio
import os
from collections.abc import Sequence

from zot_agent.cli.doctor import Finding
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension, Discovery
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.managed import ManagedExtension
from zot_core.skills import SKILL_TOOL
from zot_core.tools import BUILTIN_TOOLS


def probe(found: Sequence[DiscoveredExtension]) -> dict[str, list[Finding]]:
    """Start the extensions side by side, see what they register, and stop them; findings by directory."""
    return asyncio.run(_probe(found))


async def _probe(found: Sequence[DiscoveredExtension]) -> dict[str, list[Finding]]:
    extensions = Extensions(
        lambda: Discovery(list(found), []),
        lambda: AgentInfo(os.getcwd(), "doctor", "doctor", ""),
        home=zot_home(),
        tools=[SKILL_TOOL, *(tool.name for tool in BUILTIN_TOOLS)],
    )
    extensions.start()
    try:
        await extensions.ready()
        return {member.found.directory: _findings(member, extensions) for member in extensions.members}
    finally:
        await extensions.close()


def _findings(member: ManagedExtension, extensions: Extensions) -> list[Finding]:
    if member.failure:
        return [Finding("no", "start", member.failure)]
    if not member.running:
        return [Finding("no", "start", f"no hello within {extensions.limits.ready_total_seconds:g} s")]
    found = [Finding("ok", "start", "runs")]
    if not member.started.done() or (member.connection is not None and member.connection.auto_ready):
        found.append(Finding("--", "ready", "it never says so; zot waits a quarter of a second for it at each start"))
    name = member.name
    brings = {
        "commands": [f"/{command.name}" for command in extensions.commands if command.source == name],
        "tools": [offer.name for offer in extensions.tools if offer.source == name],
        "watches": sorted(member.observes),
        "guards": sorted(member.intercepts),
    }
    found += [Finding("ok", what, ", ".join(names)) for what, names in brings.items() if names]
    return found + [Finding("no", "name", why) for why in member.name_conflicts]
