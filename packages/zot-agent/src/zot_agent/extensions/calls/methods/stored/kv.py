"""Calls for the values that an extension keeps: one JSON file for each extension and scope, in `kv` of zot's folder."""

import asyncio
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.operations.fields import OperationFailed
from zot_provider.auth.lock import locked
from zot_provider.files.regular_file import open_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_text import dump, read_strict

if TYPE_CHECKING:
    from zot_ext.protocol.answers import KeptValue, KeyNames

_LOCK_SECONDS = 10.0


async def get(call: ExtensionCall) -> "KeptValue":
    return {"value": (await _values(call)).get(call.params["key"])}


async def keys(call: ExtensionCall) -> "KeyNames":
    return {"keys": sorted(await _values(call))}


async def set(call: ExtensionCall) -> None:
    """Keep a value."""
    await _change(call, call.params["key"], call.params["value"])


async def delete(call: ExtensionCall) -> None:
    await _change(call, call.params["key"], None)


def _path(call: ExtensionCall) -> str:
    """Return the path of the file of a scope; empty for the values of this process."""
    scope, runtime = call.text("scope", "global"), call.conversation.runtime
    if scope == "process":
        return ""
    if scope == "session" and not runtime.state.session_id:
        raise OperationFailed("unavailable", "this session is not stored")
    which = {"global": "", "project": runtime.cwd, "session": runtime.state.session_id}[scope]
    name = hashlib.sha256(f"{call.extension}\0{scope}\0{which}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(call.services.home, "kv", f"{name}.json")


async def _values(call: ExtensionCall) -> dict[str, Any]:
    path = _path(call)
    return await asyncio.to_thread(_read, path, call.services.limits.kv_bytes) if path else _of_process(call)


def _of_process(call: ExtensionCall) -> dict[str, Any]:
    return call.services.process_values.setdefault(call.extension, {})


def _read(path: str, largest: int) -> dict[str, Any]:
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            data = file.read(2 * largest + 1)
        value = read_strict(data.decode())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise OperationFailed("failed", f"cannot read {path}: {error}; delete the file to begin again") from None
    return value if isinstance(value, dict) else {}


async def _change(call: ExtensionCall, key: str, value: Any) -> None:
    path, largest = _path(call), call.services.limits.kv_bytes
    if not path:
        changed = _changed(_of_process(call), key, value)
        call.services.process_values[call.extension] = json.loads(_check_size(changed, largest))
        return
    async with locked(os.path.join(os.path.dirname(path), "lock"), _LOCK_SECONDS):
        values = _changed(await asyncio.to_thread(_read, path, largest), key, value)
        text = _check_size(values, largest)
        try:
            await asyncio.to_thread(replace_file, path, text, mode=0o600)
        except OSError as error:
            raise OperationFailed("failed", f"cannot write {path}: {error.strerror}") from None


def _changed(values: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    kept = {name: each for name, each in values.items() if name != key}
    return kept if value is None else kept | {key: value}


def _check_size(values: dict[str, Any], largest: int) -> bytes:
    text = dump(values).encode("utf-8", "replace")
    if len(text) > largest:
        raise OperationFailed("too_large", f"an extension keeps at most {largest} bytes in a scope")
    return text
