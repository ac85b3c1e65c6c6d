import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Literal

import pytest
from waiting import PATIENCE

from zot_provider.errors import ModelError
from zot_provider.events import StreamEnd, StreamEvent
from zot_provider.messages import TextBlock, ToolCallBlock
from zot_provider.testing import Call, Delivery, Fault, Received, ScriptedServer, Turn
from zot_provider.transport.sse import SseSplitter
from zot_provider.wire import WIRES, load_wire

BODIES = {
    "anthropic-messages": {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
    },
    "openai-chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True},
    "openai-responses": {"model": "m", "input": "hi", "stream": True},
    "bedrock-converse": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers = response.status, response.headers
        self.complete = True
        try:
            self.body = response.read()
        except http.client.IncompleteRead as error:
            self.body, self.complete = error.partial, False

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.body)


def connect(server: ScriptedServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE)


def path(server: ScriptedServer, wire: str) -> str:
    return server.base_url(wire).removeprefix(server.url) + load_wire(wire).path.replace("{model}", "m")


def ask(server: ScriptedServer, wire: str = "openai-chat", *, key: str = "k", **changes: object) -> Answer:
    connection = connect(server)
    try:
        body = json.dumps(BODIES[wire] | changes)
        connection.request("POST", path(server, wire), body, load_wire(wire).auth(key))
        return Answer(connection.getresponse())
    finally:
        connection.close()


def events(answer: Answer, wire: str = "openai-chat") -> list[StreamEvent]:
    decoder, splitter = load_wire(wire).open_decoder(), (load_wire(wire).splitter or SseSplitter)()
    return [*decoder.feed(splitter.feed(answer.body)), *decoder.finish()]


def end(answer: Answer, wire: str = "openai-chat") -> StreamEvent:
    return events(answer, wire)[-1]


@pytest.mark.parametrize("wire", WIRES)
def test_each_wire_gets_the_turn_in_its_own_words(wire: str) -> None:
    with ScriptedServer([Turn("hello", calls=[Call("read", {"a": 1})])]) as server:
        answer = ask(server, wire)
    kind = "application/vnd.amazon.eventstream" if wire == "bedrock-converse" else "text/event-stream"
    assert (answer.status, answer.headers["content-type"]) == (200, kind)
    assert end(answer, wire) == StreamEnd("tool_use", [TextBlock("hello"), ToolCallBlock("call_1", "read", '{"a": 1}')])


def test_a_request_is_written_down_as_it_came() -> None:
    before = time.monotonic()
    with ScriptedServer(["a"]) as server:
        ask(server)
    (request,) = server.requests
    assert before < request.at < time.monotonic()
    assert request.headers["authorization"] == "Bearer k"
    assert request.replace(at=0.0, headers={}) == Received(
        "POST", "/v1/chat/completions", {}, BODIES["openai-chat"], "openai-chat", 0.0
    )


def test_an_answer_may_depend_on_the_request() -> None:
    with ScriptedServer([lambda request: Turn(request.body["messages"][0]["content"] + "!")]) as server:
        assert end(ask(server)) == StreamEnd("end_turn", [TextBlock("hi!")])


def test_one_connection_serves_many_requests() -> None:
    with ScriptedServer(["a", "b"], repeat=True) as server:
        connection, texts = connect(server), []
        for _ in range(3):
            connection.request("POST", "/v1/chat/completions", json.dumps(BODIES["openai-chat"]))
            texts.append(end(Answer(connection.getresponse())).content[0].text)
        connection.close()
    assert texts == ["a", "b", "a"]


def test_a_script_that_is_over_answers_500_and_says_so() -> None:
    with ScriptedServer(["a"]) as server:
        ask(server)
        answer = ask(server)
    assert (answer.status, answer.json) == (
        500,
        {
            "error": {
                "message": "the script is over: 1 turns were written, this is request 2",
                "type": "server_error",
                "param": None,
                "code": None,
            }
        },
    )


def test_more_can_be_written_while_it_runs() -> None:
    with ScriptedServer() as server:
        server.add("later")
        assert end(ask(server)) == StreamEnd("end_turn", [TextBlock("later")])


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (
            "anthropic-messages",
            {"type": "error", "error": {"type": "authentication_error", "message": "the API key is missing or wrong"}},
        ),
        (
            "openai-chat",
            {
                "error": {
                    "message": "the API key is missing or wrong",
                    "type": "invalid_request_error",
                    "param": None,
                    "code": "invalid_api_key",
                }
            },
        ),
    ],
)
def test_a_wrong_key_is_refused_in_the_shape_of_the_provider(wire: str, body: dict[str, Any]) -> None:
    with ScriptedServer(["a"], key="right") as server:
        answer = ask(server, wire, key="wrong")
        assert (answer.status, answer.json) == (401, body)
        assert ask(server, wire, key="").status == 401
        assert ask(server, wire, key="right").status == 200


def test_an_anthropic_client_may_bring_its_key_as_a_bearer_token() -> None:
    with ScriptedServer(["a", "b"], key="right") as server:
        for token, status in (("right", 200), ("wrong", 401)):
            connection = connect(server)
            body, headers = json.dumps(BODIES["anthropic-messages"]), {"anthropic-version": "2023-06-01"}
            headers["authorization"] = f"Bearer {token}"
            connection.request("POST", path(server, "anthropic-messages"), body, headers)
            assert connection.getresponse().status == status
            connection.close()


@pytest.mark.parametrize("headers", [{"x-api-key": "k"}, {"authorization": "Bearer k"}])
def test_the_models_are_listed_for_either_kind_of_key(headers: dict[str, str]) -> None:
    with ScriptedServer(key="k", models=["m-1", "m-2"]) as server:
        connection = connect(server)
        connection.request("GET", "/v1/models?limit=5", headers=headers)
        answer = Answer(connection.getresponse())
        connection.request("GET", "/v1/models")
        assert Answer(connection.getresponse()).status == 401
        connection.close()
    assert [entry["id"] for entry in answer.json["data"]] == ["m-1", "m-2"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/v1/models"), ("POST", "/chat/completions")])
def test_other_paths_are_not_found(method: str, path: str) -> None:
    with ScriptedServer(["a"]) as server:
        connection = connect(server)
        connection.request(method, path)
        answer = Answer(connection.getresponse())
        connection.close()
    assert (answer.status, answer.json["error"]["message"]) == (404, f"there is nothing at {method} {path}")


@pytest.mark.parametrize(
    ("wire", "changes", "message"),
    [
        ("anthropic-messages", {"max_tokens": None}, "the request lacks the field 'max_tokens'"),
        ("openai-chat", {"messages": []}, "the request lacks the field 'messages'"),
        ("openai-responses", {"model": ""}, "the request lacks the field 'model'"),
        ("openai-chat", {"stream": False}, "the request lacks stream: true; only streams are scripted"),
    ],
)
def test_a_request_the_real_api_would_refuse_is_refused(wire: str, changes: dict[str, Any], message: str) -> None:
    with ScriptedServer(["a"]) as server:
        answer = ask(server, wire, **changes)
        assert (answer.status, answer.json["error"]["message"]) == (400, message)
        assert ask(server, wire).status == 200  # no turn was spent on it


def test_a_body_that_is_no_json_and_a_version_that_is_missing_are_refused() -> None:
    with ScriptedServer() as server:
        connection = connect(server)
        for path, body in (("/v1/chat/completions", "{"), ("/v1/messages", json.dumps(BODIES["anthropic-messages"]))):
            connection.request("POST", path, body)
            assert Answer(connection.getresponse()).status == 400
        connection.close()
    assert [request.body for request in server.requests] == [None, BODIES["anthropic-messages"]]


@pytest.mark.parametrize(
    ("fault", "status", "kind", "body"),
    [
        (
            Fault(status=529),
            529,
            "application/json",
            '{"type": "error", "error": {"type": "overloaded_error", "message": "failure"}}',
        ),
        (Fault(status=503, body={"a": 1}), 503, "application/json", '{"a": 1}'),
        (Fault(status=200, body="<html>hi</html>"), 200, "text/html", "<html>hi</html>"),
        (Fault(status=400, body="no", headers={"content-type": "x/y"}), 400, "x/y", "no"),
    ],
)
def test_a_status_comes_with_its_headers_and_body(fault: Fault, status: int, kind: str, body: str) -> None:
    fault.headers["retry-after"] = "3"
    with ScriptedServer([Turn(fault=fault)]) as server:
        answer = ask(server, "anthropic-messages")
    assert (answer.status, answer.headers["content-type"], answer.body.decode()) == (status, kind, body)
    assert answer.headers["retry-after"] == "3"


def test_an_error_of_the_model_comes_inside_the_stream() -> None:
    with (
        ScriptedServer([Turn("a", error=ModelError("boom", code="server_error"))]) as server,
        pytest.raises(ModelError),
    ):
        end(ask(server))


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("writes", ["event", "batch", "whole", "byte"])
def test_the_client_gets_the_same_however_it_is_delivered(
    writes: Literal["event", "batch", "whole", "byte"], framing: Literal["chunked", "close"]
) -> None:
    turn = Turn("Hello, how are you?", chunk=2, delivery=Delivery(writes=writes, batch=3, framing=framing))
    with ScriptedServer([turn]) as server:
        answer = ask(server)
    assert (end(answer), answer.complete) == (StreamEnd("end_turn", [TextBlock("Hello, how are you?")]), True)
    assert (answer.headers["transfer-encoding"] == "chunked") == (framing == "chunked")


def test_the_last_event_can_be_left_out() -> None:
    with ScriptedServer([Turn("a", delivery=Delivery(end=False))]) as server:
        answer = ask(server)
    assert b"[DONE]" not in answer.body
    assert end(answer) == StreamEnd("end_turn", [TextBlock("a")])


@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_a_stream_can_be_cut_in_the_middle(framing: Literal["chunked", "close"]) -> None:
    turn = Turn("abcdef", chunk=1, fault=Fault(cut=True, after=3), delivery=Delivery(framing=framing))
    with ScriptedServer([turn]) as server:
        answer = ask(server)
    assert answer.body.count(b"data: ") == 3
    assert answer.complete == (framing == "close")
    assert not server.requests[0].closed_early


def test_garbage_comes_in_the_middle_and_the_rest_after_it() -> None:
    with ScriptedServer([Turn("abc", chunk=1, fault=Fault(garbage=b"data: oops\n\n", after=2))]) as server:
        body = ask(server).body
    assert [event[:10] for event in body.split(b"\n\n")[1:4]] == [b'data: {"id', b"data: oops", b'data: {"id']
    assert body.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("fault", [Fault(stall=0.2), Fault(pause=0.2)])
def test_a_server_can_fall_silent_for_a_while(fault: Fault) -> None:
    with ScriptedServer([Turn("a", fault=fault)]) as server:
        start = time.monotonic()
        assert end(ask(server)) == StreamEnd("end_turn", [TextBlock("a")])
        assert time.monotonic() - start >= 0.2


@pytest.mark.parametrize("turn", [Turn("a", fault=Fault(stall=600)), Turn("a" * 99, chunk=1, delay=0.02)])
def test_a_client_that_goes_away_is_noticed(turn: Turn) -> None:
    with ScriptedServer([turn]) as server:
        connection = connect(server)
        connection.request("POST", "/v1/chat/completions", json.dumps(BODIES["openai-chat"]))
        (request,) = server.wait_for(1)
        connection.close()
        server.wait_idle()
        assert request.closed_early


def test_leaving_ends_silence_and_idle_connections_at_once() -> None:
    start = time.monotonic()
    with ScriptedServer([Turn(fault=Fault(stall=600))]) as server:
        idle, waiting = connect(server), connect(server)
        idle.request("GET", "/v1/models")
        Answer(idle.getresponse())
        waiting.request("POST", "/v1/chat/completions", json.dumps(BODIES["openai-chat"]))
        server.wait_for(2)
    assert time.monotonic() - start < PATIENCE
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        waiting.getresponse()
    idle.close()
    waiting.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("scripted-server")]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1])), 1)


def test_an_exception_in_the_script_ends_the_test() -> None:
    def fail(request: Received) -> Turn:
        raise AssertionError("not what I expected")

    def run() -> None:
        with ScriptedServer([fail]) as server, pytest.raises(http.client.RemoteDisconnected):
            ask(server)

    with pytest.raises(AssertionError, match="not what I expected"):
        run()


def test_waiting_for_what_does_not_come_is_a_timeout() -> None:
    with ScriptedServer([Turn(fault=Fault(stall=600))]) as server:
        with pytest.raises(TimeoutError, match="0 requests came, not 1"):
            server.wait_for(1, timeout=0.01)
        connection = connect(server)
        connection.request("POST", "/v1/chat/completions", json.dumps(BODIES["openai-chat"]))
        server.wait_for(1)
        with pytest.raises(TimeoutError, match="1 answers are still being written"):
            server.wait_idle(timeout=0.01)
        connection.close()


async def test_an_asyncio_program_and_another_process_can_ask() -> None:
    code = (
        "import sys, urllib.request as r;print(r.urlopen(r.Request(sys.argv[1], sys.argv[2].encode())).read().decode())"
    )

    with ScriptedServer(["hello"]) as server:
        url = server.base_url("openai-chat") + "/chat/completions"
        command = [sys.executable, "-c", code, url, json.dumps(BODIES["openai-chat"])]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        output, _ = await process.communicate()
        assert b"hello" in output


def test_many_clients_at_once_each_get_a_turn() -> None:
    with ScriptedServer([str(number) for number in range(20)]) as server:
        texts: list[str] = []
        threads = [threading.Thread(target=lambda: texts.append(end(ask(server)).content[0].text)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(texts, key=int) == [str(number) for number in range(20)]


def test_base_urls_are_what_the_providers_own_clients_take() -> None:
    with ScriptedServer() as server:
        assert server.base_url("anthropic-messages") == server.url
        assert server.base_url("openai-chat") == server.base_url("openai-responses") == f"{server.url}/v1"
        with pytest.raises(KeyError):
            server.base_url("morse")
