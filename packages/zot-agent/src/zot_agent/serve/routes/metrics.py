"""`metrics`: what this server has open, and the durable runs of this person, in Prometheus' text format.

Source of the format: Prometheus' documentation, "Exposition formats", version 0.0.4.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from zot_agent.runs.store import RunStore
from zot_agent.serve.session import ServedSession

_TYPE = "text/plain; version=0.0.4"


class MetricRoutes:
    """The endpoint `/metrics`. Nothing is counted between two requests."""

    def __init__(self, sessions: Callable[[], Sequence[ServedSession]]) -> None:
        self._sessions = sessions

    async def show(self, request: Request) -> Response:
        """Describe the moment."""
        runs = Counter(run.state for run in await asyncio.to_thread(RunStore().all))
        hosts = [session.host for session in self._sessions()]
        usages = [host.runtime.usage for host in hosts]
        tokens = sum(each.input + each.output + each.cache_read + each.cache_write for each in usages)
        figures = (
            ("zot_sessions_open", "open sessions", [("", len(hosts))]),
            ("zot_sessions_busy", "open sessions that work", [("", sum(host.conversation.busy for host in hosts))]),
            ("zot_sessions_tokens", "tokens of the open sessions", [("", tokens)]),
            ("zot_sessions_cost_dollars", "known cost of the open sessions",
             [("", sum(each.cost_usd or 0.0 for each in usages))]),
            ("zot_local_runs", "durable runs of this machine", [(f'{{state="{name}"}}', runs[name]) for name in runs]),
        )  # fmt: skip
        lines = []
        for name, what, values in figures:
            lines += [f"# HELP {name} {what}", f"# TYPE {name} gauge"]
            lines += [f"{name}{labels} {value:g}" for labels, value in values]
        return PlainTextResponse("\n".join(lines) + "\n", media_type=_TYPE)
