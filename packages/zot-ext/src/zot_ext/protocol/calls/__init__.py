"""The methods of `host_call`: what an extension can ask the host for, as data.

Documentation, `zot ext check` and the checks of the host read this table. To add a method: its row in the module of its
subject, and a function with its name in the module of its group in `zot_agent/extensions/calls/methods`.

```text
method        `HostMethod`, `params_problem`
screen        `ui`, `widgets`, `editor`, `keys`, `autocomplete`, `renderers`
panels        `panels2`
conversation  `messages`, `storage`, `model.complete`, `exec`, `resources`, `bus`, `cancel`
operations    a generated file: the operations, in the groups `session`, `control`, `model`, `tools2`
```
"""

from __future__ import annotations

from zot_ext.protocol.calls.conversation import AGENT, CONVERSATION
from zot_ext.protocol.calls.method import KINDS, CallParam, HostMethod, params_problem
from zot_ext.protocol.calls.panels import PANELS
from zot_ext.protocol.calls.screen import EDITING, PERSON, SCREEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CALLS", "KINDS", "METHODS", "RENAMED", "CallParam", "HostMethod", "params_problem"]

CALLS: tuple[HostMethod, ...] = (*PERSON, *SCREEN, *EDITING, *PANELS, *CONVERSATION, *AGENT)
"""All methods, by group."""

METHODS: Mapping[str, HostMethod] = {method.name: method for method in CALLS}

RENAMED = {
    "session.clone": "session.fork",
    "session.switch": "session.open",
    **{method.alias: method.name for method in CALLS if method.alias},
}
"""Names of methods before the first release, and names that clients use."""
