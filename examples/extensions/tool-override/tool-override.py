#!/usr/bin/env python3
"""A tool in the place of zot's own `read`, which refuses files with secrets."""

from fnmatch import fnmatch
from os.path import basename
from typing import Any

from zot_ext import Extension, Result, error

SECRETS = (".env", ".env.*", "id_*", "*.pem", "*.key")
SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file"},
        "offset": {"type": "integer", "description": "The first line, from 1"},
        "limit": {"type": "integer", "description": "How many lines"},
    },
    "required": ["path"],
}

ext = Extension("tool-override", "1.0.0", capabilities=("call_tool",))
read_files: list[str] = []


@ext.tool(
    name="read",
    description="Read a text file, or an image. Files with secrets cannot be read.",
    schema=SCHEMA,
    override=True,
    parallel=True,
    seconds=120,
)
def read(args: dict[str, Any]) -> Any:
    path = str(args.get("path", ""))
    if any(fnmatch(basename(path), pattern) for pattern in SECRETS):
        return error(f"{path} has secrets, which are not for you")
    answer = ext.tools.call_with("read", args, builtin=True)
    if not answer.is_error:
        read_files.append(path)
    return Result(answer.content, answer.is_error)


@ext.command("reads", "show which files the model has read")
def reads(_: str) -> str:
    return "\n".join(read_files) or "no files yet"


ext.run()
