"""`InterceptOptions`: how an extension wants to be asked about an event, and what happens if it does not answer."""

from collections.abc import Callable, Mapping
from typing import Any

from zot_ext.protocol.events import INTERCEPTS, NEWER_INTERCEPTS
from zot_provider.record import Record

MOST_TEXTS = 200
_ACTIONS = ("allow", "block")
_OPTIONS = ("on_timeout", "on_exit", "cadence", "priority", "contains", "on_error")
"""`on_error` is for the SDK of the extension."""
_SIMILARITY = 0.75
_CHOICES = {"on_timeout": _ACTIONS, "on_exit": _ACTIONS, "cadence": ("session", "prompt")}


class InterceptOptions(Record):
    """Options of one event. `blocks_on_timeout`, `blocks_on_exit`: without an answer in time, or after the end of the
    extension, the event is blocked, else allowed. Of a higher `priority` are asked first. `each_prompt`: asked for each
    prompt in place of once a session. `contains`: asked only about values whose text has one of these."""

    blocks_on_timeout: bool = False
    blocks_on_exit: bool = False
    priority: int = 0
    each_prompt: bool = False
    contains: tuple[str, ...] = ()

    @property
    def blocks(self) -> bool:
        """Whether the event is blocked in some case."""
        return self.blocks_on_timeout or self.blocks_on_exit

    def with_guard(self, guard: "InterceptOptions | None") -> "InterceptOptions":
        """Return these options, which also block where `guard` does: a program cannot take back what its manifest
        says."""
        if guard is None:
            return self
        return self.replace(
            blocks_on_timeout=self.blocks_on_timeout or guard.blocks_on_timeout,
            blocks_on_exit=self.blocks_on_exit or guard.blocks_on_exit,
        )


USUAL = InterceptOptions()
"""The options of an extension that names none."""


def read_options(options: Mapping[str, Any], log: Callable[[str], None]) -> dict[str, InterceptOptions]:
    """Read the `intercept_options` of a `subscribe` frame. What is wrong is logged, and has its default; but a policy
    that is wrong blocks, also one whose name is, since somebody wanted more than the default."""
    found: dict[str, InterceptOptions] = {}
    for event, given in options.items():
        if not _is_known(event) or not isinstance(given, dict):
            log(f"intercept_options: {event!r} must be an event that can be intercepted, with an object; it is ignored")
            continue
        found[event] = _read(event, given, log)
    return found


def _is_known(event: str) -> bool:
    return event in INTERCEPTS or event in NEWER_INTERCEPTS


def _is_blockable(event: str) -> bool:
    if event in INTERCEPTS:
        return event != "before_agent_start"
    from zot_ext.protocol.events.interceptable import INTERCEPTABLE  # noqa: PLC0415  few extensions say this

    return INTERCEPTABLE[event].blockable


def _read(event: str, given: dict[str, Any], log: Callable[[str], None]) -> InterceptOptions:
    def choice(name: str) -> bool:
        """Whether the second choice is taken."""
        value = given.get(name)
        if value is not None and value not in _CHOICES[name]:
            log(f"intercept_options: {name} of {event} must be {' or '.join(_CHOICES[name])}, not {value!r}")
            return name != "cadence"
        return value == _CHOICES[name][1]

    misspelt = [name for name in given if name not in _OPTIONS]
    for name in misspelt:
        log(f"intercept_options: {event} has no option {name!r}")
    careful = any(_near_policy(name) for name in misspelt) and _is_blockable(event)
    priority = given.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        log(f"intercept_options: priority of {event} must be a whole number, not {priority!r}")
        priority = 0
    if ("on_timeout" in given or "on_exit" in given) and not _is_blockable(event):
        log(f"intercept_options: {event} cannot be blocked")
        return InterceptOptions(priority=priority, each_prompt=choice("cadence"))
    contains = given.get("contains", [])
    if (
        not isinstance(contains, list)
        or len(contains) > MOST_TEXTS
        or not all(isinstance(each, str) for each in contains)
    ):
        log(f"intercept_options: contains of {event} must be a list of {MOST_TEXTS} texts at most; it is ignored")
        contains = []
    return InterceptOptions(
        choice("on_timeout") or careful, choice("on_exit") or careful, priority, choice("cadence"), tuple(contains)
    )


def _near_policy(name: str) -> bool:
    from zot_provider.near_names import nearest  # noqa: PLC0415  only for a mistake

    return bool(nearest(name, ("on_exit", "on_timeout", "on_failure"), _SIMILARITY))
