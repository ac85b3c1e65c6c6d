"""Traces of OpenTelemetry, made with its SDK and received by a collector on a real socket."""

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from command import Zot
from fleet_servers import Workers
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, ScriptedServer, Turn


class Collector:
    """Keeps the spans that it receives."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.services: set[str] = set()
        spans, services = self.spans, self.services

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    about = {each.key: each.value.string_value for each in resource.resource.attributes}
                    services.add(about["service.name"])
                    spans.extend(span for scope in resource.scope_spans for span in scope.spans)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server.server_port}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": f"{PATIENCE:g}",
        }
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def find(self, name: str) -> Any:
        return next((span for span in self.spans if span.name == name), None)


@pytest.fixture
def collector() -> Iterator[Collector]:
    running = Collector()
    yield running
    running.close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_a_run_has_a_span_with_its_model_calls_and_tool_calls(
    zot: Zot, server: ScriptedServer, collector: Collector
) -> None:
    server.add(
        Turn("", calls=[Call("bash", {"command": "echo secret"}, "c1"), Call("read", {"path": "no"}, "c2")]), "all done"
    )
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    env = zot.env | collector.variables | {"TRACEPARENT": parent}
    done = zot.run("-p", *zot.at(server), "do it", env=env)
    assert done.result == (0, "all done\n", "")
    names = sorted(span.name for span in collector.spans)
    model = next(name for name in names if name.startswith("chat "))
    assert names == [model, model, "execute_tool bash", "execute_tool read", "invoke_agent zot"]
    run, bash = collector.find("invoke_agent zot"), collector.find("execute_tool bash")
    assert (run.trace_id.hex(), run.parent_span_id.hex()) == ("a" * 32, "b" * 16)
    assert {span.parent_span_id for span in collector.spans if span is not run} == {run.span_id}
    assert attributes(run)["zot.end"] == "completed"
    assert attributes(bash) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": "c1",
        "zot.fate": "ran",
    }
    call = attributes(collector.find(model))
    assert call["gen_ai.usage.output_tokens"] > 0
    assert call["zot.step"] == 1
    assert collector.find("execute_tool read").status.code == 2
    assert collector.services == {"zot"}
    assert "secret" not in str(collector.spans)


def test_a_collector_that_is_away_or_switched_off_changes_nothing(zot: Zot, server: ScriptedServer) -> None:
    server.add("all done", "all done")
    env = zot.env | {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    assert zot.run("-p", *zot.at(server), "do it", env=env).out == "all done\n"
    off = env | {"OTEL_SDK_DISABLED": "true", "PYTHONPROFILEIMPORTTIME": "1"}
    assert "opentelemetry" not in zot.run("-p", *zot.at(server), "do it", env=off).err


def test_the_spans_of_a_run_of_a_fleet_belong_to_its_submission(
    zot: Zot, server: ScriptedServer, workers: Workers, collector: Collector
) -> None:
    server.add(Turn("", calls=[Call("bash", {"command": "true"}, "c1")]), "all done")
    zot.env |= collector.variables
    workers.start()
    done = zot.run("run", "--fleet", "--id", f"seen-{os.urandom(3).hex()}", *zot.at(server), "x", timeout=PATIENCE)
    assert done.result == (0, "all done\n", "")
    begun = wait_until(lambda: collector.find("StartWorkflow:zot-run"), "the submission")
    attempt = wait_until(lambda: collector.find("RunActivity:zot-drive"), "the attempt")
    run, tool = collector.find("invoke_agent zot"), collector.find("execute_tool bash")
    assert {span.trace_id for span in (attempt, run, tool)} == {begun.trace_id}
    assert run.parent_span_id == attempt.span_id
    assert tool.parent_span_id == run.span_id
