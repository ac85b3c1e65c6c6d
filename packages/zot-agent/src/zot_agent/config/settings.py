"""`Settings`: every setting once, and the values from files and the environment.

The key names of the files are those of the Go zot. They are read before the first request, so they are checked by hand
and not with pydantic. Unknown keys are ignored: they may belong to the Go zot or to a newer version. What is wrong in a
file is a line in `Settings.problems`, and the rest is used.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_agent.config.setting import Choice, JsonObject, Names, Number, Pairs, Setting, Switch, Text
from zot_core.permission_mode import SandboxMode
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_text import describe
from zot_provider.record import Record, field
from zot_provider.request import Reasoning
from zot_provider.transport.url import location

FILE = "config.json"
MAX_BYTES = 1 << 20
"""Most bytes of a file of settings."""

ProjectTrust: TypeAlias = Literal["ask", "on", "off"]
ToolRender: TypeAlias = Literal["flat", "box"]
ChildKeys: TypeAlias = Literal["remove", "keep"]
SandboxGit: TypeAlias = Literal["ask", "write"]
OnOff: TypeAlias = Literal["on", "off"]
Notify: TypeAlias = Literal["desktop", "bell", "off"]
EditorMode: TypeAlias = Literal["default", "vi"]


class Layer(Record):
    """The values from one place. `source` names it for a person: a path, or an environment variable and its kind.

    `unread`: the file is there, but is no JSON object, so that nobody knows what it says.
    """

    source: str
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unread: bool = False


def _proxy(text: str) -> str:
    scheme = text.partition("://")[0] if "://" in text else "http"
    if scheme not in ("http", "https") or len(text.split()) > 1:
        # The message does not quote the value, which may contain a password.
        raise ValueError("expected an address such as http://HOST:PORT")
    return text


def _authorities(text: str) -> str:
    path = os.path.expanduser(text)
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path}")
    return path


class Settings:
    """The values of all settings. Of the layers that have a value the last one counts.

    An attribute of the class is a `Setting`, the same attribute of an object its value. To add a setting, add it here.
    """

    provider = Text("the provider, a name from zot doctor --all", flag="--provider", in_project=True)
    model = Text("the model: its id, or PROVIDER/ID", flag="--model", in_project=True)
    reasoning = Choice[Reasoning](
        "off", get_args(Reasoning), "how much the model thinks", flag="--reasoning", in_project=True
    )
    fallback_models = Names(
        "models",
        "models that answer, in this order, when the model cannot: no connection, 5xx, a refused key, no quota",
        flag="--fallback-model", in_project=True,
    )  # fmt: skip
    favourite_models = Names("models", "models that Ctrl+P goes through on the screen")
    max_steps = Number(
        0, 1, 1_000_000, "stop after this many model calls", flag="--max-steps", off=True, in_project=True
    )
    no_yolo = Switch(False, "ask before tool calls: the mode ask of permissions", flag="--no-yolo", person_only=True)
    auto_compact_threshold = Number(
        85, 10, 99, "compact the conversation when this many per cent of the context window are used", off=True,
        in_project=True,
    )  # fmt: skip
    bash_timeout = Number(
        300, 1, 1_000_000, "seconds after which a command of the model is ended, if its call names no limit", off=True,
        in_project=True,
    )  # fmt: skip
    agents = Choice[OnOff](
        "on", get_args(OnOff), "let the model start sub-agents, with the tool agent", in_project=True
    )
    surroundings = Choice[OnOff](
        "on", get_args(OnOff), "begin with platform, git branch, build tools and the names in the directory",
        in_project=True,
    )  # fmt: skip
    claude_md = Choice[OnOff]("on", get_args(OnOff), "read CLAUDE.md in directories without AGENTS.md", in_project=True)
    theme = Text("the name of a theme; auto suits the terminal", in_project=True)
    tool_render = Choice[ToolRender](
        "flat", get_args(ToolRender), "how tool calls look: flat, or in a frame", variable="ZOT_FLAT_TOOLS",
        read_variable=lambda text: "box" if text.strip().lower() in ("0", "off", "false", "no") else "flat",
        in_project=True,
    )  # fmt: skip
    collapse_tool_call = Switch(False, "show tool calls without their results, until they are opened", in_project=True)
    mouse = Switch(False, "scroll with the wheel; the terminal then selects text with Shift only")
    inline_images_enabled = Switch(
        True, "show images on the screen", variable="ZOT_INLINE_IMAGES",
        read_variable=lambda text: {"off": False, **dict.fromkeys(("kitty", "iterm", "half", "auto"), True)}.get(text),
    )  # fmt: skip
    update_notice = Switch(True, "look once a day for a new version of zot, and say so on the screen")
    editor_mode = Choice[EditorMode]("default", get_args(EditorMode), "keys of the editor: default, or those of vi")
    notify = Choice[Notify](
        "desktop", get_args(Notify), "when work ends while the terminal is out of focus: a notification on the "
        "desktop and the bell, the bell alone, or nothing",
    )  # fmt: skip
    keymap = Pairs("keys and the slash commands or actions that they are bound to")
    project_trust = Choice[ProjectTrust](
        "ask", get_args(ProjectTrust), "use what a project brings: ask once, always, never", person_only=True
    )
    child_keys = Choice[ChildKeys](
        "remove", get_args(ChildKeys), "keep or remove the keys of providers in the environment of commands",
        person_only=True,
    )  # fmt: skip
    audit = Choice[OnOff](
        "off", get_args(OnOff), "record tool calls, and who allowed them, in logs/audit.jsonl", person_only=True
    )
    permissions = JsonObject(
        "a JSON object with allow, ask, deny and mode",
        "rules for tool calls, and the mode for all others", variable="ZOT_PERMISSION_MODE",
        read_variable=lambda text: {"mode": text.strip()}, in_project=True, person_only=True,
    )  # fmt: skip
    hooks = JsonObject(
        "a JSON object with lists of programs by event",
        "programs that zot runs when something happens or is about to happen",
        in_project=True,
        person_only=True,
    )
    pi = JsonObject(
        "a JSON object with folders and separate",
        "extensions written for pi: folders (use what ~/.pi/agent and .pi have), separate (names that run alone)",
        person_only=True,
    )
    sandbox = Choice[SandboxMode](
        "off",
        get_args(SandboxMode),
        "confine commands: read the system, write the project, no network",
        flag="--sandbox",
        person_only=True,
    )
    sandbox_folders = Names(
        "folders", "more folders that are writable in the sandbox", flag="--add-dir", person_only=True
    )
    sandbox_hosts = Names(
        "hosts", "hosts that the sandbox may reach, such as pypi.org and *.github.com", person_only=True
    )
    sandbox_variables = Names(
        "variables", "more variables of the environment that commands in the sandbox get", person_only=True
    )
    sandbox_git = Choice[SandboxGit](
        "ask", get_args(SandboxGit), "a command that writes .git in the sandbox: ask to run it outside, or let it",
        person_only=True,
    )  # fmt: skip
    http_proxy = Text(
        "the proxy, in place of the variables http_proxy and https_proxy", check=_proxy, shown=location,
        person_only=True,
    )  # fmt: skip
    ca_file = Text(
        "a PEM file of authorities, in place of SSL_CERT_FILE and of the usual ones", check=_authorities,
        person_only=True,
    )  # fmt: skip

    def __init__(self, *layers: Layer, **values: object) -> None:
        """`layers` from the weakest to the strongest; `values` count more than all of them."""
        self.layers = [*layers, Layer("the program", dict(values))] if values else list(layers)
        self.values: Mapping[str, Any] = {key: value for layer in self.layers for key, value in layer.values.items()}
        self.problems = [line for layer in self.layers for line in layer.problems]
        """Lines for the person about mistakes in files, each of which names the file and the key."""

    def value(self, key: str) -> Any:
        """Return the value of a setting by its key."""
        return self.values.get(key, SETTINGS[key].default)

    def changed(self, values: Mapping[str, Any]) -> "Settings":
        """Return the settings with other values in the weakest layer, the user's file; None removes a value."""
        user = self.layers[0] if self.layers else Layer("this run")
        kept = {key: value for key, value in {**user.values, **values}.items() if value is not None}
        return Settings(user.replace(values=kept), *self.layers[1:])

    def check_readable(self, key: str) -> None:
        """Raise `ConfigError` if a file may have a value of `key` that cannot be read: for what must not be missing."""
        for layer in (each for each in self.layers if each.source):  # without one it is that of an untrusted folder
            for problem in layer.problems:
                if problem.startswith(f"{layer.source}: {key}: ") or (layer.unread and _may_name(layer.source, key)):
                    raise ConfigError(problem)

    def source(self, key: str) -> str:
        """Return where the value of a setting comes from; empty for its default."""
        return next((layer.source for layer in reversed(self.layers) if key in layer.values), "")


SETTINGS: Mapping[str, Setting[Any]] = {
    name: setting for name, setting in vars(Settings).items() if isinstance(setting, Setting)
}
"""All settings by their keys, in the order in which they are shown."""


def load_settings(home: str, project: Layer | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings: the user's file in the folder `home`, a trusted project's, and the environment, of which the
    last that has a value counts."""
    layers = [read_layer(os.path.join(home, FILE)), *([project] if project is not None else [])]
    return Settings(*layers, *_environment(os.environ if environ is None else environ))


def read_layer(path: str, *, in_project: bool = False) -> Layer:
    """Read a file of settings, empty if it does not exist. In a project's file the keys that only the user may set
    are problems."""
    layer = Layer(path)
    try:
        content = read_json_object(path)
    except ConfigError as error:
        return layer.replace(problems=[str(error)], unread=True)
    for key, value in content.items():
        setting = SETTINGS.get(key)
        if setting is None or value in (None, ""):
            continue
        try:
            if in_project and not setting.in_project:
                raise ValueError("a project cannot set this; it belongs into your own config.json")
            layer.values[key] = setting.read(value)
        except ValueError as error:
            layer.problems.append(f"{path}: {key}: {error}")
    return layer


def project_layer(cwd: str, home: str) -> Layer:
    """Read the settings that the project in `cwd` brings, in `.zot/config.json`; empty if that is the user's file."""
    path = os.path.join(cwd, ".zot", FILE)
    own = os.path.realpath(path) == os.path.realpath(os.path.join(home, FILE))
    return Layer(path) if own else read_layer(path, in_project=True)


def _may_name(path: str, key: str) -> bool:
    """Whether a file that is no JSON object may have a value of `key`."""
    try:
        return f'"{key}"'.encode() in read_start(path, MAX_BYTES)
    except OSError:
        return True


def _environment(environ: Mapping[str, str]) -> list[Layer]:
    layers = []
    for key, setting in SETTINGS.items():
        if text := environ.get(setting.variable, "").strip():
            layer = Layer(f"${setting.variable}")
            try:
                value = setting.read_variable(text)
            except ValueError as error:
                layer.problems.append(f"{setting.variable}: {error}")
            else:
                layer.values |= {key: value} if value is not None else {}
            layers.append(layer)
    return layers


def read_json_object(path: str) -> Mapping[str, Any]:
    """Read the JSON object in a file; empty if the file does not exist. Raises `ConfigError` that names the file and
    the position."""
    try:
        data = read_start(path, MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
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
