"""What the user has set for good: `$ZOT_HOME/config.json`, in the names of the Go zot.

The file is read before the first request, so it is checked by hand and not by pydantic. Keys that zot does not know are
left alone: they may be the other zot's, or a newer one's.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_provider.errors import ConfigError
from zot_provider.json_text import describe
from zot_provider.record import Record, field, record
from zot_provider.request import Reasoning

FILE = "config.json"
_LARGEST = 1 << 20
_THRESHOLD = "auto_compact_threshold"
_KEYMAP = "keymap"
_IMAGES = "inline_images_enabled"

ProjectExtensions: TypeAlias = Literal["ask", "on", "off"]
ToolRender: TypeAlias = Literal["flat", "box"]
EditorMode: TypeAlias = Literal["default", "vi"]


@record
class Settings(Record):
    """`provider`, `model` and `reasoning` stand in for the flags of the same name, `http_proxy` for the variable;
    `project_extensions` says whether extensions of the project run: once the person was asked, always or never."""

    provider: str = ""
    model: str = ""
    reasoning: Reasoning = "off"
    http_proxy: str = ""
    project_extensions: ProjectExtensions = "ask"
    auto_compact_threshold: int = 85
    """Per cent of the context window that may fill before the conversation is compacted; 0 for never."""
    theme: str = ""
    """The name of a theme; empty for what suits the terminal."""
    tool_render: ToolRender = "flat"
    """How calls of tools look on the screen."""
    inline_images_enabled: bool = True
    """Whether the screen shows images; `$ZOT_INLINE_IMAGES` counts more."""
    editor_mode: EditorMode = "default"
    """How the editor reads keys: as what they type, or as vi does."""
    keymap: dict[str, str] = field(default_factory=dict)
    """Keys, and the slash command or action that each is for; empty to take a key's meaning away."""


def load_settings(home: str) -> Settings:
    """The settings in the folder `home`; defaults without a file. Raises `ConfigError` naming file and key."""
    path = os.path.join(home, FILE)
    value = read_json_object(path)
    texts = [name for name in Settings.__match_args__ if name not in (_THRESHOLD, _KEYMAP, _IMAGES)]
    for name in texts:
        if name in value and not isinstance(value[name], str):
            raise ConfigError(f"{path}: {name}: expected text, got {describe(value[name])}")
    found = Settings(**{name: value[name].strip() for name in texts if value.get(name, "").strip()})
    if _THRESHOLD in value:
        found = found.replace(auto_compact_threshold=_threshold(value[_THRESHOLD], path))
    if value.get(_IMAGES) is not None:
        if not isinstance(value[_IMAGES], bool):
            raise ConfigError(f"{path}: {_IMAGES}: expected true or false, got {describe(value[_IMAGES])}")
        found = found.replace(inline_images_enabled=value[_IMAGES])
    if value.get(_KEYMAP) is not None:
        found = found.replace(keymap=_keymap(value[_KEYMAP], path))
    for name, choices in (
        ("reasoning", get_args(Reasoning)),
        ("project_extensions", get_args(ProjectExtensions)),
        ("tool_render", get_args(ToolRender)),
        ("editor_mode", get_args(EditorMode)),
    ):
        if (chosen := getattr(found, name)) not in choices:
            raise ConfigError(f"{path}: {name}: expected one of {', '.join(choices)}, got {chosen!r}")
    scheme = found.http_proxy.partition("://")[0] if "://" in found.http_proxy else "http"
    if scheme not in ("http", "https") or len(found.http_proxy.split()) > 1:
        raise ConfigError(f"{path}: http_proxy: expected an address such as http://HOST:PORT")  # it may hold a password
    return found


def _keymap(value: object, path: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: {_KEYMAP}: expected an object, got {describe(value)}")
    for key, action in value.items():
        if not isinstance(action, str | None):
            raise ConfigError(f"{path}: {_KEYMAP}: {key}: expected text, got {describe(action)}")
    return {key: action or "" for key, action in value.items()}


def _threshold(value: object, path: str) -> int:
    """Per cent, of a number or of text such as "85" and "off"; 0 and false are "off", true stands for the default."""
    if value in (False, None, "off", ""):
        return 0
    if value is True:
        return Settings().auto_compact_threshold
    number = str(value).strip().removesuffix("%")
    if not number.isdecimal() or not 10 <= int(number) <= 99:
        raise ConfigError(f'{path}: {_THRESHOLD}: expected "off" (or 0) or a number from 10 to 99, got {value!r}')
    return int(number)


def read_json_object(path: str) -> Mapping[str, Any]:
    """The JSON object in a file, empty if there is no file. Raises `ConfigError` naming the file and the place."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _LARGEST:
        raise ConfigError(f"{path} is larger than 1 MiB; this cannot be right")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits
        raise ConfigError(f"{path} holds a number too long, or is nested too deeply") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected an object, got {describe(value)}")
    return value
