"""The operations by name, from `names.json`, which `make generate` writes."""

import json
import os

with open(os.path.join(os.path.dirname(__file__), "names.json"), encoding="utf-8") as _file:
    _found = json.load(_file)

MODULES: dict[str, str] = _found["modules"]
"""The module of each operation."""

ALIASES: dict[str, str] = _found["aliases"]
"""Their names in the first versions of the protocol, for clients."""

WAITS: frozenset[str] = frozenset(_found["waits"])
"""Those whose answer may wait for a model or a person."""

FIELDS: dict[str, list[str]] = _found["fields"]
"""The fields of each operation that clients may use, in their order, with a star before those given by name alone."""
