"""Traces of OpenTelemetry: a span for each run, and in it one for each model call and each tool call.

They are made where a variable of OpenTelemetry names a collector and the extra `otel` is installed. A span has names,
tokens and outcomes, as the conventions for generative AI name them; it has no text of a prompt, an answer or a call.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from zot_agent.version import __version__
from zot_core.events import AgentEvent, Done, ErrorEvent, ToolResultEvent, ToolStart, TurnEnd, TurnStart, UsageEvent
from zot_provider.record import Record

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

    from zot_core.runtime.runtime import Runtime

PARENT = "TRACEPARENT"
"""The span that a run belongs to, in the format of W3C's header of the same name."""


TIMEOUTS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
"""The variables of OpenTelemetry that say how many seconds one export may take."""


class TraceLimits(Record):
    """`seconds`: how long one export may take where no variable says it, and so how long the end of a process may wait
    for a collector."""

    seconds: float = 3.0


def open_provider(limits: TraceLimits | None = None) -> "TracerProvider | None":
    """Return what exports spans to the collector of the variables; None if they switch that off, and where
    OpenTelemetry is not installed. Its `shutdown` exports what is left, which may take `TraceLimits.seconds`."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or os.environ.get("OTEL_TRACES_EXPORTER") == "none":
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  an extra
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  as above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  as above
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  as above
    except ImportError:
        return None
    about = {"service.version": __version__}
    if not os.environ.get("OTEL_SERVICE_NAME"):
        about["service.name"] = "zot"
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    seconds = None if any(map(os.environ.get, TIMEOUTS)) else (limits or TraceLimits()).seconds
    exporter = OTLPSpanExporter(timeout=seconds)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class Traces:
    """The spans of the runs of a runtime, made with `provider`."""

    def __init__(self, runtime: "Runtime", provider: "TracerProvider") -> None:
        self._runtime, self.provider = runtime, provider
        self._tracer = provider.get_tracer("zot", __version__)
        self._run: Span | None = None
        self._call: Span | None = None
        self._tools: dict[str, Span] = {}
        self._error = ""
        runtime.hooks.event.add(
            self._on_event, TurnStart, UsageEvent, TurnEnd, ToolStart, ToolResultEvent, ErrorEvent, Done
        )

    def close(self) -> None:
        """Export what is left. Blocks for `TraceLimits.seconds` at most."""
        self.provider.shutdown()

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, TurnStart):
            self._begin_call(event.step)
        elif isinstance(event, UsageEvent) and self._call is not None and not event.agent_id:
            self._call.set_attribute("gen_ai.usage.input_tokens", event.usage.input)
            self._call.set_attribute("gen_ai.usage.output_tokens", event.usage.output)
        elif isinstance(event, TurnEnd):
            self._end(self._call, {"gen_ai.response.finish_reasons": [event.stop]}, event.error)
            self._call = None
        elif isinstance(event, ToolStart):
            about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": event.name}
            about["gen_ai.tool.call.id"] = event.id
            self._tools[event.id] = self._begin(f"execute_tool {event.name}", about, self._run)
        elif isinstance(event, ToolResultEvent):
            self._end(self._tools.pop(event.id, None), {"zot.fate": event.fate}, "failed" if event.is_error else "")
        elif isinstance(event, ErrorEvent):
            self._error = event.message
        elif isinstance(event, Done):
            self._end_run(event.reason)

    def _begin_call(self, step: int) -> None:
        model, session = self._runtime.agent.model, self._runtime.session
        if self._run is None:
            about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "zot"}
            if session is not None:
                about["gen_ai.conversation.id"] = session.meta.session_id
            self._run, self._error = self._begin("invoke_agent zot", about, None), ""
        named = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": model.provider}
        named["gen_ai.request.model"] = model.id
        self._call = self._begin(f"chat {model.id}", {**named, "zot.step": step}, self._run)

    def _end_run(self, reason: str) -> None:
        for each in (*self._tools.values(), self._call):
            self._end(each, {}, "")
        self._end(self._run, {"zot.end": reason}, self._error if reason == "error" else "")
        self._tools.clear()
        self._run = self._call = None

    def _begin(self, name: str, about: "Mapping[str, str | int]", parent: "Span | None") -> "Span":
        from opentelemetry.trace import set_span_in_context  # noqa: PLC0415  an extra

        return self._tracer.start_span(
            name, context=_parent_of_runs() if parent is None else set_span_in_context(parent), attributes=about
        )

    @staticmethod
    def _end(span: "Span | None", about: "Mapping[str, str | list[str]]", error: str) -> None:
        if span is None:
            return
        from opentelemetry.trace import StatusCode  # noqa: PLC0415  an extra

        span.set_attributes(about)
        if error:
            span.set_status(StatusCode.ERROR, error)
        span.end()


def _parent_of_runs() -> "Context":
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415  an extra

    return TraceContextTextMapPropagator().extract({"traceparent": os.environ.get(PARENT, "")})
