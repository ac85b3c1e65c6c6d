"""`KeyAnswer`: what an extension does with a key of the editor."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer
from zot_tui.keys.key import RUNE, Key, parse_key
from zot_tui.text.sanitize import sanitize
from zot_tui.widgets.input.editor import EditorWidget

MOST_OPS, MOST_KEYS, MOST_TEXT = 100, 20, 1_000_000


class KeyAnswer(NamedTuple):
    """An answer that was checked: what is done with the editor, in order, and the keys in place of the one pressed."""

    uses: bool
    ops: tuple[tuple[str, Any], ...]
    keys: tuple[Key, ...]

    def edit(
        self, editor: EditorWidget, actions: Mapping[str, Callable[[], object]], mode: Callable[[str], None]
    ) -> None:
        """Do the operations. What they change between two actions is one step to undo."""
        buffer = editor.buffer
        changed = False
        for name, value in self.ops:
            if name in ("do", "mode"):
                if changed:
                    buffer.end_step()
                    editor.changed()
                    changed = False
                actions[value]() if name == "do" else mode(value)
                continue
            if not changed:
                editor.mode.pause()
                buffer.begin_step()
                changed = True
            _change(buffer, name, value)
        if changed:
            buffer.end_step()
            editor.changed()


def _change(buffer: Buffer, name: str, value: Any) -> None:
    if name == "insert":
        buffer.insert(sanitize(value[:MOST_TEXT]))
    elif name == "set":
        buffer.set(sanitize(value[:MOST_TEXT]))
    elif name == "move":
        buffer.move(value)
    else:
        start, end = sorted(motions.snap(buffer.text, at) for at in value)
        buffer.replace(start, end, "")


def read_answer(given: Mapping[str, Any], actions: Mapping[str, object]) -> KeyAnswer:
    """Return an answer whose members have the right types. Raises ValueError with one line."""
    ops, keys = given.get("ops") or [], given.get("keys") or []
    if len(ops) > MOST_OPS or len(keys) > MOST_KEYS:
        raise ValueError(f"an answer about a key has at most {MOST_OPS} ops and {MOST_KEYS} keys")
    read = tuple(_op(each, actions) for each in ops)
    return KeyAnswer(bool(ops or keys or given.get("consumed")), read, tuple(map(_key, keys)))


def _op(given: Any, actions: Mapping[str, object]) -> tuple[str, Any]:
    if not isinstance(given, dict) or len(given) != 1:
        raise ValueError("an op must be an object with one member")
    ((name, value),) = given.items()
    if name in ("insert", "set", "do", "mode"):
        right = isinstance(value, str)
    elif name == "move":
        right = _offset(value)
    elif name == "delete":
        right = isinstance(value, list) and len(value) == 2 and all(map(_offset, value))
    else:
        raise ValueError(f"there is no op {str(name)[:50]!r}")
    if not right:
        raise ValueError(f"the op {name} has a wrong value")
    if name == "do" and value not in actions:
        raise ValueError(f"there is no action {value[:50]!r}")
    return name, value


def _offset(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _key(name: Any) -> Key:
    key = parse_key(name if isinstance(name, str) else "")
    if key.name == RUNE and not key.text:
        raise ValueError("rune stands for many keys; name one")
    return key
