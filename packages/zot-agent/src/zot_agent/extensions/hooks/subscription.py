"""The accepted part of a `subscribe` frame. The rest is not permitted, needs a group, or is unknown to zot."""

from collections.abc import Callable, Collection, Iterable

from zot_ext.protocol.events import BUS, EVENTS, INTERCEPTS, NEWER_INTERCEPTS, channel_problem
from zot_ext.protocol.permissions import ExtensionPermissions, may_intercept, may_observe


def accepted(
    events: Iterable[str],
    intercept: Iterable[str],
    groups: Collection[str],
    permissions: ExtensionPermissions,
    refuse: Callable[[str, str, str], None],
) -> tuple[set[str], set[str]]:
    """Return which of `events` an extension with these groups observes, and which of `intercept` it intercepts.
    `refuse` is called for each other name, with `event` or `intercept`, the name and the reason."""
    observes, intercepts = set[str](), set[str]()
    for name in events:
        if problem := not_observable(name, groups):
            refuse("event", name, problem)
        elif may_observe(permissions, name):
            observes.add(name)
        else:
            needs = "calls" if name.startswith(BUS) else "conversation"
            refuse("event", name, not_permitted(f"to observe {name}", needs))
    for name in intercept:
        if problem := not_interceptable(name, groups):
            refuse("intercept", name, problem)
        elif may_intercept(permissions, name):
            intercepts.add(name)
        else:
            refuse("intercept", name, not_permitted(f"to intercept {name}", "intercept"))
    return observes, intercepts


def not_permitted(what: str, permission: str) -> str:
    """Return the reason for refusing what the manifest of an extension does not permit."""
    return f"{what} is refused: permissions.{permission} of its manifest does not have it"


def not_observable(event: str, granted: Collection[str]) -> str:
    """Return why an extension with these groups cannot observe an event; empty if it can, or if nobody knows it."""
    if event in EVENTS:
        return ""
    if event.startswith(BUS):
        problem = channel_problem(event.removeprefix(BUS), pattern=True)
        return problem and f"to observe {event} is refused: a pattern {problem}"
    from zot_ext.protocol.events.observable import OBSERVABLE  # noqa: PLC0415  few extensions observe more

    row = OBSERVABLE.get(event)
    return "" if row is None or row.group in granted else _missing(f"to observe {event}", row.group)


def not_interceptable(event: str, granted: Collection[str]) -> str:
    """Return why an extension with these groups cannot intercept an event; empty if it can."""
    if event in INTERCEPTS:
        return ""
    if event not in NEWER_INTERCEPTS:
        return f"there is no intercept {event!r}; it is ignored"
    return "" if "intercepts2" in granted else _missing(f"to intercept {event}", "intercepts2")


def _missing(what: str, group: str) -> str:
    return f"{what} needs the group {group!r}, which hello.capabilities does not have"
