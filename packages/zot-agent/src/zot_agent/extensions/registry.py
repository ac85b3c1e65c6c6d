"""`ExtensionRegistry`: who owns which command and tool, independent of the order of registrations.

If two extensions register one name, the extension loaded earlier owns it; the other one gets it when the owner ends.
Names of zot itself are reserved.
"""

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from zot_core.conversation.commands import Command, is_command_name, names_skill
from zot_ext.limits import ExtensionLimits
from zot_provider.record import Record
from zot_provider.request import Sampling

if TYPE_CHECKING:
    from zot_ext.protocol.from_extension import RegisterTool

T = TypeVar("T", Command, "ToolOffer")

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST = 64
"""Characters of the longest name of a tool that providers accept. One invalid name would make every request fail."""


_SNIPPET = 500
"""Characters of a line for the system prompt."""


_GRAMMAR = 65536
"""Characters of a grammar for the arguments of a tool."""

_NAMESPACE = 60
"""Characters of the name of a group of deferred tools."""


class ToolOffer(Record):
    """A tool that the extension `source` offers to the model."""

    source: str
    name: str
    description: str
    schema: dict[str, Any]
    prompt_line: str = ""
    parallel: bool = False
    seconds: float = 0.0
    """How long a call may take; 0 for the usual time."""
    read_only: bool = False
    override: bool = False
    deferred: bool = False
    prepare: bool = False
    namespace: str = ""
    sampling: Sampling | None = None


class NameConflict(Record):
    """A name that an extension does not get for now: the position of the extension, and the reason, for its log.

    `own`: the name is zot's own, so that the screen need not warn of it.
    """

    position: int
    why: str
    own: bool = False


class RegistrationError(ValueError):
    """An invalid registration; `str()` is one line for the extension's log."""


class ProviderRegistrations(Protocol):
    """The messages of extensions about the providers that they serve:
    `zot_agent.extensions.providers.provider_service`. Both methods raise `RegistrationError`."""

    def register(self, extension: str, name: str, config: Mapping[str, Any]) -> list[str]:
        """Describe a provider; return warnings."""

    def unregister(self, extension: str, name: str) -> None:
        """Take that back."""


class _Names(Generic[T]):
    """The candidates for each name, by the position of their extension in the load order."""

    def __init__(self, reserved: Container[str], overrides: Callable[[T], bool]) -> None:
        """`overrides` says whether a candidate may have a `reserved` name, which is one of zot itself."""
        self.reserved = reserved
        self._overrides: Callable[[T], bool] = overrides
        self._candidates: dict[str, dict[int, T]] = {}

    def add(self, key: str, position: int, value: T, what: str) -> NameConflict | None:
        if key not in self._candidates and key not in self.reserved:
            self._candidates[key] = {position: value}
            return None
        self._candidates.setdefault(key, {})
        before = min(self._eligible(key), default=position)
        self._candidates[key][position] = value
        candidates = self._eligible(key)
        if position not in candidates:
            return NameConflict(position, f"{what} is shadowed by zot's own", own=True)
        first = min(candidates)
        if first == position == before:
            return None
        why = f"{what} is shadowed by that of extension {candidates[first].source}, which is loaded before"
        return NameConflict(position if first != position else before, why)

    def _eligible(self, key: str) -> dict[int, T]:
        """Return the candidates that may have the name."""
        candidates = self._candidates.get(key, {})
        if key not in self.reserved:
            return candidates
        return {position: each for position, each in candidates.items() if self._overrides(each)}

    def drop(self, position: int) -> None:
        for key in list(self._candidates):
            self.remove(key, position)

    def remove(self, key: str, position: int) -> bool:
        found = self._candidates.get(key, {}).pop(position, None)
        if not self._candidates.get(key, True):
            del self._candidates[key]
        return found is not None

    def get(self, key: str) -> tuple[int, T] | None:
        return min(self._eligible(key).items(), key=lambda each: each[0], default=None)

    def all(self) -> list[tuple[int, T]]:
        return [found for key in sorted(self._candidates) if (found := self.get(key)) is not None]


class ExtensionRegistry:
    """The commands and tools of all extensions. An extension is identified by its position in the load order, from
    0."""

    def __init__(
        self,
        reserved_commands: Container[str] = (),
        reserved_tools: Container[str] = (),
        providers: ProviderRegistrations | None = None,
    ) -> None:
        """`reserved_*`: names of zot itself, commands in lower case. `providers` takes what extensions serve."""
        self.providers = providers
        self._commands: _Names[Command] = _Names(reserved_commands, lambda _: False)
        self._tools: _Names[ToolOffer] = _Names(reserved_tools, lambda offer: offer.override)

    def renewed(self, providers: ProviderRegistrations | None) -> "ExtensionRegistry":
        """Return an empty registry with the same reserved names."""
        return ExtensionRegistry(self._commands.reserved, self._tools.reserved, providers)

    def reserve(self, commands: Container[str]) -> None:
        """Reserve names of commands, in lower case, in place of the earlier ones."""
        self._commands.reserved = commands

    def add_command(
        self, position: int, extension: str, name: str, description: str, *, hidden: bool = False
    ) -> NameConflict | None:
        """Register a command, or update its description. Returns the conflict if an extension does not get the name.

        Names of commands are not case-sensitive. Raises `RegistrationError` for a name that cannot be typed.
        """
        name = name.removeprefix("/")
        if not is_command_name(name) or names_skill(name):
            rule = "only letters, digits, _, -, . and :, with a letter, digit, _ or - at its start, and not skill:"
            raise RegistrationError(f"a command cannot be called {name!r}: {rule}")
        command = Command(extension, name, description, hidden=hidden)
        return self._commands.add(name.lower(), position, command, f"the command /{name}")

    def add_tool(self, position: int, offer: ToolOffer) -> NameConflict | None:
        """Register or update a tool. Returns the conflict if an extension does not get the name."""
        return self._tools.add(offer.name, position, offer, f"the tool {offer.name}")

    def remove_tool(self, position: int, name: str) -> bool:
        """Remove a tool of an extension; return whether it had one of that name."""
        return self._tools.remove(name, position)

    def remove_command(self, position: int, name: str) -> None:
        """Remove a command of an extension, by its name in lower case."""
        self._commands.remove(name, position)

    def replaces(self, position: int, name: str) -> bool:
        """Whether a tool of an extension takes the place of zot's own."""
        if name not in self._tools.reserved:
            return False
        found = self._tools.get(name)
        return found is not None and found[0] == position

    def drop(self, position: int) -> None:
        self._commands.drop(position)
        self._tools.drop(position)

    def command(self, name: str) -> tuple[int, Command] | None:
        """Return the command `name`, with or without its slash, and the position of its owner."""
        return self._commands.get(name.removeprefix("/").lower())

    def commands(self) -> list[Command]:
        return [command for _, command in self._commands.all()]

    def tools(self) -> list[tuple[int, ToolOffer]]:
        """List the tools and the positions of their owners, by name."""
        return self._tools.all()


def tool_offer(extension: str, frame: "RegisterTool", limits: ExtensionLimits) -> ToolOffer:
    """Return the tool that an extension registers. Raises `RegistrationError` for what would make requests fail."""
    name = frame.name
    if not 0 < len(name) <= _LONGEST or not _LETTERS.issuperset(name):
        raise RegistrationError(f"a tool cannot be called {name!r}: 1 to 64 letters, digits, _ and -")
    if frame.execution_mode not in ("", "sequential", "parallel"):
        raise RegistrationError(f"the tool {name} has the unknown execution_mode {frame.execution_mode!r}")
    if frame.exposure not in ("", "direct", "deferred", "model-only", "codemode"):
        raise RegistrationError(f"the tool {name} has the unknown exposure {frame.exposure!r}")
    schema, sampling = object_schema(name, frame.schema.value), _sampling(frame)
    if sampling is not None and sampling.grammar and not _is_one_text(schema):
        raise RegistrationError(f"the tool {name} has a grammar, so its only parameter must be the text input")
    return ToolOffer(
        extension,
        name,
        frame.description,
        schema,
        prompt_line=" ".join(frame.prompt_snippet.split())[:_SNIPPET],
        parallel=frame.execution_mode == "parallel",
        seconds=min(max(frame.timeout_ms, 0) / 1000, limits.longest_tool_seconds),
        read_only=frame.read_only,
        override=frame.override,
        deferred=frame.deferred or frame.exposure == "deferred",
        prepare=frame.prepare_args,
        namespace=" ".join(frame.namespace.split())[:_NAMESPACE],
        sampling=sampling,
    )


def _sampling(frame: "RegisterTool") -> Sampling | None:
    if frame.constrained_sampling is None:
        return None
    given = frame.constrained_sampling.value
    kind, grammar = given.get("type"), given.get("grammar", "")
    if kind == "json_schema":
        return Sampling("json_schema")
    if kind not in ("lark", "regex"):
        raise RegistrationError(f"the tool {frame.name} has constrained_sampling of the unknown type {kind!r}")
    if not isinstance(grammar, str) or not 0 < len(grammar) <= _GRAMMAR:
        raise RegistrationError(f"the grammar of the tool {frame.name} must have 1 to {_GRAMMAR} characters")
    return Sampling(kind, grammar)


def _is_one_text(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties")
    text = properties.get("input") if isinstance(properties, dict) and len(properties) == 1 else None
    return isinstance(text, dict) and text.get("type") == "string" and schema.get("required") == ["input"]


def object_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` as providers accept it, with `type` and `properties` filled in. Raises `RegistrationError`."""
    kind = schema.get("type", "object")
    if kind != "object":
        raise RegistrationError(f'the schema of the tool {name} must be of type "object", not {kind!r}')
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise RegistrationError(f"the schema of the tool {name} has properties that are not an object")
    return {"type": "object", "properties": properties} | schema
