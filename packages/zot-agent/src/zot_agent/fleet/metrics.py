"""`FleetMetrics`: counts of a worker, which Temporal's own endpoint for Prometheus serves beside the engine's."""

from typing import Any

from temporalio.common import MetricCounter, MetricGauge
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig

from zot_provider.errors import ConfigError


class FleetMetrics:
    """Runs that a worker has and has ended, by state; steps, tokens and US dollars. Without a runtime nothing is
    counted."""

    def __init__(self, runtime: Runtime | None = None) -> None:
        self._runs = 0
        self._gauge: MetricGauge | None = None
        self._counters: dict[str, MetricCounter] = {}
        self._meter = meter = runtime.metric_meter if runtime is not None else None
        if meter is not None:
            self._gauge = meter.create_gauge("zot_runs", "runs that this worker has")
            for name, what in (
                ("zot_attempts_ended", "attempts that have ended, by state"),
                ("zot_steps", "model calls"),
                ("zot_tokens", "tokens, of the sessions that attempts have ended"),
                ("zot_cost_microdollars", "cost of the sessions that attempts have ended, in millionths of US dollars"),
            ):
                self._counters[name] = meter.create_counter(name, what)

    def begin(self) -> None:
        """Count a run that this worker has taken."""
        self._change(1)

    def end(self, end: dict[str, Any], progress: dict[str, Any]) -> None:
        """Count a run that has left this worker."""
        self._change(-1)
        self._add("zot_attempts_ended", 1, {"state": str(end["state"])})
        self._add("zot_steps", int(progress.get("steps", 0)))
        self._add("zot_tokens", int(progress.get("tokens", 0)))
        self._add("zot_cost_microdollars", round(float(progress.get("cost", 0.0)) * 1e6))

    def _change(self, by: int) -> None:
        self._runs += by
        if self._gauge is not None:
            self._gauge.set(self._runs)

    def _add(self, name: str, count: int, labels: dict[str, str] | None = None) -> None:
        if name in self._counters:
            self._counters[name].add(count, labels or {})


def open_runtime(address: str) -> Runtime | None:
    """Return a runtime that serves `http://ADDRESS/metrics`; None without an address. Raises `ConfigError`."""
    if not address:
        return None
    try:
        return Runtime(
            telemetry=TelemetryConfig(metrics=PrometheusConfig(bind_address=address, counters_total_suffix=True))
        )
    except (RuntimeError, ValueError) as error:
        raise ConfigError(f"cannot serve metrics at {address}: {str(error).splitlines()[0]}") from error
