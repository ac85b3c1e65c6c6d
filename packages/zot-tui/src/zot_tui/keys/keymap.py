"""Bindings: which key does what, where. Keys name actions; what an action is, the screen knows; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zot_tui.keys.key import RUNE, Key, parse_key

# The keys that get a person out of anything: only the bindings of the weakest layer, the built-in ones, may use them.
RESERVED = frozenset({"ctrl+c", "ctrl+d", "esc"})


@dataclass(slots=True)
class Binding:
    """A key and the action it names.

    `key` is written as `parse_key` reads it; `rune` stands for every typed character without a binding of its own.
    `contexts` are names that the screen gives to its parts (`editor`, `picker`), none for everywhere. `help` is what
    the key page says, a few words without a full stop. A binding without an action makes its key do nothing.
    """

    key: str
    action: str
    contexts: tuple[str, ...] = ()
    help: str = ""


@dataclass(slots=True)
class Conflict:
    """Two bindings of one layer for one key in one context (empty: everywhere), of which the first is used."""

    key: str
    context: str
    used: Binding
    unused: Binding

    def __str__(self) -> str:
        where = f" in {self.context}" if self.context else ""
        return f"{self.key} is bound twice{where}: to {self.used.action!r} (used) and to {self.unused.action!r}"


class Keymap:
    """Layers of bindings, the strongest first: a person's own, those of extensions, the built-in ones.

    A key is looked up in the strongest layer first, there in the innermost context first; a reserved key in the weakest
    layer only. A binding with an unreadable key is a ValueError; keys that come from outside go through `override`,
    which reports instead.
    """

    __slots__ = ("_found", "_layers")

    def __init__(self, *layers: Iterable[Binding]) -> None:
        self._layers = tuple(tuple(layer) for layer in layers)
        self._found = [_index(layer) for layer in self._layers]

    @property
    def bindings(self) -> list[Binding]:
        """All bindings, strongest layer first, each layer in its own order."""
        return [binding for layer in self._layers for binding in layer]

    def find(self, key: Key, contexts: Sequence[str] = ()) -> Binding | None:
        """What `key` is bound to where `contexts` hold, the innermost named first; None if to nothing.

        Bindings without a context hold everywhere, and come last. A character that no layer binds is looked up as
        `rune`.
        """
        names = [str(key)] if key.name != RUNE or not key.text else [str(key), RUNE]
        for name in names:
            for found in self._found[-1:] if name in RESERVED else self._found:
                for context in (*contexts, ""):
                    binding = found.get((context, name))
                    if binding is not None:
                        return binding if binding.action else None
        return None

    def keys(self, action: str, contexts: Sequence[str] = ()) -> list[Key]:
        """The keys that do `action` where `contexts` hold, strongest first: what a hint shows."""
        keys = dict.fromkeys(parse_key(binding.key) for binding in self.bindings if binding.action == action)
        return [key for key in keys if (found := self.find(key, contexts)) is not None and found.action == action]

    def conflicts(self) -> list[Conflict]:
        """Bindings that can never be reached because an earlier one of their layer has the key, in order."""
        conflicts = []
        for layer in self._layers:
            seen: dict[tuple[str, str], Binding] = {}
            for binding in layer:
                name = str(parse_key(binding.key))
                for context in binding.contexts or ("",):
                    used = seen.setdefault((context, name), binding)
                    if used is not binding:
                        conflicts.append(Conflict(name, context, used, binding))
        return conflicts

    def over(self, bindings: Iterable[Binding]) -> "Keymap":
        """A keymap with one more layer above all others."""
        return Keymap(bindings, *self._layers)

    def override(self, chords: Mapping[str, str | None], contexts: tuple[str, ...] = ()) -> tuple["Keymap", list[str]]:
        """A keymap with a person's choices on top, and what could not be used of them, a line each.

        `chords` maps keys to actions, None or `""` to unbind; they hold in `contexts`. Reserved and unreadable keys are
        left out and reported; of a key written twice (`ctrl+o`, `Ctrl+O`) the first is used.
        """
        layer: list[Binding] = []
        problems: list[str] = []
        for chord, action in chords.items():
            try:
                name = str(parse_key(chord))
            except ValueError as error:
                problems.append(str(error))
                continue
            if name in RESERVED:
                problems.append(f"{name} is reserved and keeps its meaning: choose another key for {action!r}")
            elif any(binding.key == name for binding in layer):
                problems.append(f"{name} is bound twice: {chord!r} is left out")
            else:
                layer.append(Binding(name, action or "", contexts))
        return self.over(layer), problems


def _index(layer: Iterable[Binding]) -> dict[tuple[str, str], Binding]:
    found: dict[tuple[str, str], Binding] = {}
    for binding in layer:
        name = str(parse_key(binding.key))
        for context in binding.contexts or ("",):
            found.setdefault((context, name), binding)
    return found
