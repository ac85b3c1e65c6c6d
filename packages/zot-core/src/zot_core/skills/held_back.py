"""`check_held_back`: fields of front matter by which a file asks for less than zot would do without them.

Files of other agents have such fields under many names. A field that zot does not carry out is an error: what a person
holds back must not run because a word was not known.
"""

import re
from collections.abc import Iterable, Mapping

from zot_core.skills.front_matter import FrontMatterError
from zot_provider.near_names import holds_back, nearest, withholds

_FORBIDS = """
    confine deny denied denies disallow disallowed exclude excluded forbid forbidden guard guards isolation readonly
    restrict restricted restrictions restriction sandbox sandboxed trust without
"""
"""Words of names of fields that forbid something."""

_LIMITS = """
    allow allowed approval approve block blocked budget confirm cost deadline disable disabled enable enabled limit
    limits max maximum network never no not only permission permissions seconds minutes mins scope steps timeout tool
    tools turns
"""
"""Words of names of fields that limit what an agent may do."""

_ALIKE = 0.85
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HOLDING = ("PreToolUse", "PermissionRequest", "UserPromptSubmit", "tool_call", "tool_run")
"""Events whose hooks can refuse."""


def check_held_back(
    fields: Mapping[str, object], known: Iterable[str] = (), *, narrowing: Iterable[str], limits: bool = False
) -> None:
    """Raise `FrontMatterError` for a field that forbids something, with `limits` also if it limits something by its
    name or its value, unless its name is `known`; for a name that resembles a field by which less may run
    (`narrowing`); and for hooks that can refuse, which run in no such file."""
    words = {*_FORBIDS.split(), *(_LIMITS.split() if limits else ())}
    for name in fields:
        if name.casefold() == "hooks":
            _check_hooks(fields[name])
        elif name not in known:
            near = nearest(name, narrowing, _ALIKE)
            if near and near != name:
                raise FrontMatterError(f"there is no field {name!r:.40}; did you mean {near}?")
            own = (word.casefold() for word in _WORDS.findall(name))
            withheld = holds_back(name) or withholds(name, fields[name])
            if near != name and (not words.isdisjoint(own) or (limits and withheld)):
                raise FrontMatterError(f"the field {name!r:.40} seems to hold something back, and zot does not know it")


def _check_hooks(value: object) -> None:
    names = [name for name in value if name in _HOLDING] if isinstance(value, dict) else [""]
    if names:
        of = f" of {names[0]}" if names[0] else ""
        raise FrontMatterError(f"the hooks{of} in it would not run: move them to the settings")
