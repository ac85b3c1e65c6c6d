"""`Trace`: writes every frame between zot and its extensions to a file (`zot --ext-trace FILE`)."""

import json
import os
from collections.abc import Mapping
from typing import Literal

from zot_core.clock import timestamp
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import line_bytes, parse_object
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import open_regular

_SECRET = ("api_key", "credentials", "result")
"""The fields of a request to a provider, and of its result, that may hold a key or a token."""

Direction = Literal["in", "out"]
"""As seen by zot: `in` is from the extension."""


class Trace:
    """Appends one JSON object a line to the file at `path`, which only its owner can read. Raises `ConfigError`.

    Keys and tokens of providers are left out.

    `{"time": UTC, "extension": NAME, "direction": "in" or "out", "frame": {...}}`, the frame with its exact text on the
    wire; for a line that is not a JSON object, `"text"` replaces `"frame"`. Each line is written at once. A failed
    write (a full disk) ends the trace, and `failure` says so.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.failure = ""
        try:
            # Append, so that a mistyped name does not destroy a file.
            self._descriptor: int | None = open_regular(path, os.O_WRONLY | os.O_APPEND, create=True)
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            raise ConfigError(f"cannot write the trace {path}: {why}; name another file after --ext-trace") from error

    def add(self, extension: str, direction: Direction, line: bytes) -> None:
        """Write one frame, with or without its line end."""
        if self._descriptor is None:
            return
        text = line.decode(errors="replace").strip()
        try:
            members = parse_object(text)
        except FrameError:
            body = f'"text":{json.dumps(text)}'
        else:
            body = f'"frame":{_without_keys(text, members)}'
        head = f'"time":"{timestamp()}","extension":{json.dumps(extension)},"direction":"{direction}"'
        try:
            os.write(self._descriptor, line_bytes("{" + head + "," + body + "}") + b"\n")
        except OSError as error:
            self.failure = f"the trace {self.path} ends early: {error.strerror}"
            self.close()

    def close(self) -> None:
        """Close the file; later frames are dropped."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _without_keys(text: str, members: Mapping[str, tuple[object, str]]) -> str:
    """Return the text of a frame without the keys and tokens in it."""
    type = members.get("type", ("", ""))[0]
    if type == "provider_stream":
        options = members.get("options", ({}, ""))[0]
        key = options.get("api_key") if isinstance(options, dict) else None
        return text.replace(json.dumps(key), '"***"') if key else text
    if type in ("provider_request", "provider_result"):
        kept = {name: value for name, (value, _) in members.items() if name not in _SECRET}
        return json.dumps(kept | {name: "***" for name in _SECRET if name in members})
    return text
