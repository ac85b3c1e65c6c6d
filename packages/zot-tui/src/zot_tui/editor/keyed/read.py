"""`read_modes`: editor modes from JSON values; pure."""

from collections.abc import Container, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args

from zot_tui.editor.keyed.words import SELECTING, ModeKind, Step, read_step, read_target, waits
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
        """The mode to begin with."""
        return next(iter(self.modes.values()))

    def of_kind(self, kind: ModeKind) -> KeyedModeData | None:
        """Return the first mode of a kind."""
        return next((each for each in self.modes.values() if each.kind == kind), None)


def read_modes(given: Mapping[str, Any], actions: Container[str]) -> KeyedModes:
    """Return the modes that an object describes, by name. `actions` are names of actions that a key can do.

    Raises ValueError with one line that names the mode and the key.
    """
    if not 0 < len(given) <= MOST_MODES:
        raise ValueError(f"there must be 1 to {MOST_MODES} modes, not {len(given)}")
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


def _read_mode(name: str, given: Any, modes: Mapping[str, Any], actions: Container[str]) -> KeyedModeData:
    where = f"mode {name[:50]}"
    given = _object(given, where)
    kind, cursor = given.get("kind") or "insert", given.get("cursor") or ""
    if kind not in KINDS:
        raise ValueError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if cursor not in SHAPES:
        raise ValueError(f"{where}: cursor must be one of {', '.join(filter(None, SHAPES))}")
    keys = {**_motions(given, where, modes), **_keymap(_object(given.get("keys"), where), where)}
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


def _motions(given: Mapping[str, Any], where: str, modes: Mapping[str, Any]) -> dict[Keys, list[str]]:
    """Return the keys of the mode named `motions_from` that only move the cursor."""
    source = given.get("motions_from")
    if source is None:
        return {}
    if not isinstance(source, str) or source not in modes:
        raise ValueError(f"{where}: motions_from: there is no mode {source!r}")
    theirs = _keymap(_object(_object(modes[source], where).get("keys"), where), where)
    return {keys: steps for keys, steps in theirs.items() if len(steps) == 1 and steps[0].startswith("move ")}


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
    if len(steps) != 1 or steps[0].kind != "command":
        return {}
    command = steps[0].command
    if command.verb in (";", ","):
        return {keys: command.verb}
    return {keys: command.motion} if command.motion and not command.verb else {}
