"""`NpmRegistry`: a registry of npm on the loopback interface, with packages that a test writes."""

import base64
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote


class NpmRegistry:
    """Serves packages; each is its `package.json` and further files by path. `url` is for `npm_config_registry`."""

    def __init__(self, *packages: tuple[dict[str, Any], Mapping[str, str]]) -> None:
        self._files: dict[str, bytes] = {}
        self._packages = packages
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = registry._files.get(unquote(self.path))
                self.send_response(404 if body is None else 200)
                self.end_headers()
                self.wfile.write(body or b"{}")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="npm-registry")

    def __enter__(self) -> Self:
        for package, files in self._packages:
            name, version = package["name"], package["version"]
            data = _archive({"package.json": json.dumps(package), **files})
            place = f"/{name}/-/{version}.tgz"
            digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
            dist = {"tarball": self.url + place, "integrity": f"sha512-{digest}"}
            self._files[place] = data
            about = {"name": name, "dist-tags": {"latest": version}, "versions": {version: {**package, "dist": dist}}}
            self._files[f"/{name}"] = json.dumps(about).encode()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _archive(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()
