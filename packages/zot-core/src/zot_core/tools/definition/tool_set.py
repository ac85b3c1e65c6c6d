"""`ToolSet`: the tools of an agent, and which of them its model has."""

from collections.abc import Collection, Iterable, Mapping

from zot_core.tools.definition.tool import Tool


class ToolSet(dict[str, Tool]):
    """The tools of an agent, by their names."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        super().__init__((tool.name, tool) for tool in tools)
        self.inactive: Collection[str] = ()
        """Names of tools that the model does not have for now."""
        self.named: Collection[str] = ()
        """Names of tools that are offered although they are on demand: somebody chose them."""
        self.named_for_now: Collection[str] = ()
        """Such names that extensions have chosen."""

    def become(self, tools: Mapping[str, Tool]) -> None:
        """Have these tools and no others; what is chosen among them stays."""
        now = dict(tools)
        self.clear()
        self.update(now)

    @property
    def deferred(self) -> set[str]:
        """The names of tools that the model may call, but that are not in the next request."""
        return {name for tool in self.values() for name in tool.hidden()}

    @property
    def active(self) -> dict[str, Tool]:
        """The tools that the model may call, by their names, sorted."""
        return {name: tool for name, tool in sorted(self.items()) if name not in self.inactive}

    @property
    def on_demand(self) -> set[str]:
        """The names of tools on demand that nobody has chosen, but for extensions."""
        return {name for name, tool in self.items() if tool.on_demand} - {*self.named}

    @property
    def unnamed(self) -> set[str]:
        """The names of tools on demand that nobody has chosen. The model may call them, and does not see them."""
        return self.on_demand - {*self.named_for_now}

    @property
    def next(self) -> list[Tool]:
        """The tools of the next request, sorted by their names: providers cache a request by its prefix, which begins
        with them."""
        left_out = {*self.inactive, *self.deferred, *self.unnamed}
        return [self[name] for name in sorted(self.keys() - left_out)]
