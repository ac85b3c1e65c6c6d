"""A network that does what it should not: certificates nobody vouches for, answers without end or beginning."""

import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command import Zot
from memory import PeakMemory
from waiting import PATIENCE

CERTIFICATE = Path(__file__).parents[2] / "packages/zot-provider/tests/transport/localhost.pem"
GIGABYTE = 1 << 30


def chunk(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


HELLO = chunk("hello") + b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@contextmanager
def serving(body: Callable[[], Iterator[bytes]], *, secure: bool = False) -> Iterator[str]:
    """A server that answers every request with what `body` gives; its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            try:
                for piece in body():
                    self.wfile.write(piece)
            except OSError:
                pass  # the client has had enough

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass  # a handshake that was broken off

    with Server(("127.0.0.1", 0), Handler) as server:
        if secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http{'s' * secure}://localhost:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def at(url: str) -> tuple[str, ...]:
    return ("--no-session", "--provider", "local", "--model", "m", "--base-url", url)


def test_a_certificate_that_nobody_vouches_for_is_refused_unless_any_will_do(zot: Zot) -> None:
    with serving(lambda: iter([HELLO]), secure=True) as url:
        done = zot.run("-p", "x", *at(url))
        assert (done.code, done.out) == (1, "")
        assert done.line() == (
            f"local: no secure connection to {url}/chat/completions: certificate verify failed: self-signed "
            "certificate (SSL_CERT_FILE may name a file of certificates to trust)"
        )
        done = zot.run("-p", "x", *at(url), "--insecure")
        assert (done.code, done.out, done.err) == (0, "hello\n", "")


def test_a_request_over_tls_imports_no_other_client(zot: Zot) -> None:
    watch = (
        "import sys; from zot_agent.entry import main; code = main(); "
        "print(*sorted(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    env = {**zot.env, "SSL_CERT_FILE": str(CERTIFICATE)}
    with serving(lambda: iter([HELLO]), secure=True) as url:
        command = [sys.executable, "-c", watch, "-p", "x", *at(url)]
        done = subprocess.run(command, env=env, cwd=zot.cwd, capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout == b"hello\n"
    loaded = set(done.stderr.decode().split())
    assert "zot_provider.transport.tls" in loaded
    assert loaded & {"httpx", "httpcore", "h11", "anyio", "certifi"} == set()


def endless(piece: bytes) -> Callable[[], Iterator[bytes]]:
    return lambda: (piece for _ in range(GIGABYTE // len(piece)))


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        pytest.param(chunk("word " * 6000), " sent more than 128 MiB; cut off", id="an answer"),
        pytest.param(b"x" * 65536, "the server sent an event of more than 67108864 bytes", id="no event at all"),
    ],
)
def test_a_body_of_a_gigabyte_is_cut_off_and_memory_stays_bounded(
    zot: Zot, tmp_path: Path, piece: bytes, words: str
) -> None:
    memory = PeakMemory(tmp_path)
    with serving(endless(piece)) as url:
        done = subprocess.run(
            memory.command([*zot.command, "-p", "x", *at(url)]),
            cwd=zot.cwd,
            env=zot.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert memory.bytes < 640 << 20  # once as pieces, once as a whole, once on its way out
