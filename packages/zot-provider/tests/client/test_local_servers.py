"""The lists of servers on this machine, each played by a server on a real socket."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest
from waiting import PATIENCE

from zot_provider.errors import ProtocolError
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.router import RoutingClient

LOCAL = Provider("mine", "Mine", "openai-chat", None)


class LocalServer(ThreadingHTTPServer):
    """A server of JSON documents by METHOD PATH; a function gets the body. An ellipsis never answers."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), DocumentHandler)
        self.pages, self.seen, self.closed = pages, list[str](), Event()


class DocumentHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, LocalServer)
        asked = self.rfile.read(int(self.headers.get("content-length", 0)))
        server.seen.append(f"{self.command} {self.path}")
        page = server.pages.get(server.seen[-1])
        if page is Ellipsis:
            server.closed.wait(PATIENCE)
        body = json.dumps(page(json.loads(asked)) if callable(page) else page if page is not Ellipsis else 0).encode()
        self.send_response(404 if body == b"null" else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def serving(pages: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Serve documents; yields the base URL and the requests so far."""
    with LocalServer(pages) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", server.seen
        finally:
            server.closed.set()
            server.shutdown()
            thread.join()


async def listed(base_url: str) -> list[Model]:
    registry = ModelRegistry(environ={})
    registry.add(LOCAL)
    registry.endpoints["mine"] = Endpoint(base_url=base_url)
    client = RoutingClient(registry)
    try:
        found = await registry.listing(client.list_models, which="current", current=Model("", "mine"))
        if found.problems:
            raise found.problems["mine"]
        return found.models
    finally:
        await client.close()


def ids(*names: str, owner: str) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": name, "owned_by": owner} for name in names]}


async def test_ollama_is_asked_about_each_model() -> None:
    def show(asked: dict[str, Any]) -> Any:
        able = ["completion"] if asked["model"] == "embed" else ["completion", "tools"]
        return {"capabilities": able, "model_info": {"qwen3.context_length": 40_960}}

    pages = {"GET /v1/models": ids("qwen3:8b", "embed", owner="library"), "POST /api/show": show}
    with serving(pages) as (url, _):
        (model,) = await listed(url)
    assert (model.id, model.context_window, model.reasoning, model.images) == ("qwen3:8b", 40_960, False, False)


async def test_lm_studio_says_which_context_is_loaded() -> None:
    native = {"data": [{"id": "m", "type": "vlm", "max_context_length": 131_072, "loaded_context_length": 4096}]}
    pages = {"GET /v1/models": ids("m", owner="organization_owner"), "GET /api/v0/models": native}
    with serving(pages) as (url, _):
        (model,) = await listed(url)
    assert (model.context_window, model.images) == (4096, True)


async def test_llama_cpp_says_which_context_runs() -> None:
    pages = {
        "GET /v1/models": ids("m.gguf", owner="llamacpp"),
        "GET /props": {"default_generation_settings": {"n_ctx": 8192}, "modalities": {"vision": False}},
    }
    with serving(pages) as (url, _):
        (model,) = await listed(url)
    assert (model.context_window, model.images) == (8192, False)


async def test_vllm_says_it_in_the_list() -> None:
    page = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 5}]}
    with serving({"GET /v1/models": page}) as (url, seen):
        (model,) = await listed(url)
    assert model.context_window == 5
    assert seen == ["GET /v1/models"]


@pytest.mark.parametrize("page", [None, [], ..., {"default_generation_settings": []}])
async def test_a_server_that_says_nothing_more_keeps_its_list(page: object) -> None:
    with serving({"GET /v1/models": ids("m", owner="llamacpp"), "GET /props": page}) as (url, _):
        assert [model.id for model in await listed(url)] == ["m"]


async def test_one_model_of_ollama_that_cannot_be_shown_costs_no_other() -> None:
    def show(asked: dict[str, Any]) -> Any:
        return None if asked["model"] == "a" else {"capabilities": ["tools"], "model_info": {"x.context_length": 9}}

    with serving({"GET /v1/models": ids("a", "b", owner="library"), "POST /api/show": show}) as (url, _):
        assert [(model.id, model.context_window) for model in await listed(url)] == [("a", 0), ("b", 9)]


async def test_another_document_than_a_list_is_an_error() -> None:
    with (
        serving({"GET /v1/models": {"models": "none"}}) as (url, _),
        pytest.raises(ProtocolError, match="is not a list of models; check the base URL"),
    ):
        await listed(url)
