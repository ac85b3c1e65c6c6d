"""Which requests are refused, and what every response carries."""

import asyncio

import httpx
import pytest
from served import Serving
from waiting import PATIENCE

from zot_agent.serve.guard import PUBLIC


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sessions"),
        ("POST", "/sessions"),
        ("GET", "/sessions/x"),
        ("DELETE", "/sessions/x"),
        ("GET", "/sessions/x/events"),
        ("POST", "/sessions/x/commands"),
        ("GET", "/nothing"),
        ("GET", "/../etc/passwd"),
        ("GET", "/index.html"),
        ("OPTIONS", "/sessions"),
    ],
)
@pytest.mark.parametrize("header", [None, "Bearer wrong", "Bearer x y", "Basic YTpi", "a token of at least sixteen"])
async def test_every_request_needs_the_token(serving: Serving, method: str, path: str, header: str | None) -> None:
    async with serving() as served:
        headers = {} if header is None else {"authorization": header}
        async with httpx.AsyncClient(base_url=str(served.address), headers=headers, trust_env=False) as stranger:
            answer = await stranger.request(method, path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"] in (
            "the token is wrong",
            "the token is missing: send Authorization: Bearer TOKEN",
        )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost.evil.example:80"}, 421),
        ({"host": "127.0.0.1:1@evil.example"}, 421),
        ({"host": "", "origin": "http://localhost"}, 421),
        ({"host": "localhost", "origin": "http://evil.example"}, 403),
        ({"host": "localhost", "origin": "http://localhost:81"}, 403),
        ({"host": "localhost", "origin": "null"}, 403),
        ({"host": "localhost", "origin": "file://"}, 403),
        ({"host": "localhost:9000", "origin": "http://localhost:9000"}, 200),
        ({"host": "LOCALHOST."}, 200),
        ({"host": "[::1]:8370"}, 200),
        ({"host": "192.168.1.7"}, 200),
        ({"host": "zot.example", "origin": "https://zot.example"}, 200),
    ],
)
async def test_requests_that_another_page_may_have_sent_are_refused(
    serving: Serving, headers: dict[str, str], status: int
) -> None:
    async with serving(names=["zot.example"]) as served:
        for path in ("/", "/sessions"):
            answer = await served.http.get(path, headers=headers)
            assert answer.status_code == status, answer.text


@pytest.mark.parametrize("path", ["/", "/app.css", "/app.js", "/sessions", "/nothing", "/sessions/none"])
async def test_every_answer_carries_the_headers_that_keep_browsers_in_bounds(serving: Serving, path: str) -> None:
    async with serving() as served:
        headers = (await served.http.get(path)).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


async def test_the_page_needs_no_token_and_no_other_file_is_served(serving: Serving) -> None:
    async with serving() as served:
        async with httpx.AsyncClient(base_url=str(served.address), trust_env=False) as stranger:
            kinds = [(await stranger.get(path)).headers["content-type"] for path in PUBLIC]
        assert sorted({kind.partition(";")[0] for kind in kinds}) == ["text/css", "text/html", "text/javascript"]
        for path in ("/index.html", "/__init__.py", "/app.js/", "/page/app.js", "/%2e%2e/server.py", "/app.js%00"):
            assert (await served.http.get(path)).status_code == 404


async def test_a_refused_client_that_keeps_sending_does_not_keep_the_connection(serving: Serving) -> None:
    chunks = b"1\r\nx\r\n" * 5000
    async with serving(stranger_seconds=PATIENCE / 40) as served:
        head = b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        answers = await asyncio.gather(*(served.raw(head + chunks) for _ in range(20)))
        assert all(answer.startswith(b"HTTP/1.1 401") for answer in answers)
        assert await served.sessions() == []


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.0\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000, b"400"),
    ],
)
async def test_a_head_that_is_wrong_is_refused(serving: Serving, data: bytes, status: bytes) -> None:
    async with serving() as served:
        assert (await served.raw(data)).split(b" ")[1] == status


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"505"),
        (
            b"GET /sessions HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
            b"401",
        ),
    ],
)
async def test_http_2_is_refused(serving: Serving, data: bytes, status: bytes) -> None:
    async with serving(stranger_seconds=PATIENCE / 40) as served:
        assert (await served.raw(data)).split(b" ")[1] == status
