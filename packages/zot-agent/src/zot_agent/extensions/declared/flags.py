"""Flags that extensions add to the command line: who owns each, and the values that an extension gets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from zot_agent.config.own_flags import OWN_FLAGS
from zot_agent.extensions.discover import DiscoveredExtension
from zot_provider.record import Record, field

if TYPE_CHECKING:
    from zot_ext.protocol.flags import ExtensionFlag, FlagValue


class OwnedFlag(Record):
    """A flag and the extension that it belongs to; `why` says, in one line, that it cannot be typed because of another
    flag, and is empty otherwise."""

    owner: DiscoveredExtension
    flag: "ExtensionFlag"
    why: str = ""


class FlagValues(Record):
    """The flags of one extension: all values by name, the names of those on the command line, and why some cannot be
    typed."""

    values: "dict[str, FlagValue]" = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    shadowed: list[str] = field(default_factory=list)


def list_flags(active: Sequence[DiscoveredExtension]) -> Iterator[OwnedFlag]:
    """Yield the flags of extensions in load order. Of one name zot's own flag counts, then the first."""
    owners: dict[str, str] = {}
    for found in active:
        for flag in found.manifest.flags if found.manifest.exec else ():
            own = next((name for name in flag.names if name in OWN_FLAGS), "")
            other = next((name for name in flag.names if name in owners), "")
            if own:
                yield OwnedFlag(found, flag, f"the flag --{own} is shadowed by zot's own")
            elif other:
                why = f"the flag --{other} is shadowed by that of extension {owners[other]}, which is loaded before"
                yield OwnedFlag(found, flag, why)
            else:
                owners |= dict.fromkeys(flag.names, found.name)
                yield OwnedFlag(found, flag)


def flag_values(active: Sequence[DiscoveredExtension], given: "Mapping[str, FlagValue]") -> dict[str, FlagValues]:
    """Return the values of each extension that has flags, by its folder. `given` are the values on the command line, by
    name."""
    owned = {name for found in active for flag in found.manifest.flags for name in flag.names}
    # What is written for pi names its flags in its code: see `zot_agent.extensions.declared.pi_declarations`.
    of_pi = {name: value for name, value in given.items() if name not in owned}
    values = {found.directory: FlagValues(dict(of_pi), list(of_pi)) for found in active if found.pi}
    for each in list_flags(active):
        name = each.flag.name
        of_extension = values.setdefault(each.owner.directory, FlagValues())
        of_extension.values[name] = each.flag.value
        if each.why:
            of_extension.shadowed.append(each.why)
        elif name in given:
            of_extension.values[name] = given[name]
            of_extension.given.append(name)
    return values
