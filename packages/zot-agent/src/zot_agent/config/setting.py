"""`Setting`: one setting with its default, its help and its checks; a class for each kind of value."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar, overload

from zot_provider.json_text import describe, dump, is_object, read_strict

T = TypeVar("T")

_ON, _OFF = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


class HasValues(Protocol):
    """An object with settings as attributes."""

    values: Mapping[str, Any]
    """The values that are not the default, by the key of their setting."""


class Setting(ABC, Generic[T]):
    """A setting: an attribute of `Settings`, whose name is the key in `config.json`.

    `Settings.theme` is the setting, `settings.theme` its value. `flag` is the flag of `zot` for the same thing.
    `variable` is an environment variable that overrides the files, and `read_variable` turns its text into a value, or
    None if it says nothing. `in_project`: a project that the person trusts may set it too. `person_only`: a program
    that drives zot may not change it, because it decides what is allowed, or where data goes. `confines`: it is meant
    to hold something back, so that zot does not start with a value that is not understood; a project may then set a
    value by which more is held back. `by_care` are the values of such a setting; the first of them holds nothing back.
    """

    words = ""
    """The values, for a person."""
    choices: tuple[str, ...] = ()
    """The texts that a person can choose from; empty for any text or number."""

    def __init__(
        self,
        default: T,
        help: str,
        *,
        flag: str = "",
        variable: str = "",
        read_variable: Callable[[str], T | None] | None = None,
        in_project: bool = False,
        person_only: bool = False,
        confines: bool = False,
        by_care: tuple[T, ...] = (),
    ) -> None:
        self.key, self.default, self.help = "", default, help
        self.flag, self.variable, self.in_project = flag, variable, in_project
        self.person_only, self.confines, self._by_care = person_only, confines, by_care
        self.read_variable = read_variable or self.parse

    def __set_name__(self, _: type, name: str) -> None:
        self.key = name

    @overload
    def __get__(self, settings: None, _: type) -> "Setting[T]": ...
    @overload
    def __get__(self, settings: HasValues, _: type) -> T: ...
    def __get__(self, settings: HasValues | None, _: type) -> "Setting[T] | T":
        if settings is None:
            return self
        value: T = settings.values.get(self.key, self.default)
        return value

    @abstractmethod
    def read(self, value: object) -> T:
        """Return the value of JSON. Raises ValueError, whose text says what was expected."""

    def check(self, value: T, source: str) -> None:
        """Raise `ConfigError`, which names `source` and the key, if a part of the value is not understood."""

    def narrows(self, value: T, own: T) -> bool:
        """Whether a project's value holds something back, and no less than the value of the person; false for a setting
        that does not confine."""
        care = self._by_care
        return value in care[1:] and own in care[: care.index(value) + 1]

    def parse(self, text: str) -> T:
        """Return the value of what a person typed. Raises ValueError as `read` does."""
        return self.read(text)

    def show(self, value: T) -> str:
        """Return a value as a person types it."""
        return str(value)

    def json(self, value: T) -> object:
        """Return the JSON of a value."""
        return value


class Text(Setting[str]):
    """A text without blanks around it; an empty one is the default. `check` returns the text to use, or raises
    ValueError; `shown` returns the text without what is secret."""

    words = "text"

    def __init__(
        self, help: str, *, check: Callable[[str], str] = str, shown: Callable[[str], str] = str, **more: Any
    ) -> None:
        super().__init__("", help, **more)
        self._check, self._shown = check, shown

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"expected text, got {describe(value)}")
        return self._check(value.strip()) if value.strip() else ""

    def show(self, value: str) -> str:
        return self._shown(value)


class Choice(Setting[T]):
    """One of a few texts."""

    def __init__(self, default: T, choices: tuple[str, ...], help: str, **more: Any) -> None:
        super().__init__(default, help, **more)
        self.choices, self.words = choices, "one of " + ", ".join(choices)

    def read(self, value: object) -> T:
        if not isinstance(value, str):
            raise ValueError(f"expected text, got {describe(value)}; {self.words}")
        if value.strip() not in self.choices:
            raise ValueError(f"expected {self.words}, got {value!r:.40}")
        chosen: Any = value.strip()
        return chosen  # type: ignore[no-any-return]  # one of the values of T


class Switch(Setting[bool]):
    """True or false."""

    words = "true or false"
    choices = ("true", "false")

    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError(f"expected {self.words}, got {describe(value)}")
        return value

    def parse(self, text: str) -> bool:
        word = text.strip().lower()
        return self.read(True if word in _ON else False if word in _OFF else text)

    def show(self, value: bool) -> str:  # noqa: FBT001  as in the base
        return "true" if value else "false"


class Number(Setting[int]):
    """A whole number from `low` to `high`; 0, false and "off" are 0, if it can be turned off, and true the default. The
    text of a number below 100 may end in a per cent sign."""

    def __init__(self, default: int, low: int, high: int, help: str, *, off: bool = False, **more: Any) -> None:
        super().__init__(default, help, **more)
        self._low, self._high, self._off = low, high, off
        self.words = ('"off" (or 0) or ' if off else "") + f"a number from {low} to {high}"

    def read(self, value: object) -> int:
        if value is True and self.default:
            return self.default
        if self._off and (value is False or value in (0, "0", "off")):
            return 0
        found = re.fullmatch(r"([0-9]{1,9})" + ("%?" if self._high < 100 else ""), str(value).strip())
        if found is None or not self._low <= int(found[1]) <= self._high:
            raise ValueError(f"expected {self.words}, got {value!r:.40}")
        return int(found[1])

    def show(self, value: int) -> str:
        return str(self.json(value))

    def json(self, value: int) -> object:
        return "off" if self._off and not value else value


class Names(Setting[list[str]]):
    """A list of names; a person types them with commas between. `each` raises ValueError for a wrong name."""

    words = "names with commas between"

    def __init__(self, of: str, help: str, *, each: Callable[[str], object] = str, **more: Any) -> None:
        super().__init__([], help, **more)
        self._of, self._each = of, each

    def read(self, value: object) -> list[str]:
        if not isinstance(value, list):
            raise ValueError(f"expected an array, got {describe(value)}")
        for name in value:
            if not isinstance(name, str) or not name.strip() or "\0" in name:
                raise ValueError(f"expected names of {self._of}, got {describe(name)}")
            self._each(name.strip())
        return [name.strip() for name in value]

    def narrows(self, value: list[str], own: list[str]) -> bool:
        return self.confines and set(value) <= set(own)

    def parse(self, text: str) -> list[str]:
        return self.read([name.strip() for name in text.split(",") if name.strip()])

    def show(self, value: list[str]) -> str:
        return ", ".join(value)


class Pairs(Setting[dict[str, str]]):
    """An object of texts; null is an empty text."""

    words = "a JSON object of texts"

    def __init__(self, help: str, **more: Any) -> None:
        super().__init__({}, help, **more)

    def read(self, value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            raise ValueError(f"expected an object, got {describe(value)}")
        for key, text in value.items():
            if not isinstance(text, str | None):
                raise ValueError(f"{key}: expected text, got {describe(text)}")
        return {key: text or "" for key, text in value.items()}

    def parse(self, text: str) -> dict[str, str]:
        return self.read(read_strict(text) if is_object(text) else text)

    def show(self, value: Mapping[str, str]) -> str:
        return dump(value)


class JsonObject(Setting[dict[str, Any]]):
    """A JSON object, described by `words`. `parts` raises `ConfigError` for members that are not understood."""

    def __init__(
        self,
        words: str,
        help: str,
        *,
        parts: Callable[[dict[str, Any], str], object] = lambda _value, _source: None,
        **more: Any,
    ) -> None:
        super().__init__({}, help, **more)
        self.words, self._parts = words, parts

    def check(self, value: dict[str, Any], source: str) -> None:
        self._parts(value, source)

    def read(self, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError(f"expected an object, got {describe(value)}")
        return value

    def parse(self, text: str) -> dict[str, Any]:
        return self.read(read_strict(text) if is_object(text) else text)

    def show(self, value: Mapping[str, Any]) -> str:
        return dump(value)
