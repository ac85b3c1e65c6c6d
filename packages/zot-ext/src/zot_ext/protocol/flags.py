"""`ExtensionFlag`: an entry of the field `flags` of a manifest, a flag that the extension adds to the command line."""

from __future__ import annotations

from zot_ext.protocol.errors import FrameError
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    FlagValue: TypeAlias = bool | int | str

FLAGS, NAME_LENGTH, DESCRIPTION_LENGTH = 50, 40, 200
"""The most flags of an extension, and characters of a name and of a description: the help has to stay readable."""

FLAG_TYPES = ("boolean", "integer", "string")
"""Values of `type` of a flag."""

_ZERO: dict[str, FlagValue] = {"boolean": False, "integer": 0, "string": ""}
_WORDS = {"boolean": "true or false", "integer": "a whole number", "string": "a string"}


class ExtensionFlag(Record):
    """A flag of the command line."""

    name: str
    """Lower-case letters, digits and `-`: `plan` is typed as `--plan`. A boolean one is turned off with `--no-plan`."""
    type: str = "boolean"
    """See `FLAG_TYPES`."""
    default: bool | int | str | None = None
    """The value without the flag: by default `false`, `0` or an empty string."""
    description: str = ""
    """For the help, one line."""

    @property
    def value(self) -> FlagValue:
        """The value without the flag."""
        return _ZERO[self.type] if self.default is None else self.default

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it takes on the command line, without their dashes."""
        return (self.name, f"no-{self.name}") if self.type == "boolean" else (self.name,)


def flag_type(value: object) -> str:
    """Return the type of flag that a value belongs to; empty for a value of none."""
    kinds: tuple[tuple[str, type], ...] = (("boolean", bool), ("integer", int), ("string", str))
    return next((name for name, kind in kinds if isinstance(value, kind)), "")


def check_flags(flags: tuple[ExtensionFlag, ...]) -> None:
    """Raise `FrameError` for a flag that cannot be typed, or shown, or has a default of another type."""
    if len(flags) > FLAGS:
        raise FrameError(f"has {len(flags)} entries; at most {FLAGS}", field="flags")
    taken: set[str] = set()
    for index, flag in enumerate(flags):
        where = f"flags[{index}]"
        if problem := name_problem(flag.name):
            raise FrameError(problem, field=f"{where}.name")
        if flag.type not in FLAG_TYPES:
            raise FrameError(f"must be one of {', '.join(FLAG_TYPES)}", field=f"{where}.type")
        if flag.default is not None and flag_type(flag.default) != flag.type:
            raise FrameError(f"must be {_WORDS[flag.type]}, as its type says", field=f"{where}.default")
        if len(flag.description) > DESCRIPTION_LENGTH or not flag.description.isprintable():
            raise FrameError(f"must be one line of {DESCRIPTION_LENGTH} characters", field=f"{where}.description")
        if not taken.isdisjoint(flag.names):
            raise FrameError(f"is there twice: --{flag.name}", field=f"{where}.name")
        taken.update(flag.names)


def name_problem(name: str) -> str:
    """Return what is wrong with the name of a flag; empty if nothing is."""
    plain = name.isascii() and name.replace("-", "a").isalnum() and name == name.lower()
    if plain and name[0] != "-" and name[-1] != "-" and len(name) <= NAME_LENGTH:
        return ""
    return f"must be 1 to {NAME_LENGTH} lower-case letters, digits and -"
