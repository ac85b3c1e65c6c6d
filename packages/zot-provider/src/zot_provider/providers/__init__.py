"""The table of providers. To add one, write its record into a module of this folder; `_MODULES` names the modules."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

from zot_provider.providers.spec import Provider

T = TypeVar("T")

_MODULES = (
    "anthropic",
    "openai",
    "vendors",
    "moonshot",
    "hosts",
    "gateways",
    "microsoft",
    "github",
    "google",
    "amazon",
    "local",
)
"""The first provider with a key is the default, so the order matters."""


class LazySequence(Sequence[T]):
    """The items of an iterable, which is read only as far as items are asked for."""

    def __init__(self, items: Iterable[T]) -> None:
        self._rest, self._read = iter(items), list[T]()

    def __iter__(self) -> Iterator[T]:
        index = 0
        while index < len(self._read) or self._read_next():
            yield self._read[index]
            index += 1

    def __len__(self) -> int:
        self._read += self._rest
        return len(self._read)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) or index < 0:
            len(self)
        while not isinstance(index, slice) and index >= len(self._read) and self._read_next():
            pass
        return self._read[index]

    def _read_next(self) -> bool:
        """Read an item, and return whether there was one."""
        for item in self._rest:
            self._read.append(item)
            return True
        return False


PROVIDERS: Sequence[Provider] = LazySequence(
    provider for module in _MODULES for provider in import_module(f"{__name__}.{module}").PROVIDERS
)
"""A process that uses the first provider does not import the others, which would take 2 ms."""


def provider_id(name: str) -> str:
    """Return the id of the provider that has this name: an alias becomes the id, any other name stays as it is."""
    return next((provider.id for provider in PROVIDERS if name in provider.aliases), name)
