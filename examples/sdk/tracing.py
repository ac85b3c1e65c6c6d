"""Spans for OpenTelemetry: one for a run, in it one for each model call and one for each tool call.

uv run --with opentelemetry-sdk examples/sdk/tracing.py "what is in this folder?"

Names and attributes are those of the semantic conventions for generative AI.
"""
# mypy: disable-error-code=import-not-found

import asyncio
import sys

from zot_core import AgentEvent, Done, ErrorEvent, Runtime, ToolRequest, ToolResultEvent, TurnEnd, TurnStart, UsageEvent

try:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider, export
except ModuleNotFoundError:
    sys.exit("tracing: needs opentelemetry-sdk: uv run --with opentelemetry-sdk examples/sdk/tracing.py")


class Tracing:
    """Watches one agent."""

    def __init__(self, rt: Runtime, tracer: trace.Tracer) -> None:
        self.rt, self.tracer = rt, tracer
        self.open: dict[str, trace.Span] = {}  # "run", "turn" and the ids of calls
        rt.hooks.event.add(self.watch)
        rt.hooks.tool_run.add(self.begin_tool)

    def begin(self, key: str, name: str, **attributes: str) -> None:
        within = trace.set_span_in_context(self.open["run"]) if "run" in self.open else None
        self.open[key] = self.tracer.start_span(name, within, attributes=attributes)

    def begin_tool(self, call: ToolRequest) -> None:
        self.begin(call.id, f"execute_tool {call.name}", **{"gen_ai.tool.call.id": call.id})

    def watch(self, event: AgentEvent) -> None:
        if "run" not in self.open:
            self.begin("run", "invoke_agent")
        match event:
            case TurnStart():
                model, self.before = self.rt.agent.model.id, self.rt.usage
                self.begin("turn", f"chat {model}", **{"gen_ai.request.model": model})
            case UsageEvent(_, total):  # some providers report more than once
                self.open["turn"].set_attribute("gen_ai.usage.input_tokens", total.input - self.before.input)
                self.open["turn"].set_attribute("gen_ai.usage.output_tokens", total.output - self.before.output)
            case TurnEnd(stop, error):
                self.open["turn"].set_attribute("gen_ai.response.finish_reasons", [stop])
                self.end("turn", error)
            case ToolResultEvent(id, is_error=failed) if id in self.open:
                self.end(id, "tool_error" if failed else "")
            case ErrorEvent(message):
                self.open["run"].set_status(trace.StatusCode.ERROR, message)
            case Done():
                self.end("run")

    def end(self, key: str, error: str = "") -> None:
        span = self.open.pop(key)
        if error:
            span.set_status(trace.StatusCode.ERROR, error)
        span.end()


async def main(question: str) -> None:
    provider = TracerProvider()
    # Yours goes to a collector: opentelemetry.exporter.otlp. This one prints a line for each span.
    lines = export.ConsoleSpanExporter(formatter=lambda span: f"{span.name} {dict(span.attributes or {})}\n")
    provider.add_span_processor(export.SimpleSpanProcessor(lines))
    async with Runtime(builtin_tools=["ls", "read"]) as rt:
        Tracing(rt, provider.get_tracer("zot"))
        print(await rt.ask(question))


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "what is in this folder?"))
