"""`Schema`: checks the JSON output of a program against its JSON Schema."""

import json
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

import zot_agent.rpc


class Schema:
    """A JSON Schema (2020-12) from a file."""

    def __init__(self, path: Path) -> None:
        self.root = json.loads(path.read_text("utf-8"))
        self._validators: dict[str, Draft202012Validator] = {}

    def faults(self, value: object, name: str = "") -> list[str]:
        """Return the violations of the schema, or of the definition `name` in it, by a value."""
        if name not in self._validators:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self.root["$defs"]} if name else self.root
            self._validators[name] = Draft202012Validator(schema)
        return [f"{error.instance_path}: {error.message}" for error in self._validators[name].iter_errors(value)]


RPC_SCHEMA = Schema(Path(zot_agent.rpc.__file__).parent / "rpc.schema.json")
"""What `zot rpc` reads and writes."""


def response(command: str, answer: dict[str, Any] | None) -> dict[str, Any]:
    """The line of `zot rpc` that has an answer."""
    data = {} if answer is None else {"data": answer}
    return {"type": "response", "command": command, "success": True, **data}
