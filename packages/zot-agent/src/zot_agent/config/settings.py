"""The user's settings: `$ZOT_HOME/config.json`, with the key names of the Go zot.

The file is read before the first request, so it is checked by hand and not with pydantic. Unknown keys are ignored:
they may belong to the Go zot or to a newer version.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_text import describe
from zot_provider.record import Record, field, record
from zot_provider.request import Reasoning

FILE = "config.json"
_LONGEST = 1_000_000
_MAX_BYTES = 1 << 20
_THRESHOLD = "auto_compact_threshold"
_KEYMAP = "keymap"
_IMAGES = "inline_images_enabled"
_FAVOURITES = "favourite_models"
_BASH_TIMEOUT = "bash_timeout"

ProjectTrust: TypeAlias = Literal["ask", "on", "off"]
ToolRender: TypeAlias = Literal["flat", "box"]
ChildKeys: TypeAlias = Literal["remove", "keep"]
OnOff: TypeAlias = Literal["on", "off"]
EditorMode: TypeAlias = Literal["default", "vi"]


@record
class Settings(Record):
    """The user's settings. `provider`, `model` and `reasoning` are the defaults of the flags of the same names,
    `http_proxy` replaces the variable of that name, and `project_trust` says whether extensions, skills and `SYSTEM.md`
    of a project are used: after the person has agreed (`ask`), always (`on`) or never (`off`)."""

    provider: str = ""
    model: str = ""
    reasoning: Reasoning = "off"
    http_proxy: str = ""
    ca_file: str = ""
    """The file with the authorities whose certificates are trusted, in place of the usual ones and `SSL_CERT_FILE`."""
    project_trust: ProjectTrust = "ask"
    child_keys: ChildKeys = "remove"
    """Whether commands and extensions get the environment variables with keys of providers."""
    auto_compact_threshold: int = 85
    """Compact the conversation when this many per cent of the context window are used; 0 for never."""
    claude_md: OnOff = "on"
    """Whether `CLAUDE.md` is read in directories without `AGENTS.md`."""
    theme: str = ""
    """The name of a theme; empty for a theme that suits the terminal."""
    tool_render: ToolRender = "flat"
    """How tool calls look on the screen."""
    inline_images_enabled: bool = True
    """Whether the screen shows images; `$ZOT_INLINE_IMAGES` takes precedence."""
    editor_mode: EditorMode = "default"
    """How the editor interprets keys: as plain text input, or like vi."""
    bash_timeout: float = 300.0
    """Seconds after which a command of the model is ended, if its call names no limit; 0 for no limit."""
    keymap: dict[str, str] = field(default_factory=dict)
    """Maps keys to slash commands or actions; an empty text unbinds a key."""
    favourite_models: list[str] = field(default_factory=list)
    """Names of models, as `--model` takes them, that Ctrl+P goes through on the screen."""


def load_settings(home: str) -> Settings:
    """Load the settings from the folder `home`; defaults if there is no file. Raises `ConfigError` that names the file
    and the key."""
    path = os.path.join(home, FILE)
    value = read_json_object(path)
    texts = [
        name
        for name in Settings.__match_args__
        if name not in (_THRESHOLD, _KEYMAP, _IMAGES, _FAVOURITES, _BASH_TIMEOUT)
    ]
    for name in texts:
        if name in value and not isinstance(value[name], str):
            raise ConfigError(f"{path}: {name}: expected text, got {describe(value[name])}")
    settings = Settings(**{name: value[name].strip() for name in texts if value.get(name, "").strip()})
    if _THRESHOLD in value:
        settings = settings.replace(auto_compact_threshold=_threshold(value[_THRESHOLD], path))
    if value.get(_IMAGES) is not None:
        if not isinstance(value[_IMAGES], bool):
            raise ConfigError(f"{path}: {_IMAGES}: expected true or false, got {describe(value[_IMAGES])}")
        settings = settings.replace(inline_images_enabled=value[_IMAGES])
    if value.get(_BASH_TIMEOUT) is not None:
        settings = settings.replace(bash_timeout=_seconds(value[_BASH_TIMEOUT], path))
    if value.get(_FAVOURITES) is not None:
        settings = settings.replace(favourite_models=_favourites(value[_FAVOURITES], path))
    if value.get(_KEYMAP) is not None:
        settings = settings.replace(keymap=_keymap(value[_KEYMAP], path))
    for name, choices in (
        ("reasoning", get_args(Reasoning)),
        ("project_trust", get_args(ProjectTrust)),
        ("child_keys", get_args(ChildKeys)),
        ("claude_md", get_args(OnOff)),
        ("tool_render", get_args(ToolRender)),
        ("editor_mode", get_args(EditorMode)),
    ):
        if (chosen := getattr(settings, name)) not in choices:
            raise ConfigError(f"{path}: {name}: expected one of {', '.join(choices)}, got {chosen!r}")
    proxy = settings.http_proxy
    scheme = proxy.partition("://")[0] if "://" in proxy else "http"
    if scheme not in ("http", "https") or len(proxy.split()) > 1:
        # The message does not quote the value, which may contain a password.
        raise ConfigError(f"{path}: http_proxy: expected an address such as http://HOST:PORT")
    authorities = os.path.expanduser(settings.ca_file)
    if authorities and not os.path.isfile(authorities):
        raise ConfigError(f"{path}: ca_file: there is no file {authorities}")
    return settings.replace(ca_file=authorities)


def _favourites(value: object, path: str) -> list[str]:
    if not isinstance(value, list):
        raise ConfigError(f"{path}: {_FAVOURITES}: expected an array, got {describe(value)}")
    for name in value:
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(f"{path}: {_FAVOURITES}: expected names of models, got {describe(name)}")
    return [name.strip() for name in value]


def _seconds(value: object, path: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LONGEST:
        raise ConfigError(f"{path}: {_BASH_TIMEOUT}: expected seconds from 0 to {_LONGEST:,}, got {describe(value)}")
    return float(value)


def _keymap(value: object, path: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: {_KEYMAP}: expected an object, got {describe(value)}")
    for key, action in value.items():
        if not isinstance(action, str | None):
            raise ConfigError(f"{path}: {_KEYMAP}: {key}: expected text, got {describe(action)}")
    return {key: action or "" for key, action in value.items()}


def _threshold(value: object, path: str) -> int:
    """Parse a number, or text such as "85" and "off", as per cent; 0 and false mean "off", true means the default."""
    if value in (False, None, "off", ""):
        return 0
    if value is True:
        return Settings().auto_compact_threshold
    number = str(value).strip().removesuffix("%")
    if not number.isdecimal() or len(number) != 2 or int(number) < 10:
        raise ConfigError(f'{path}: {_THRESHOLD}: expected "off" (or 0) or a number from 10 to 99, got {value!r}')
    return int(number)


def read_json_object(path: str) -> Mapping[str, Any]:
    """Read the JSON object in a file; empty if the file does not exist. Raises `ConfigError` that names the file and
    the position."""
    try:
        data = read_start(path, _MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{path} is larger than the limit of 1 MiB")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise ConfigError(f"{path} contains a number that is too long, or is nested too deeply") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected an object, got {describe(value)}")
    return value
