"""`metrics`: what this server has open, and the durable runs of this person and of a fleet, in Prometheus' text format.

Source of the format: Prometheus' documentation, "Exposition formats", version 0.0.4.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from zot_agent.runs.store import RunStore
from zot_agent.serve.session import ServedSession
from zot_provider.errors import ZotError

if TYPE_CHECKING:
    from zot_agent.fleet.view import FleetView

_TYPE = "text/plain; version=0.0.4"


class MetricRoutes:
    """The endpoint `/metrics`. Nothing is counted between two requests."""

    def __init__(self, sessions: Callable[[], Sequence[ServedSession]], fleet: "FleetView | None") -> None:
        self._sessions, self._fleet = sessions, fleet

    async def show(self, request: Request) -> Response:
        """Describe the moment."""
        runs = Counter(run.state for run in await asyncio.to_thread(RunStore().all))
        hosts = [session.host for session in self._sessions()]
        usages = [host.runtime.usage for host in hosts]
        tokens = sum(each.input + each.output + each.cache_read + each.cache_write for each in usages)
        figures: list[tuple[str, str, list[tuple[str, float]]]] = [
            ("zot_sessions_open", "open sessions", [("", len(hosts))]),
            ("zot_sessions_busy", "open sessions that work", [("", sum(host.conversation.busy for host in hosts))]),
            ("zot_sessions_tokens", "tokens of the open sessions", [("", tokens)]),
            ("zot_sessions_cost_dollars", "known cost of the open sessions",
             [("", sum(each.cost_usd or 0.0 for each in usages))]),
            ("zot_local_runs", "durable runs of this machine", [(f'{{state="{name}"}}', runs[name]) for name in runs]),
        ]  # fmt: skip
        if self._fleet is not None:
            figures += await self._fleet_figures(self._fleet)
        lines = []
        for name, what, values in figures:
            lines += [f"# HELP {name} {what}", f"# TYPE {name} gauge"]
            lines += [f"{name}{labels} {value:g}" for labels, value in values]
        return PlainTextResponse("\n".join(lines) + "\n", media_type=_TYPE)

    async def _fleet_figures(self, fleet: "FleetView") -> list[tuple[str, str, list[tuple[str, float]]]]:
        states: Counter[str] = Counter()
        try:
            states, answers = await fleet.open_states(), 1
        except ZotError:
            answers = 0
        return [
            ("zot_fleet_answers", "whether the engine of the fleet answers", [("", answers)]),
            ("zot_fleet_runs", "runs of the fleet that are not over",
             [(f'{{state="{name}"}}', states[name]) for name in states]),
        ]  # fmt: skip
