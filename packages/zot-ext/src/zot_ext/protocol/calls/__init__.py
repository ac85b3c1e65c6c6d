"""The methods of `host_call`: what an extension can ask the host for, as data.

Documentation, `zot ext check` and the checks of the host read this table. To add a method: its row in the module of its
subject, and a function with its name in the module of its group in `zot_agent/extensions/calls/methods`.

```text
method        `HostMethod`
old_names     names before the first release
screen        `ui`, `widgets`, `editor`, `keys`, `autocomplete`, `renderers`
panels        `panels2`
conversation  `messages`, `storage`, `model.complete`, `exec`, `resources`, `bus`, `cancel`
operations    a generated file: the operations, in the groups `session`, `control`, `model`, `tools2`
denied        a generated file: the operations that extensions may not call, by each of their names
```
"""

from __future__ import annotations

from zot_ext.protocol.calls.conversation import AGENT, CONVERSATION
from zot_ext.protocol.calls.method import HostMethod
from zot_ext.protocol.calls.old_names import OLD_NAMES
from zot_ext.protocol.calls.panels import PANELS
from zot_ext.protocol.calls.screen import EDITING, PERSON, SCREEN
from zot_ext.protocol.fields import FieldReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

__all__ = [
    "CALLS",
    "METHODS",
    "RENAMED",
    "HostMethod",
    "reader",
    "refusal",
    "unknown_operation",
]

CALLS: tuple[HostMethod, ...] = (*PERSON, *SCREEN, *EDITING, *PANELS, *CONVERSATION, *AGENT)
"""All methods, by group."""

METHODS: Mapping[str, HostMethod] = {method.name: method for method in CALLS}

_readers: dict[str, FieldReader] = {}


def reader(method: str) -> FieldReader:
    """Return what reads the parameters of a method."""
    if method not in _readers:
        _readers[method] = FieldReader(method, METHODS[method].params)
    return _readers[method]


RENAMED = OLD_NAMES | {method.alias: method.name for method in CALLS if method.alias}
"""Names before the first release, also of what only clients may do, and the short names of methods, for clients."""


def unknown_operation(name: str) -> str:
    """Say that there is no method or command of this name, or which name it has now: the words of every transport."""
    return f"{name} is called {RENAMED[name]} now" if name in RENAMED else f"unknown operation {name!r:.80}"


def refusal(name: str) -> tuple[Literal["denied", "unsupported"], str]:
    """Return the code and the words with which a call of this name is refused, which is none of METHODS."""
    import json  # noqa: PLC0415 - such calls are mistakes
    from pathlib import Path  # noqa: PLC0415 - as above

    denied = json.loads(Path(__file__).with_name("denied.json").read_text("utf-8"))
    real = denied.get(RENAMED.get(name, name))
    return ("denied", f"extensions may not do {real}") if real else ("unsupported", unknown_operation(name))
