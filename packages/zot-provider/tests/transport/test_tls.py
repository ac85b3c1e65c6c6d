import asyncio
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from raw_server import RawServer, StartRawServer
from waiting import PATIENCE

from zot_provider.errors import ConnectError, ProviderError, StreamCut
from zot_provider.transport.http import HttpLimits, HttpTransport
from zot_provider.transport.tls import load_context

STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
OK = STREAM + b"content-length: 2\r\n\r\nok"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`SSL_CERT_FILE` names the authority."""
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


def server_context(authority: trustme.CA, *names: str, **dates: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names or ("localhost", "127.0.0.1"), **dates).configure_cert(context)
    return context


def answering(answer: bytes, *, close: bool = False) -> Any:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n{}")
            writer.write(answer)
            await writer.drain()
            if close:
                return

    return handler


@asynccontextmanager
async def transport(limits: HttpLimits | None = None, *, insecure: bool = False) -> AsyncIterator[HttpTransport]:
    made = HttpTransport(limits, insecure=insecure)
    try:
        yield made
    finally:
        await made.close()


async def post(client: HttpTransport, server: RawServer, host: str = "localhost", scheme: str = "https") -> bytes:
    async with aclosing(client.post(f"{scheme}://{host}:{server.port}/v1", {}, b"{}")) as chunks:
        return b"".join([chunk async for chunk in chunks])


async def failure(server: RawServer, **options: str) -> ProviderError:
    async with transport() as client:
        with pytest.raises(ProviderError) as caught:
            await post(client, server, **options)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_connections_over_tls_are_reused(raw_server: StartRawServer, authority: trustme.CA, host: str) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority)) as server, transport() as client:
        for _ in range(3):
            assert await post(client, server, host) == b"ok"
        assert server.connections == 1


@pytest.mark.usefixtures("trusted")
async def test_an_idle_connection_that_the_server_closed_is_replaced(
    raw_server: StartRawServer, authority: trustme.CA
) -> None:
    handler = answering(OK, close=True)
    async with raw_server(handler, ssl=server_context(authority)) as server, transport() as client:
        assert await post(client, server) == b"ok"
        assert await post(client, server) == b"ok"
        assert server.connections == 2


@pytest.mark.usefixtures("trusted")
async def test_first_requests_at_the_same_time_share_the_loaded_certificates(
    raw_server: StartRawServer, authority: trustme.CA
) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority)) as server, transport() as client:
        assert await asyncio.gather(*(post(client, server) for _ in range(3))) == [b"ok"] * 3


@pytest.mark.usefixtures("trusted")
async def test_certificates_are_loaded_once_in_a_process(
    raw_server: StartRawServer, authority: trustme.CA, tmp_path: Path
) -> None:
    context = load_context()
    await asyncio.wrap_future(context)
    Path(os.environ["SSL_CERT_FILE"]).unlink()
    async with raw_server(answering(OK), ssl=server_context(authority)) as server, transport() as client:
        assert await post(client, server) == b"ok"
    assert load_context() is context
    assert load_context(insecure=True) is not context


async def test_certificates_that_could_not_be_loaded_are_loaded_again(
    raw_server: StartRawServer, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    async with raw_server(answering(OK), ssl=server_context(authority)) as server, transport() as client:
        with pytest.raises(ProviderError, match="cannot use a proxy or certificate file named in the environment"):
            await post(client, server)
        authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
        assert await post(client, server) == b"ok"


async def test_a_folder_of_certificates_is_trusted(
    raw_server: StartRawServer, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / f"{subject_hash(authority)}.0"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    async with raw_server(answering(OK), ssl=server_context(authority)) as server, transport() as client:
        assert await post(client, server) == b"ok"


def subject_hash(authority: trustme.CA) -> str:
    """The name of a certificate in a folder for OpenSSL: `X509_NAME_hash` of its subject, in its canonical form."""
    subject = x509.load_pem_x509_certificate(authority.cert_pem.bytes()).subject
    canonical = x509.Name([x509.NameAttribute(each.oid, str(each.value).lower()) for each in subject])
    der = canonical.public_bytes()
    header = 2 if der[1] < 0x80 else 2 + (der[1] & 0x7F)
    return f"{int.from_bytes(hashlib.sha1(der[header:]).digest()[:4], 'little'):08x}"


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("localhost", "Hostname mismatch, certificate is not valid for 'localhost'"),
        ("127.0.0.1", "IP address mismatch, certificate is not valid for '127.0.0.1'"),
    ],
)
async def test_a_certificate_for_another_host(
    raw_server: StartRawServer, authority: trustme.CA, host: str, words: str
) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority, "other.example")) as server:
        error = await failure(server, host=host)
    assert isinstance(error, ConnectError)
    assert not error.retryable
    assert str(error) == (
        f"no secure connection to https://{host}:{server.port}/v1: certificate verify failed: {words} "
        "(the base URL must have a host that the certificate is for)"
    )


@pytest.mark.usefixtures("trusted")
async def test_an_expired_certificate(raw_server: StartRawServer, authority: trustme.CA) -> None:
    past = {"not_before": datetime(2020, 1, 1, tzinfo=UTC), "not_after": datetime(2021, 1, 1, tzinfo=UTC)}
    async with raw_server(answering(OK), ssl=server_context(authority, **past)) as server:
        error = await failure(server)
    assert isinstance(error, ConnectError)
    assert str(error).endswith(
        "/v1: certificate verify failed: certificate has expired "
        "(check the clock of this machine, or have the server's certificate renewed)"
    )


async def test_a_certificate_of_an_unknown_authority(raw_server: StartRawServer, authority: trustme.CA) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority)) as server:
        error = await failure(server)
    assert isinstance(error, ConnectError)
    assert str(error).endswith(
        "/v1: certificate verify failed: unable to get local issuer certificate "
        "(SSL_CERT_FILE may name a file of certificates to trust)"
    )


async def test_insecure_accepts_any_certificate(raw_server: StartRawServer, authority: trustme.CA) -> None:
    context = server_context(authority, "other.example")
    async with raw_server(answering(OK), ssl=context) as server, transport(insecure=True) as client:
        assert await post(client, server) == b"ok"


@pytest.mark.usefixtures("trusted")
async def test_an_answer_that_ends_in_the_middle(raw_server: StartRawServer, authority: trustme.CA) -> None:
    handler = answering(STREAM + b"transfer-encoding: chunked\r\n\r\n3\r\none\r\n", close=True)
    async with raw_server(handler, ssl=server_context(authority)) as server:
        assert isinstance(await failure(server), StreamCut)


async def test_http_spoken_to_a_server_with_tls(raw_server: StartRawServer, authority: trustme.CA) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority)) as server:
        assert isinstance(await failure(server, scheme="http"), ConnectError)


async def test_a_tls_alert_in_answer_to_http_is_named(raw_server: StartRawServer) -> None:
    async with raw_server(answering(b"\x15\x03\x03\x00\x02\x02\x0a", close=True)) as server:
        error = await failure(server, scheme="http")
    assert str(error) == f"no answer from http://localhost:{server.port}/v1: the server speaks TLS; use https://"


async def test_a_server_that_hangs_up_during_the_handshake(raw_server: StartRawServer) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10_000)

    async with raw_server(hang_up) as server:
        error = await failure(server)
    assert isinstance(error, ConnectError)
    assert str(error).endswith("/v1: the server closed the connection during the TLS handshake")


async def test_a_slow_handshake_ends_at_the_connect_limit(raw_server: StartRawServer) -> None:
    closed = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        closed.set()

    async with raw_server(silent) as server, transport(HttpLimits(connect=0.3)) as client:
        with pytest.raises(ConnectError, match=r": no connection within 0\.3 s$"):
            await post(client, server)
        await asyncio.wait_for(closed.wait(), PATIENCE)


async def test_cancelling_during_the_handshake_closes_the_connection(raw_server: StartRawServer) -> None:
    greeted, closed = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        greeted.set()
        await reader.read()
        closed.set()

    async with raw_server(silent) as server, transport() as client:
        asking = asyncio.create_task(post(client, server))
        await asyncio.wait_for(greeted.wait(), PATIENCE)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        await asyncio.wait_for(closed.wait(), PATIENCE)


@pytest.mark.usefixtures("trusted")
async def test_cancelling_in_the_middle_of_an_answer_closes_the_connection(
    raw_server: StartRawServer, authority: trustme.CA
) -> None:
    begun, closed = asyncio.Event(), asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n{}")
        writer.write(STREAM + b"\r\ndata: 1\n\n")
        await writer.drain()
        begun.set()
        await reader.read()
        closed.set()

    async with raw_server(endless, ssl=server_context(authority)) as server, transport() as client:
        asking = asyncio.create_task(post(client, server))
        await asyncio.wait_for(begun.wait(), PATIENCE)
        asking.cancel()
        await asyncio.wait([asking])
        await asyncio.wait_for(closed.wait(), PATIENCE)


ASK = """
import asyncio, sys
from zot_provider.transport.http import HttpTransport

async def main():
    transport = HttpTransport()
    async for chunk in transport.post(sys.argv[1], {}, b"{}"):
        print(chunk.decode())
    await transport.close()

asyncio.run(main())
print(*sys.modules)
"""


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("secure", [False, True])
async def test_a_request_without_a_proxy_does_not_load_httpx(
    raw_server: StartRawServer, authority: trustme.CA, secure: bool
) -> None:
    async with raw_server(answering(OK), ssl=server_context(authority) if secure else None) as server:
        url = f"http{'s' * secure}://localhost:{server.port}/v1"
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", ASK, url], capture_output=True, text=True, timeout=PATIENCE
        )
    answer, modules = done.stdout.splitlines()
    assert answer == "ok"
    assert not {"httpx", "httpcore", "h11", "anyio", "certifi", "urllib.request"} & set(modules.split())
    assert ("zot_provider.transport.tls" in modules.split()) == secure


async def ask_on_a_machine(files: dict[str, Path], *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python where `/etc` holds `files` alone, by their paths there."""
    machine = [str(shutil.which("bwrap")), "--dev-bind", "/", "/", "--tmpfs", "/etc"]
    for path, file in files.items():
        machine += ["--ro-bind", str(file), path]
    command = [*machine, sys.executable, *arguments]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": PATIENCE, "check": False}
    return await asyncio.to_thread(subprocess.run, command, **options)


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    "path", ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
             "/etc/ssl/cert.pem", "a folder of OpenSSL"],
)  # fmt: skip
async def test_what_the_system_trusts_is_trusted(
    raw_server: StartRawServer, authority: trustme.CA, tmp_path: Path, path: str
) -> None:
    if path == "a folder of OpenSSL":
        folder = os.path.realpath(ssl.get_default_verify_paths().openssl_capath)
        if not folder.startswith("/etc/"):
            pytest.skip(f"the OpenSSL of this Python looks for certificates in {folder}")
        path = f"{folder}/{subject_hash(authority)}.0"
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    async with raw_server(answering(OK), ssl=server_context(authority)) as server:
        ask = ("-c", ASK, f"https://127.0.0.1:{server.port}/v1")
        trusting = await ask_on_a_machine({path: tmp_path / "authority.pem"}, *ask)
        assert trusting.stdout.startswith("ok\n"), trusting.stderr
        other = await ask_on_a_machine({}, *ask)
        assert "certificate verify failed: unable to get local issuer certificate" in other.stderr


COUNT = "from zot_provider.transport.tls import load_context as f; print(f().result().cert_store_stats()['x509_ca'])"


async def test_an_authority_whose_certificates_lack_what_python_asks_for_since_3_13_is_trusted(
    raw_server: StartRawServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "server.pem").write_bytes(certificate_of_a_company(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    async with raw_server(answering(OK), ssl=context) as server, transport() as client:
        assert await post(client, server) == b"ok"


def certificate_of_a_company(authority: Path) -> bytes:
    """Write the certificate of an authority, without identifiers of keys and with constraints that are not critical;
    return a key and a certificate for localhost that it signed, as PEM."""
    now, keys = datetime.now(UTC), [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    issuer, subject = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("company", "it"))
    made = []
    for name, key, extension in (
        (issuer, keys[0], x509.BasicConstraints(ca=True, path_length=None)),
        (subject, keys[1], x509.SubjectAlternativeName([x509.DNSName("localhost")])),
    ):
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=False)
        builder = builder.not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
        made.append(builder.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    authority.write_bytes(made[0])
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return keys[1].private_bytes(serialization.Encoding.PEM, *plain) + made[1]


@pytest.mark.needs("bwrap")
async def test_where_the_system_trusts_nobody_the_authorities_of_certifi_are_trusted(
    authority: trustme.CA, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    assert int((await ask_on_a_machine({}, "-c", COUNT)).stdout) > 50
    files = {"/etc/ssl/certs/ca-certificates.crt": tmp_path / "authority.pem"}
    assert int((await ask_on_a_machine(files, "-c", COUNT)).stdout) == 1


@pytest.mark.needs("bwrap")
async def test_a_file_of_the_system_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("no certificate\n")
    file = "/etc/ssl/certs/ca-certificates.crt"
    done = await ask_on_a_machine({file: tmp_path / "bad.pem"}, "-c", COUNT)
    last = done.stderr.splitlines()[-1]
    assert f"cannot use the certificates in {file}: " in last
    assert last.endswith("; SSL_CERT_FILE may name another file")
