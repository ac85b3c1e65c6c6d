"""Downloads uv into `.uv/bin` with python3's own library: on a bare machine there is no pip.

Version and SHA-256 of each wheel are those of `uv.lock`. The wheel comes from the index that `UV_DEFAULT_INDEX`,
`UV_INDEX_URL` or `PIP_INDEX_URL` names (PEP 503), else from the address in the lock.
"""

import base64
import hashlib
import html.parser
import http.client
import io
import os
import platform
import re
import ssl
import sys
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
SILENCE = 60.0
"""Seconds without a byte after which a download is given up."""
SYSTEM_OF_MACOS = "/etc/ssl/cert.pem"
"""Authorities of the system, for a Python of python.org, which finds none by itself."""
LARGEST_PAGE = 1 << 24
"""Bytes of an index page that are read at most. The page of uv has 3 MB in 2026."""


def pinned_wheel(lock: str, system: str, machine: str, *, musl: bool) -> "tuple[str, str, int]":
    """The address, SHA-256 and size in bytes of the wheel in `lock` for a platform, which the module `platform` names.
    Raises LookupError."""
    family = {"Darwin": "macosx", "Linux": "musllinux" if musl else "manylinux"}.get(system, system)
    for url, digest, size in re.findall(r'url = "([^"]*/uv-\d[^"]*\.whl)", hash = "sha256:(\w+)", size = (\d+)', lock):
        tags = url.removesuffix(".whl").rpartition("-")[2].split(".")
        if any(tag.startswith(family) and tag.endswith(f"_{machine}") for tag in tags):
            return url, digest, int(size)
    raise LookupError(f"there is no wheel of uv for {system} on {machine}")


class _Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: "list[tuple[str, str | None]]") -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def read(url: str, most: int, credentials: str = "") -> "tuple[bytes, str]":
    """At most `most` bytes at `url`, and the address that they came from. `credentials` is USER:PASSWORD in base64.
    Raises OSError, whose message begins with the host."""
    request = urllib.request.Request(url)
    if credentials:
        request.add_unredirected_header("Authorization", f"Basic {credentials}")  # not for another host
    known = ssl.get_default_verify_paths()
    file = None if known.cafile or known.capath or not os.path.exists(SYSTEM_OF_MACOS) else SYSTEM_OF_MACOS
    context = ssl.create_default_context(cafile=file)
    try:
        with urllib.request.urlopen(request, timeout=SILENCE, context=context) as response:
            return response.read(most), response.url
    except (OSError, http.client.HTTPException) as error:
        raise OSError(f"{urllib.parse.urlsplit(url).netloc}: {error}") from error


def from_index(index: str, wheel: str, most: int) -> bytes:
    """The file named `wheel` of the project uv in `index`, which may have USER:PASSWORD@ before its host. Raises
    LookupError if it is not there."""
    parts = urllib.parse.urlsplit(index)
    login, _, host = parts.netloc.rpartition("@")
    credentials = base64.b64encode(urllib.parse.unquote(login).encode()).decode()
    page, base = read(f"{parts.scheme}://{host}{parts.path.rstrip('/')}/uv/", LARGEST_PAGE, credentials)
    links = _Links()
    links.feed(page.decode("utf-8", "replace"))
    for link in links.found:
        target = urllib.parse.urlsplit(urllib.parse.urljoin(base, link))
        if urllib.parse.unquote(target.path).endswith(f"/{wheel}"):
            return read(target._replace(fragment="").geturl(), most, credentials if target.netloc == host else "")[0]
    raise LookupError(f"{wheel} is not in the index at {host}")


def main() -> None:
    """Write `.uv/bin/uv`."""
    musl = platform.system() == "Linux" and not platform.libc_ver()[0]
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    url, digest, size = pinned_wheel(lock, platform.system(), platform.machine(), musl=musl)
    index = next((os.environ[name] for name in INDEX_VARIABLES if os.environ.get(name)), "")
    name = url.rpartition("/")[2]
    print(f"downloading {name} ({-(-size // 1_000_000)} MB)", file=sys.stderr)
    # An index in UV_DEFAULT_INDEX may have a name: NAME=URL.
    data = from_index(re.sub(r"^[\w-]+=", "", index), name, size + 1) if index else read(url, size + 1)[0]
    if hashlib.sha256(data).hexdigest() != digest:
        raise LookupError(f"{name} is not the file that uv.lock pins")
    target = ROOT / ".uv" / "bin" / "uv"
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f"uv.{os.getpid()}")  # two that download at the same time do not mix their bytes
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        new.write_bytes(archive.read(next(each for each in archive.namelist() if each.endswith(".data/scripts/uv"))))
    new.chmod(0o755)
    new.replace(target)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("zot: stopped; uv was not downloaded")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(
            f"zot: uv cannot be downloaded: {error}; install it as https://docs.astral.sh/uv/ says, then try again"
        )
