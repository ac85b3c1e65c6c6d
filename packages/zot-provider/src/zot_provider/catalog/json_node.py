"""`JsonNode`: an object of a JSON file that a person writes, with its place in the file for errors and warnings."""

from collections.abc import Mapping
from typing import Any

from zot_provider.errors import ConfigError
from zot_provider.json_text import describe


class JsonNode:
    """An object in a file. A reader returns the value of a field, or the empty value of its type without one.

    Readers raise `ConfigError` with the place of a value of another type.
    """

    def __init__(self, value: Mapping[str, Any], name: str) -> None:
        self.value = value
        self.name = name
        self._read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def path(self, key: str) -> str:
        """Return the place of a field, for messages."""
        key = key if key.isprintable() else repr(key)
        return f"{self.name}: {key}" if self.name.endswith(".json") else f"{self.name}.{key}"

    def error(self, key: str, message: str) -> ConfigError:
        """Return an error that names the field."""
        return ConfigError(f"{self.path(key)}: {message}")

    def unread(self) -> list[str]:
        """Return the places of the fields that no reader was called for."""
        return [self.path(key) for key in self.value if key not in self._read]

    def skip(self, key: str) -> None:
        """Take a field for read."""
        self._read.add(key)

    def object(self, key: str) -> "JsonNode":
        return JsonNode(self._get(key, dict, "an object", {}), self.path(key))

    def objects(self, key: str) -> "list[JsonNode]":
        places = []
        for index, item in enumerate(self._get(key, list, "a list", [])):
            name = f"{self.path(key)}[{index}]"
            if not isinstance(item, dict):
                raise ConfigError(f"{name}: expected an object, got {describe(item)}")
            places.append(JsonNode(item, name))
        return places

    def texts(self, key: str) -> dict[str, str]:
        """Return an object of texts."""
        node = self.object(key)
        return {name: node.text(name) for name in node.value}

    def text(self, key: str) -> str:
        found: str = self._get(key, str, "text", "")
        return found

    def choice(self, key: str, choices: Mapping[str, Any]) -> Any:
        """Return what the text of a field stands for in `choices`, None if the field is missing or empty."""
        found = self.text(key)
        if found and found not in choices:
            raise self.error(key, f"expected one of {', '.join(choices)}, got {describe(found)}")
        return choices.get(found)

    def choices(self, key: str, choices: tuple[str, ...]) -> list[str]:
        """Return a list of texts, each of them one of `choices`."""
        found: list[str] = self._get(key, list, "a list", [])
        if not all(each in choices for each in found):
            raise self.error(key, f"expected a list of {' and '.join(choices)}, got {describe(found)}")
        return found

    def boolean(self, key: str) -> bool:
        """Return a truth value."""
        found: bool = self._get(key, bool, "true or false", False)
        return found

    def number(self, key: str) -> float:
        """Return a number from 0, below 10^15."""
        found = self._get(key, object, "", 0)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 1e15:
            raise self.error(key, f"expected a number from 0, got {describe(found)}")
        return found

    def _get(self, key: str, type_: type, expected: str, default: Any) -> Any:
        self._read.add(key)
        found = self.value.get(key, default)
        if not isinstance(found, type_):
            raise self.error(key, f"expected {expected}, got {describe(found)}")
        return found
