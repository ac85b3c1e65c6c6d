"""`InterceptOptions`: how an extension wants to be asked about an event, and what happens if it does not answer."""

from collections.abc import Callable
from typing import Any

from zot_ext.protocol.from_host import INTERCEPTS
from zot_ext.protocol.raw import RawObject
from zot_provider.record import Record

BLOCKABLE = tuple(name for name in INTERCEPTS if name != "before_agent_start")
"""Events that can be blocked."""

_ACTIONS = ("allow", "block")
_CHOICES = {"on_timeout": _ACTIONS, "on_exit": _ACTIONS, "cadence": ("session", "prompt")}


class InterceptOptions(Record):
    """Options of one event. `blocks_on_timeout`, `blocks_on_exit`: without an answer in time, or after the end of the
    extension, the event is blocked, else allowed. Of a higher `priority` are asked first. `each_prompt`: asked for each
    prompt in place of once a session."""

    blocks_on_timeout: bool = False
    blocks_on_exit: bool = False
    priority: int = 0
    each_prompt: bool = False


USUAL = InterceptOptions()
"""Those of an extension that names none."""


def read_options(raw: RawObject | None, log: Callable[[str], None]) -> dict[str, InterceptOptions]:
    """Read the `intercept_options` of a `subscribe` frame. What is wrong is logged, and has its default; but a policy
    that is wrong blocks, since somebody wanted more than the default."""
    found: dict[str, InterceptOptions] = {}
    for event, given in ({} if raw is None else raw.value).items():
        if event not in INTERCEPTS or not isinstance(given, dict):
            log(f"intercept_options: {event!r} must be an event that can be intercepted, with an object; it is ignored")
            continue
        found[event] = _read(event, given, log)
    return found


def _read(event: str, given: dict[str, Any], log: Callable[[str], None]) -> InterceptOptions:
    def choice(name: str) -> bool:
        """Whether the second choice is taken."""
        value = given.get(name)
        if value is not None and value not in _CHOICES[name]:
            log(f"intercept_options: {name} of {event} must be {' or '.join(_CHOICES[name])}, not {value!r}")
            return name != "cadence"
        return value == _CHOICES[name][1]

    priority = given.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        log(f"intercept_options: priority of {event} must be a whole number, not {priority!r}")
        priority = 0
    if event not in BLOCKABLE and ("on_timeout" in given or "on_exit" in given):
        log(f"intercept_options: {event} cannot be blocked")
        return InterceptOptions(priority=priority, each_prompt=choice("cadence"))
    return InterceptOptions(choice("on_timeout"), choice("on_exit"), priority, choice("cadence"))
