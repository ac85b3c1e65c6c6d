"""`Keymap`: which key triggers which action, by context. The screen defines what an action does; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zot_tui.keys.key import RUNE, Key, parse_key

# The keys that always lead out of something: only the weakest layer, the built-in bindings, may use them.
RESERVED = frozenset({"ctrl+c", "ctrl+d", "esc"})
_RESERVED = frozenset(map(parse_key, RESERVED))
_ANY = Key(RUNE)


@dataclass(slots=True)
class Binding:
    """A key and the action it names.

    `key` is in the form that `parse_key` reads; `rune` matches every typed character without a binding of its own.
    `contexts` are names that the screen gives to its parts (`editor`, `picker`); without any, the binding holds
    everywhere. `help` is the text of the key page, a few words without a full stop. An empty action makes the key do
    nothing.
    """

    key: str
    action: str
    contexts: tuple[str, ...] = ()
    help: str = ""


class Keymap:
    """Layers of bindings, the strongest first: the user's own, extensions' bindings, the built-in ones.

    A key is looked up in the strongest layer first, and within a layer in the innermost context first; a reserved key
    only in the weakest layer. A binding with an unreadable key is a ValueError; keys from outside go through
    `override`, which reports problems instead.
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
        """Return the binding of `key` in `contexts`, given innermost first; None if it has none or does nothing.

        Bindings without a context hold everywhere, and come last. A character that no layer binds is looked up as
        `rune`.
        """
        for each in (key, _ANY) if key.text else (key,):
            for layer in self._found[-1:] if each in _RESERVED else self._found:
                if (found := layer.get(each)) is not None:
                    for context in (*contexts, ""):
                        if (binding := found.get(context)) is not None:
                            return binding if binding.action else None
        return None

    def overrides(self, key: Key) -> bool:
        """Whether a layer above the weakest one binds `key`."""
        return any(key in layer for layer in self._found[:-1])

    def keys(self, action: str, contexts: Sequence[str] = ()) -> list[Key]:
        """Return the keys that trigger `action` in `contexts`, strongest first, for hints."""
        keys = dict.fromkeys(parse_key(binding.key) for binding in self.bindings if binding.action == action)
        return [key for key in keys if (found := self.find(key, contexts)) is not None and found.action == action]

    def over(self, bindings: Iterable[Binding]) -> "Keymap":
        """Return a keymap with one more layer above all others."""
        return Keymap(bindings, *self._layers)

    def extended(self, bindings: Iterable[Binding]) -> "Keymap":
        """Return a keymap with these bindings between the strongest and the weakest layer, in place of those there."""
        return Keymap(self._layers[0], bindings, self._layers[-1])

    def override(self, chords: Mapping[str, str | None], contexts: tuple[str, ...] = ()) -> tuple["Keymap", list[str]]:
        """Return a keymap with the user's choices on top, and a line for each choice that cannot be used.

        `chords` maps keys to actions, or to None or `""` to unbind them; they hold in `contexts`. Reserved and
        unreadable keys are left out and reported; of a key written twice (`ctrl+o`, `Ctrl+O`) the first is used.
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


def _index(layer: Iterable[Binding]) -> dict[Key, dict[str, Binding]]:
    """Return the bindings of a layer by key and context; of two, the first."""
    found: dict[Key, dict[str, Binding]] = {}
    for binding in layer:
        for context in binding.contexts or ("",):
            found.setdefault(parse_key(binding.key), {}).setdefault(context, binding)
    return found
