"""`scripts/uv.sh` on a machine that has python3 and no uv: it downloads the uv that `uv.lock` pins."""

import base64
import hashlib
import os
import runpy
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from urllib.parse import quote
from zipfile import ZipFile

import pytest
import trustme
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
# Tags of every platform that runs these tests.
WHEEL = "-".join(["uv", "9.9.9", "py3", "none", ".".join(
    f"{family}_{machine}" for family in ("manylinux_2_17", "musllinux_1_1", "macosx_11_0")
    for machine in ("aarch64", "arm64", "x86_64")
)]) + ".whl"  # fmt: skip


class Index:
    """A package index on this machine: `pages` by path, and what was asked of it, with its Authorization."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.password = ""
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                authorization = self.headers["Authorization"]
                index.asked.append((self.path, authorization))
                body = index.pages.get(self.path)
                wanted = base64.b64encode(index.password.encode()).decode()
                allowed = not index.password or authorization == f"Basic {wanted}"
                self.send_response(401 if not allowed else 404 if body is None else 200)
                self.end_headers()
                self.wfile.write(body if body is not None and allowed else b"")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)


@pytest.fixture
def open_index() -> Iterator[Callable[..., Index]]:
    opened: list[tuple[Index, threading.Thread]] = []

    def start(context: ssl.SSLContext | None = None) -> Index:
        index = Index(context)
        thread = threading.Thread(target=index.server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        opened.append((index, thread))
        return index

    yield start
    for index, thread in opened:
        index.server.shutdown()
        thread.join()
        index.server.server_close()


@pytest.fixture
def wheel() -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("uv-9.9.9.data/scripts/uv", "#!/bin/sh\necho uv 9.9.9\n")
    return made.getvalue()


@pytest.fixture
def clone(tmp_path: Path, wheel: bytes) -> Path:
    """A clone whose lock pins `wheel`, at an address where nothing listens."""
    folder = tmp_path / "clone"
    (folder / "scripts").mkdir(parents=True)
    for name in ("uv.sh", "fetch_uv.py"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts")
    pin(folder, f"http://127.0.0.1:1/files/{WHEEL}", wheel)
    return folder


def pin(clone: Path, url: str, wheel: bytes) -> None:
    digest = hashlib.sha256(wheel).hexdigest()
    line = f'    {{ url = "{url}", hash = "sha256:{digest}", size = {len(wheel)}, upload-time = "2026-01-01" }},\n'
    (clone / "uv.lock").write_text(f'[[package]]\nname = "uv"\nwheels = [\n{line}]\n')


@pytest.fixture
def find(clone: Path, tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs `scripts/uv.sh` where there is a shell, `dirname` and this Python, which has no uv."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dirname", "sh"):
        (programs / name).symlink_to(os.path.realpath(str(shutil.which(name))))
    (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python3").chmod(0o755)

    def run(**variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": str(programs), "HOME": str(tmp_path), **variables}
        command = [str(programs / "sh"), str(clone / "scripts" / "uv.sh")]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)

    return run


def works(done: "subprocess.CompletedProcess[str]") -> bool:
    assert done.returncode == 0, done.stderr
    (path,) = done.stdout.splitlines()
    return subprocess.run([path], capture_output=True, text=True, timeout=PATIENCE, check=True).stdout == "uv 9.9.9\n"


def test_the_wheel_comes_from_the_address_in_the_lock_and_only_once(
    open_index: Callable[..., Index], clone: Path, wheel: bytes, find: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    index = open_index()
    index.pages[f"/files/{WHEEL}"] = wheel
    pin(clone, f"http://{index.host}/files/{WHEEL}", wheel)
    assert works(find())
    assert works(find())
    assert index.asked == [(f"/files/{WHEEL}", None)]


def test_a_uv_that_does_not_run_here_is_replaced(
    open_index: Callable[..., Index], clone: Path, wheel: bytes, find: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    (clone / ".uv" / "bin").mkdir(parents=True)
    (clone / ".uv" / "bin" / "uv").write_bytes(b"\x7fELF of another machine")
    (clone / ".uv" / "bin" / "uv").chmod(0o755)
    index = open_index()
    index.pages[f"/files/{WHEEL}"] = wheel
    pin(clone, f"http://{index.host}/files/{WHEEL}", wheel)
    assert works(find())


@pytest.mark.parametrize("variable", ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"])
@pytest.mark.parametrize("link", ["../../files/{}", "{}#sha256=0123"])
def test_the_wheel_comes_from_the_index_that_a_variable_names(
    open_index: Callable[..., Index], wheel: bytes, find: Callable[..., "subprocess.CompletedProcess[str]"],
    variable: str, link: str,
) -> None:  # fmt: skip
    index = open_index()
    other = "<a href='uv-1.0.tar.gz'>uv-1.0.tar.gz</a>"
    index.pages["/simple/uv/"] = f"<html>{other}<a class=x href='{link.format(WHEEL)}'>{WHEEL}</a>".encode()
    index.pages[f"/files/{WHEEL}"] = index.pages[f"/simple/uv/{WHEEL}"] = wheel
    name = "company=" if variable == "UV_DEFAULT_INDEX" else ""
    assert works(find(**{variable: f"{name}http://{index.host}/simple/"}))
    assert len(index.asked) == 2


def test_a_password_in_the_address_of_an_index_is_told_to_that_index_alone(
    open_index: Callable[..., Index], wheel: bytes, find: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    index, files = open_index(), open_index()
    index.password = "me:p@ss/word"
    index.pages["/simple/uv/"] = f"<a href='http://{files.host}/{WHEEL}'>{WHEEL}</a>".encode()
    files.pages[f"/{WHEEL}"] = wheel
    assert works(find(UV_DEFAULT_INDEX=f"http://me:{quote('p@ss/word', safe='')}@{index.host}/simple"))
    assert [authorization for _, authorization in files.asked] == [None]


def test_an_index_over_tls_is_trusted_as_the_machine_trusts_it(
    open_index: Callable[..., Index],
    wheel: bytes,
    tmp_path: Path,
    find: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    index = open_index(context)
    index.pages["/uv/"] = f"<a href='{WHEEL}'>{WHEEL}</a>".encode()
    index.pages[f"/uv/{WHEEL}"] = wheel
    refused = find(UV_DEFAULT_INDEX=f"https://{index.host}")
    assert refused.returncode == 1
    assert "CERTIFICATE_VERIFY_FAILED" in refused.stderr
    assert works(find(UV_DEFAULT_INDEX=f"https://{index.host}", SSL_CERT_FILE=str(tmp_path / "authority.pem")))


@pytest.mark.parametrize(
    ("page", "file", "reason"),
    [
        (None, b"", "HTTP Error 404: Not Found"),
        ("<a href='uv-1.0.tar.gz'>", b"", f"{WHEEL} is not in the index at "),
        (f"<a href='{WHEEL}'>", None, "HTTP Error 404: Not Found"),
        (f"<a href='{WHEEL}'>", b"PK but another file", f"{WHEEL} is not the file that uv.lock pins"),
    ],
)
def test_what_is_missing_or_another_file_is_refused_and_leaves_nothing(
    open_index: Callable[..., Index], clone: Path, find: Callable[..., "subprocess.CompletedProcess[str]"],
    page: str | None, file: bytes | None, reason: str,
) -> None:  # fmt: skip
    index = open_index()
    for path, body in (("/uv/", page.encode() if page else None), (f"/uv/{WHEEL}", file)):
        if body is not None:
            index.pages[path] = body
    done = find(UV_DEFAULT_INDEX=f"http://{index.host}")
    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("zot: uv cannot be downloaded: ")
    assert reason in last
    assert not list((clone / ".uv").rglob("*"))


@pytest.mark.parametrize("index", ["nonsense", "http://127.0.0.1:1/simple", "ftp://127.0.0.1:1"])
def test_an_index_that_cannot_be_asked_is_one_line(
    find: Callable[..., "subprocess.CompletedProcess[str]"], index: str
) -> None:
    done = find(UV_DEFAULT_INDEX=index)
    assert done.returncode == 1
    downloading, failure = done.stderr.splitlines()
    assert downloading.startswith("downloading uv-")
    assert failure.endswith("; install it as https://docs.astral.sh/uv/ says, then try again")


@pytest.mark.parametrize(
    ("system", "machine", "musl", "tag"),
    [
        ("Linux", "x86_64", False, "manylinux_2_17_x86_64"),
        ("Linux", "x86_64", True, "musllinux_1_1_x86_64"),
        ("Linux", "aarch64", False, "manylinux_2_17_aarch64"),
        ("Linux", "aarch64", True, "musllinux_1_1_aarch64"),
        ("Darwin", "arm64", False, "macosx_11_0_arm64"),
        ("Darwin", "x86_64", False, "macosx_10_12_x86_64"),
    ],
)
def test_the_lock_pins_a_wheel_for_each_platform(system: str, machine: str, musl: bool, tag: str) -> None:
    pinned_wheel = runpy.run_path(str(ROOT / "scripts" / "fetch_uv.py"))["pinned_wheel"]
    url, digest, size = pinned_wheel((ROOT / "uv.lock").read_text("utf-8"), system, machine, musl=musl)
    assert tag in url.rpartition("-")[2]
    assert len(digest) == 64
    assert size > 1_000_000
    with pytest.raises(LookupError, match="there is no wheel of uv for Plan9 on vax"):
        pinned_wheel((ROOT / "uv.lock").read_text("utf-8"), "Plan9", "vax", musl=False)
