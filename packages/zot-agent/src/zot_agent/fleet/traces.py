"""The spans of the engine around the spans of a run: the submission, the workflow and the attempt that drives it."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from temporalio.client import Interceptor

from zot_agent.host.host import COLLECTORS
from zot_agent.traces import PARENT, open_provider

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


_providers: "list[TracerProvider]" = []


def engine_traces() -> Sequence[Interceptor]:
    """Return what makes the spans of a client or a worker of Temporal; nothing without a collector."""
    provider = open_provider() if any(map(os.environ.get, COLLECTORS)) else None
    if provider is None:
        return ()
    _providers.append(provider)
    from temporalio.contrib.opentelemetry import TracingInterceptor  # noqa: PLC0415  an extra

    return (TracingInterceptor(provider.get_tracer("zot")),)


def close_traces() -> None:
    """Export what is left, before this process ends. Blocks for `TraceLimits.seconds` at most."""
    while _providers:
        _providers.pop().shutdown()


def current_span() -> str:
    """Return the span of the attempt that runs here, in the format of `TRACEPARENT`; empty without one."""
    if not _providers:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator as Format  # noqa: PLC0415

    carrier: dict[str, str] = {}
    Format().inject(carrier)
    return carrier.get(PARENT.lower(), "")
