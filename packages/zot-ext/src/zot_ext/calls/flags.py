"""`Flags`: the flags of the command line that an extension reads, in the group `flags`."""

from __future__ import annotations

from zot_ext.protocol.flags import flag_type, name_problem
from zot_ext.protocol.from_extension import RegisterFlag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from zot_ext.protocol.flags import FlagValue
    from zot_ext.protocol.from_host import HelloAck


class Flags:
    """`ext.flags`: `ext.flags["plan"]` is the value of `--plan`, or the default that the program has declared."""

    def __init__(self, host: Callable[[], HelloAck]) -> None:
        self._host = host
        self._declared: dict[str, RegisterFlag] = {}

    def declare(self, name: str, default: FlagValue, description: str) -> RegisterFlag:
        """Declare a flag, and return its frame. Raises `ValueError` for a name or default that no flag can have."""
        if problem := name_problem(name):
            raise ValueError(f"{name!r} {problem}")
        kind = flag_type(default)
        if not kind:
            raise ValueError(f"the default of {name!r} must be True or False, a whole number or text")
        frame = self._declared[name] = RegisterFlag(name, kind, default, description)
        return frame

    def __getitem__(self, name: str) -> FlagValue:
        """Return the value of a flag; a host that does not know flags leaves the default. Raises `KeyError` for a flag
        that was not declared."""
        declared, given = self._declared[name], self._host().flags
        value = None if given is None else given.value.get(name)
        if isinstance(value, (bool, int, str)) and flag_type(value) == declared.flag_type:
            return value
        return declared.default if declared.default is not None else False

    def given(self, name: str) -> bool:
        """Whether the flag was on the command line."""
        return name in self._host().explicit_flags
