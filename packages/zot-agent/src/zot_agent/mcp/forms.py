"""`read_block`: the servers of a block from a README, in whatever form its author wrote it; `ordinary`: one server of
such a form in ours.

These programs have the forms: Claude Code and Cursor (`mcpServers`), VS Code (`servers` and `inputs`), Gemini CLI
(`httpUrl`), Windsurf (`serverUrl`), Cline (`type` streamableHttp, `timeout` in seconds), OpenCode (`mcp`, a `command`
in one list), Zed (`context_servers`) and Codex (TOML, `[mcp_servers.NAME]`).
"""

from __future__ import annotations

import json
import re
from typing import Any

from zot_ext.record import Record

KINDS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "remote": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "http-stream": "http",
    "http_stream": "http",
    "sse": "sse",
}
"""The meaning of a server's `type` or `transport`, in lower case."""
_URLS = ("url", "serverUrl", "httpUrl", "server_url")
_RENAMED = {
    "environment": "env",
    "http_headers": "headers",
    "requestInit": "headers",
    "startup_timeout_ms": "startup_timeout",
    "startupTimeout": "startup_timeout",
}
_SECONDS = {"tool_timeout_sec": "timeout", "startup_timeout_sec": "startup_timeout"}
_REFUSED = {
    "trust": "what a server may do is a rule: permissions.allow",
    "autoApprove": "what a server may do is a rule: permissions.allow",
    "alwaysAllow": "what a server may do is a rule: permissions.allow",
    "includeTools": "which tools are used is a rule: permissions.deny",
    "excludeTools": "which tools are used is a rule: permissions.deny",
    "enabled_tools": "which tools are used is a rule: permissions.deny",
    "disabled_tools": "which tools are used is a rule: permissions.deny",
    "envFile": "zot reads no file of variables; set them in env",
}
_ABOUT = frozenset(("source", "id", "name", "description", "gallery", "version"))
"""The keys of a block about a server that are for people."""
_CONTAINERS = ("mcpServers", "mcp_servers", "servers", "context_servers", "amp.mcpServers", "mcp")
_SERVER = ("command", *_URLS)
_NAME = 60
"""The most characters of the name of a server that is not short enough; two more keep it apart from another one."""
_NOT_NAMED = re.compile(r"[^A-Za-z0-9_.-]+")
_FENCE = re.compile(r"\A\s*```[^\n]*\n|\n\s*```\s*\Z")
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')
_PLACE = re.compile(r"\$\{(env|input):([^}]{1,100})\}|(?<!\$)\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


class Block(Record):
    """The content of a block: servers by their names (empty where the block does not say it), and lines for the
    person."""

    servers: dict[str, dict[str, Any]]
    notes: tuple[str, ...] = ()


def read_block(text: str) -> Block:
    """Read a block of JSON, with comments and without its outer braces too, or of TOML; the fence of Markdown around it
    does not count. What tools cannot have in their names becomes `-` in that of a server. Raises `ValueError` with a
    line."""
    value = _parse(_FENCE.sub("", text))
    notes = []
    for each in value.get("inputs", ()) if isinstance(value.get("inputs"), list) else ():
        if isinstance(each, dict) and isinstance(each.get("id"), str):
            about = each.get("description") or each["id"]
            notes.append(f"set the variable {_variable(each['id'])} before zot starts: {about}")
    given = _servers(value)
    if not given:
        raise ValueError("found no server: expected an object with a command or a url, or one with mcpServers")
    servers: dict[str, dict[str, Any]] = {}
    for written, each in given.items():
        name = _NOT_NAMED.sub("-", written).strip("-")[:_NAME]
        while name in servers:
            name += "-2"
        notes += [f"{written!r} is called {name} here"] if name != written else []
        servers[name], more = ordinary(each, readme=True)
        notes += [f"{name or 'the server'}: {note}" for note in more]
    return Block(servers, tuple(notes))


def ordinary(given: dict[str, Any], *, readme: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return a server with our names for its fields, and lines about what is left out. In a `readme` also what zot does
    not use is left out, and a `timeout` of less than a second is one in seconds."""
    found = dict(given)
    if isinstance(found.get("command"), dict):  # of Zed, before 2025
        found |= {"command": found["command"].get("path"), **{k: v for k, v in found["command"].items() if k != "path"}}
    command, arguments = found.get("command"), found.get("args") or []
    if isinstance(command, list) and command and isinstance(command[0], str) and isinstance(arguments, list):
        found |= {"command": command[0], "args": [*command[1:], *arguments]}
    for name, ours in _RENAMED.items():
        if name in found and ours not in found:
            value = found.pop(name)
            found[ours] = value.get("headers") if name == "requestInit" and isinstance(value, dict) else value
    for name, ours in _SECONDS.items():
        value = found.pop(name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[ours] = value * 1000
    _address(found)
    _secrets(found)
    if found.pop("enabled", True) is False:
        found["disabled"] = True
    if found.pop("alwaysLoad", None) is True:
        found.setdefault("deferred", False)
    oauth = found.get("oauth")
    if isinstance(oauth, dict) and ("clientId" in oauth or "scopes" in oauth):
        scopes = oauth.get("scopes", oauth.get("scope", ""))
        found["oauth"] = {
            "client_id": oauth.get("clientId", oauth.get("client_id", "")),
            "scope": " ".join(map(str, scopes)) if isinstance(scopes, list) else scopes,
        }
    return (_of_readme(found), _left_out(given)) if readme else (found, [])


def _left_out(given: dict[str, Any]) -> list[str]:
    notes = [f"{name!r} is left out: {why}" for name, why in _REFUSED.items() if name in given]
    return [*notes, f"'timeout' is taken as {given['timeout']} seconds"] if _in_seconds(given) else notes


def _in_seconds(given: dict[str, Any]) -> bool:
    return type(given.get("timeout")) is int and 0 < given["timeout"] < 1000


def _of_readme(found: dict[str, Any]) -> dict[str, Any]:
    """Return a server without what zot does not use."""
    kept = {name: each for name, each in found.items() if name not in _REFUSED and name not in _ABOUT}
    if _in_seconds(kept):
        kept["timeout"] *= 1000
    if "url" in kept:
        kept.setdefault("type", "http")  # without it other agents take it for a program
    placed: dict[str, Any] = _placed(kept)
    return placed


def _address(found: dict[str, Any]) -> None:
    """Give a server behind a URL one field for that, and every server a type that we know."""
    named = [name for name in _URLS if name in found]
    kind = found.pop("transport", None) if isinstance(found.get("transport"), str) else None
    kind = found.get("type", kind)
    if named and named != ["url"]:
        url = next((found[name] for name in ("httpUrl", *named) if name in found), "")
        for name in named:
            del found[name]
        found["url"] = url
        if kind is None and named[0] != "url":
            kind = "http"
    if isinstance(kind, str):
        found["type"] = KINDS.get(kind.lower(), kind)


def _secrets(found: dict[str, Any]) -> None:
    """Turn what Codex says about variables into our way to name them."""
    headers: dict[str, str] = {}
    if isinstance(token := found.pop("bearer_token_env_var", None), str):
        headers["Authorization"] = f"Bearer ${{{token}}}"
    if isinstance(named := found.pop("env_http_headers", None), dict):
        headers |= {name: f"${{{variable}}}" for name, variable in named.items()}
    if headers:
        _merge(found, "headers", headers)
    if isinstance(passed := found.pop("env_vars", None), list):
        _merge(found, "env", {str(name): f"${{{name}}}" for name in passed})


def _merge(found: dict[str, Any], field: str, more: dict[str, str]) -> None:
    """Add to an object what it lacks; something else stays, and is refused where it is read."""
    own = found.get(field) or {}
    found[field] = more | own if isinstance(own, dict) else own


def _placed(value: Any) -> Any:
    """Return a value with our way to name variables in its texts."""
    if isinstance(value, dict):
        return {key: _placed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_placed(each) for each in value]
    if not isinstance(value, str):
        return value
    text = value.replace("${workspaceFolder}", ".").replace("${userHome}", "${HOME}")
    return _PLACE.sub(
        lambda each: f"${{{_variable(each[2] or each[3])}}}" if each[1] != "env" else f"${{{each[2]}}}", text
    )


def _variable(id: str) -> str:
    """Return the variable in the place of a question of VS Code."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", id)
    return name if name.isupper() else name.upper()


def _servers(value: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Find the servers of a block."""
    for name in _CONTAINERS:
        inner = value.get(name)
        if isinstance(inner, dict):
            return _servers(inner) or {}
    if any(name in value for name in _SERVER):
        own = value.get("name")
        return {own if isinstance(own, str) else "": value}
    found = {name: each for name, each in value.items() if isinstance(each, dict)}
    return {name: each for name, each in found.items() if any(field in each for field in _SERVER)}


def _parse(text: str) -> dict[str, Any]:
    """Read JSON or TOML. Raises `ValueError` with a line."""
    bare = _COMMA.sub(_kept, _COMMENT.sub(_kept, text)).strip().rstrip(",")
    problem = ""
    for each in (bare, f"{{{bare}}}"):
        try:
            value = json.loads(each)
        except (ValueError, RecursionError) as error:
            problem = problem or str(error)
            continue
        if isinstance(value, dict):
            return value
        problem = "expected an object"
    if bare.startswith(("{", '"')) or "=" not in text:
        raise ValueError(problem)
    import tomllib  # noqa: PLC0415  only for a block of Codex

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"neither JSON nor TOML: {error}") from None


def _kept(match: re.Match[str]) -> str:
    """Keep a text, and drop a comment or a comma."""
    return match[0] if match[0].startswith('"') else ""
