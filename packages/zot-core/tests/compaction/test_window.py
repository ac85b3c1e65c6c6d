"""Context windows that nobody, or only the server, knows."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from zot_core import Runtime
from zot_core.agent import user_message
from zot_core.compaction.window import ELSEWHERE, HERE, Window
from zot_core.events import AgentEvent, CompactStart
from zot_provider.testing import Fault, ScriptedServer, Turn
from zot_provider.usage import Usage


def runtime(server: ScriptedServer, model: str = "local/m") -> Runtime:
    return Runtime(model, base_url=server.base_url("openai-chat"), api_key="k")


async def test_a_window_that_nobody_knows_is_guessed_by_where_the_server_is() -> None:
    with ScriptedServer() as server:
        async with runtime(server) as here, Runtime("local/m", base_url="https://far.example/v1") as elsewhere:
            assert here.compactor.window.current == Window(HERE, guessed=True)
            assert elsewhere.compactor.window.current == Window(ELSEWHERE, guessed=True)


async def test_a_window_of_the_catalogue_is_no_guess() -> None:
    async with Runtime("anthropic/claude-sonnet-4-5", api_key="k") as rt:
        window = rt.compactor.window.current
    assert not window.guessed
    assert window.tokens >= 200_000


async def test_a_refusal_says_how_large_the_window_is() -> None:
    words = "This model's maximum context length is 6000 tokens"
    refusal = Turn(fault=Fault(status=400, body={"error": {"message": words, "code": "context_length_exceeded"}}))
    with ScriptedServer([refusal, "short", "fine"]) as server:
        async with runtime(server) as rt:
            await rt.prompt("word " * 9000)
            assert rt.compactor.window.current == Window(6000)


async def test_a_conversation_in_a_guessed_window_is_compacted() -> None:
    turns = [Turn("ok", usage=Usage()) for _ in range(20)]
    with ScriptedServer(turns) as server:
        async with runtime(server) as rt:
            events: list[AgentEvent] = []
            rt.hooks.event.add(events.append)
            for _ in range(9):
                await rt.prompt("数据处理" * 1100)
    assert any(isinstance(event, CompactStart) for event in events)


async def test_the_request_for_the_summary_fits_a_guessed_window() -> None:
    with ScriptedServer([Turn("ok", usage=Usage()) for _ in range(40)]) as server:
        async with runtime(server) as rt:
            for _ in range(30):
                rt.agent.history.append(user_message("word " * 4000))
            await rt.prompt("go")
            asked = [request for request in server.requests if "<conversation>" in json.dumps(request.body)]
    assert asked
    assert all(len(json.dumps(request.body)) < HERE * 4 for request in asked)


class _Lists(BaseHTTPRequestHandler):
    """A server that has a list of models with their windows, and nothing else."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": "m", "object": "model", "context_length": 9000}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


async def test_the_list_of_the_server_is_asked_for_a_window_that_is_only_guessed() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Lists)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        async with Runtime("local/m", base_url=url) as named, Runtime(provider="local", base_url=url) as unnamed:
            await named.compactor.window.look_up()
            assert named.compactor.window.current == Window(9000)
            await unnamed.name_model()
            assert (unnamed.agent.model.id, unnamed.agent.model.context_window) == ("m", 9000)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
