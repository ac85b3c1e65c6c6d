"""`read_modes`: editor modes from JSON values; pure."""

from collections.abc import Container, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args

from zot_tui.editor.keyed.command import SELECTING, ModeKind, Step, read_step, read_target, waits
from zot_tui.editor.keyed.objects import OBJECTS
from zot_tui.editor.mode import CursorShape
from zot_tui.keys.key import RUNE, parse_key
from zot_tui.text.sanitize import sanitize_line

MOST_MODES, MOST_KEYS, MOST_STEPS, LONGEST = 20, 500, 20, 5
"""The most modes, keys of a mode, steps of a key, and keys that are pressed one after the other."""

KEPT = frozenset(("ctrl+c", "ctrl+d"))
"""Keys that no mode gets."""

KINDS: tuple[ModeKind, ...] = get_args(ModeKind)
SHAPES: tuple[CursorShape, ...] = get_args(CursorShape)

Keys: TypeAlias = tuple[str, ...]
"""Keys that are pressed one after the other, as `str` of a `Key` names them."""


class KeyedModeData(NamedTuple):
    """A mode. `targets` are the keys behind an operator, with motions and parts of the text as the engine calls them;
    `begun` is every beginning of a longer sequence of keys. A key without a meaning here goes to the mode
    `fallthrough`, if there is one. `exclusive`: a selection ends before the cursor."""

    name: str
    kind: ModeKind
    label: str
    cursor: CursorShape
    counts: bool
    keys: Mapping[Keys, tuple[Step, ...]]
    targets: Mapping[Keys, str]
    begun: frozenset[Keys]
    fallthrough: str = ""
    exclusive: bool = False


class KeyedModes(NamedTuple):
    """The modes by name; the first is the one to begin with."""

    modes: Mapping[str, KeyedModeData]

    @property
    def first(self) -> KeyedModeData:
        return next(iter(self.modes.values()))

    def of_kind(self, kind: ModeKind) -> KeyedModeData | None:
        return next((each for each in self.modes.values() if each.kind == kind), None)


def read_modes(given: Mapping[str, Any], actions: Container[str]) -> KeyedModes:
    """Return the modes that an object describes, by name. `actions` are names of actions that a key can do.

    Raises ValueError with one line that names the mode and the key.
    """
    if not 0 < len(given) <= MOST_MODES:
        raise ValueError(f"there must be 1 to {MOST_MODES} modes, not {len(given)}")
    given = {name: _whole(each, f"mode {name[:50]}", given) for name, each in given.items()}
    modes = {name: _read_mode(name, each, given, actions) for name, each in given.items()}
    if all(each.kind != "insert" for each in modes.values()):
        raise ValueError("no mode has the kind insert, so nothing could be typed")
    for mode in modes.values():
        if mode.fallthrough and (mode.fallthrough == mode.name or mode.fallthrough not in modes):
            raise ValueError(f"mode {mode.name}: fallthrough: there is no other mode {mode.fallthrough!r}")
        if mode.fallthrough and modes[mode.fallthrough].fallthrough:
            raise ValueError(f"mode {mode.name}: fallthrough: the mode {mode.fallthrough} falls through itself")
        for keys, steps in mode.keys.items():
            missing = [step.text for step in steps if step.kind == "mode" and step.text not in modes]
            if missing:
                raise ValueError(f"mode {mode.name}: {' '.join(keys)}: there is no mode {missing[0]!r}")
    return KeyedModes(modes)


def _whole(given: Any, where: str, modes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a mode with the fields and the keys that it has from the mode which `like` names."""
    own = _object(given, where)
    if own.get("like") is None:
        return own
    source = _object(_named(own, "like", where, modes), where)
    if source.get("like") is not None:
        raise ValueError(f"{where}: like: the mode {own['like']} is like another one itself")
    keymaps = ("keys", "after_operator")
    added = {each: {**_object(source.get(each), where), **_object(own.get(each), where)} for each in keymaps}
    return {**source, **own, **added}


def _named(given: Mapping[str, Any], field: str, where: str, modes: Mapping[str, Any]) -> Any:
    name = given[field]
    if not isinstance(name, str) or name not in modes:
        raise ValueError(f"{where}: {field}: there is no mode {name!r}")
    return modes[name]


def _read_mode(
    name: str, given: Mapping[str, Any], modes: Mapping[str, Mapping[str, Any]], actions: Container[str]
) -> KeyedModeData:
    where = f"mode {name[:50]}"
    kind, cursor = given.get("kind") or "insert", given.get("cursor") or ""
    if kind not in KINDS:
        raise ValueError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if cursor not in SHAPES:
        raise ValueError(f"{where}: cursor must be one of {', '.join(filter(None, SHAPES))}")
    moves = _motions(given, where, modes, selecting=kind in SELECTING)
    keys = moves | _keymap(_object(given.get("keys"), where), where)
    targets = _keymap(_object(given.get("after_operator"), where), where)
    if len(keys) + len(targets) > MOST_KEYS:
        raise ValueError(f"{where} has more than {MOST_KEYS} keys")
    steps, ends = dict[Keys, tuple[Step, ...]](), dict[Keys, str]()
    for pressed, values in keys.items():
        try:
            steps[pressed] = tuple(read_step(each, kind, actions) for each in values)
            _check_order(steps[pressed])
        except ValueError as error:
            raise ValueError(f"{where}: {' '.join(pressed)}: {error}") from None
        ends |= _as_target(pressed, steps[pressed]) if kind not in SELECTING else {}
    for pressed, values in targets.items():
        try:
            ends[pressed] = read_target(values[0])
        except ValueError as error:
            raise ValueError(f"{where}: after_operator: {' '.join(pressed)}: {error}") from None
    begun = {pressed[:length] for pressed in (*steps, *ends) for length in range(1, len(pressed))}
    label, fallthrough = given.get("label"), given.get("fallthrough")
    return KeyedModeData(
        name, kind, sanitize_line(label)[:30] if isinstance(label, str) else "", cursor,
        given.get("counts") is True, steps, ends, frozenset(begun), fallthrough if isinstance(fallthrough, str) else "",
        given.get("exclusive") is True,
    )  # fmt: skip


def _check_order(steps: tuple[Step, ...]) -> None:
    """Raise ValueError if a step that waits for another key is not where it can wait."""
    if len(steps) > 1 and any(step.kind == "operator" for step in steps):
        raise ValueError("an operator without a motion must be the only step")
    if any(step.kind == "command" and waits(step.command) for step in steps[:-1]):
        raise ValueError("a step that waits for a character must be the last")


def _object(given: Any, where: str) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, dict):
        raise ValueError(f"{where}: it, its keys and after_operator must be objects")
    return given or {}


def _motions(
    given: Mapping[str, Any], where: str, modes: Mapping[str, Mapping[str, Any]], *, selecting: bool
) -> dict[Keys, list[str]]:
    """Return the keys of the mode named `motions_from` that only move the cursor; with `selecting`, also the keys of
    its parts of the text."""
    if given.get("motions_from") is None:
        return {}
    source = _named(given, "motions_from", where, modes)
    theirs = _keymap(_object(source.get("keys"), where), where)
    found = {keys: steps for keys, steps in theirs.items() if len(steps) == 1 and steps[0].startswith("move ")}
    behind = _keymap(_object(source.get("after_operator"), where), where) if selecting else {}
    return found | {keys: [f"move {part[0]}"] for keys, part in behind.items() if part[0] in OBJECTS}


def _keymap(given: Mapping[str, Any], where: str) -> dict[Keys, list[str]]:
    """Return the steps of a keymap by the keys. Raises ValueError."""
    if len(given) > MOST_KEYS:
        raise ValueError(f"{where} has more than {MOST_KEYS} keys")
    found: dict[Keys, list[str]] = {}
    for chord, value in given.items():
        steps = [value] if isinstance(value, str) else value
        if not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS or not all(_is_text(each) for each in steps):
            raise ValueError(f"{where}: {chord[:50]}: the steps must be a text or a list of 1 to {MOST_STEPS} texts")
        try:
            keys = tuple(str(parse_key(each)) for each in chord.split())
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        if not 0 < len(keys) <= LONGEST:
            raise ValueError(f"{where}: {chord[:50]!r} must be 1 to {LONGEST} keys")
        if RUNE in keys or not KEPT.isdisjoint(keys):
            raise ValueError(f"{where}: {chord[:50]} keeps its meaning; choose another key")
        found[keys] = steps
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1000


def _as_target(keys: Keys, steps: tuple[Step, ...]) -> dict[Keys, str]:
    """Return what a key does behind an operator: a key that moves the cursor says how far the operator goes."""
    command = steps[0].command
    moves = len(steps) == 1 and command.motion and not command.verb
    return {keys: command.motion} if moves else {}
