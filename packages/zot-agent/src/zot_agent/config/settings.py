"""`Settings`: every setting once, and the values from files and the environment.

The key names of the files are the same as in the Go zot. They are read before the first request, so they are checked by
hand and not with pydantic. A mistake is a line in `Settings.problems`, and the rest is used, unless it could let
something run that the person wanted to hold back: that is a line in `Settings.errors`, and `load_settings` raises it.
"""

import os
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_agent.config import checks
from zot_agent.config.paths import RULES_FILE
from zot_agent.config.setting import Choice, JsonObject, Names, Number, Pairs, Setting, Switch, Text
from zot_core.permission_mode import SANDBOX_MODES, SandboxMode
from zot_provider.errors import ConfigError
from zot_provider.json_file import read_json_object
from zot_provider.near_names import folded, misnamed
from zot_provider.record import Record, field
from zot_provider.request import CacheTime, Reasoning
from zot_provider.transport.url import location

FILE = "config.json"
_OTHERS = (RULES_FILE,)
_CALLED = ("config", "configuration", "hooks", "permissions", "policy", "rules", "sandbox", "settings", "zot")
"""Names that people and other programs give to files of settings, or of a part of them, without their ends."""
_PREFIX = "ZOT_"
"""The beginning of the names of zot's variables."""
_NO_SETTINGS = """
AGENT DEBUG EXT_PATH EXT_PATIENCE FLEET_ADDRESS FLEET_QUEUE FLEET_STORE HOME HOOK MODEL PI_CACHE PI_MODULES PROVIDER
PYTHON READY_FD RUN SERVE_TOKEN SESSION_FILE SESSION_ID
"""
"""Variables that are no settings, without that: nobody meant a setting by them."""
INSIDE = "ZOT_HOOK"
"""A variable that every hook program has: the name of its event. A zot that such a program starts has no hook programs,
because they could start each other for ever."""

ProjectTrust: TypeAlias = Literal["ask", "on", "off"]
ToolRender: TypeAlias = Literal["flat", "box"]
ChildKeys: TypeAlias = Literal["remove", "keep"]
SandboxGit: TypeAlias = Literal["ask", "write"]
OnOff: TypeAlias = Literal["on", "off"]
Notify: TypeAlias = Literal["desktop", "bell", "off"]
EditorMode: TypeAlias = Literal["default", "vi"]


class Layer(Record):
    """The values from one place. `source` names it for a person: a path, or an environment variable and its kind.

    `problems` are lines for the person about mistakes, and `errors` those with which zot must not start: the file
    cannot be read, or a value that confines is not understood. `in_project`: it is the file of a project.
    """

    source: str
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    in_project: bool = False

    @property
    def empty(self) -> bool:
        """Whether it says nothing, not even something wrong."""
        return not (self.values or self.errors)


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
    retry = JsonObject(
        "a JSON object with tries, longest_wait and total",
        "how failed model calls are repeated: tries, seconds of the longest wait, seconds of all waits of a call",
        parts=checks.retry,
    )
    favourite_models = Names("models", "models that Ctrl+P goes through on the screen")
    max_steps = Number(
        0, 1, 1_000_000, "stop after this many model calls", flag="--max-steps", off=True, in_project=True,
        confines=True,
    )  # fmt: skip
    max_same_failures = Number(
        10, 2, 1_000_000, "ask, or stop, after a call has failed so often in the same way", off=True, in_project=True
    )
    no_yolo = Switch(
        False, "ask before tool calls: the mode ask of permissions", flag="--no-yolo", person_only=True,
        confines=True, by_care=(False, True),
    )  # fmt: skip
    auto_compact_threshold = Number(
        85, 10, 99, "compact the conversation when this many per cent of the context window are used", off=True,
        in_project=True,
    )  # fmt: skip
    cache_time = Choice[CacheTime]("5m", get_args(CacheTime), "how long Claude's cache lasts; an hour costs more")
    bash_timeout = Number(
        300, 1, 1_000_000, "seconds after which a command of the model is ended, if its call names no limit", off=True,
        in_project=True,
    )  # fmt: skip
    overwrite_check = Switch(True, "refuse once to write over a file that the model has not read", in_project=True)
    stdin_wait = Number(
        30, 1, 1_000_000, "seconds that a prompt waits for the first byte of a pipe that stays open",
        flag="--stdin-wait", off=True,
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
    side_by_side = Switch(False, "draw changes side by side on a screen of 100 columns and more", in_project=True)
    mouse = Switch(False, "scroll with the wheel; the terminal then selects text with Shift only")
    inline_images_enabled = Switch(
        True, "show images on the screen", variable="ZOT_INLINE_IMAGES",
        read_variable=lambda text: {"off": False, **dict.fromkeys(("kitty", "iterm", "half", "auto"), True)}.get(text),
    )  # fmt: skip
    update_notice = Switch(True, "look once a day for a new version of zot, and say so on the screen")
    editor_mode = Choice[EditorMode]("default", get_args(EditorMode), "keys of the editor: default, or keys of vi")
    notify = Choice[Notify](
        "desktop", get_args(Notify), "when work ends while the terminal is out of focus: a notification on the "
        "desktop and the bell, the bell alone, or nothing",
    )  # fmt: skip
    keymap = Pairs("keys and the slash commands or actions that they are bound to")
    project_trust = Choice[ProjectTrust](
        "ask", get_args(ProjectTrust), "use what a project brings: ask once, always, never", person_only=True,
        confines=True,
    )  # fmt: skip
    child_keys = Choice[ChildKeys](
        "remove", get_args(ChildKeys), "keep or remove the keys of providers in the environment of commands",
        person_only=True, confines=True, by_care=("keep", "remove"),
    )  # fmt: skip
    audit = Choice[OnOff](
        "off", get_args(OnOff), "record tool calls, and who allowed them, in logs/audit.jsonl", person_only=True,
        confines=True, by_care=("off", "on"),
    )  # fmt: skip
    permissions = JsonObject(
        "a JSON object with allow, ask, deny and mode",
        "rules for tool calls, and the mode for all others", variable="ZOT_PERMISSION_MODE",
        read_variable=lambda text: {"mode": text.strip()}, in_project=True, person_only=True,
        confines=True, parts=checks.permissions,
    )  # fmt: skip
    hooks = JsonObject(
        "a JSON object with lists of programs by event",
        "programs that zot runs when something happens or is about to happen", in_project=True, person_only=True,
        confines=True,
    )  # fmt: skip
    pi = JsonObject(
        "a JSON object with folders and separate",
        "extensions written for pi: folders (use what ~/.pi/agent and .pi have), separate (names that run alone)",
        person_only=True,
        parts=checks.pi,
    )
    sandbox = Choice[SandboxMode](
        "off",
        get_args(SandboxMode),
        "confine commands: read the system, write the project, no network",
        flag="--sandbox",
        person_only=True,
        confines=True,
        by_care=SANDBOX_MODES,
    )
    sandbox_folders = Names(
        "folders", "more folders that are writable in the sandbox", flag="--add-dir", person_only=True, confines=True
    )
    sandbox_hosts = Names(
        "hosts", "hosts that the sandbox may reach, such as pypi.org and *.github.com", person_only=True,
        confines=True, each=checks.host,
    )  # fmt: skip
    sandbox_variables = Names(
        "variables", "more variables of the environment that commands in the sandbox get", person_only=True,
        confines=True, each=checks.variable,
    )  # fmt: skip
    sandbox_git = Choice[SandboxGit](
        "ask", get_args(SandboxGit), "a command that writes .git in the sandbox: ask to run it outside, or let it",
        person_only=True, confines=True, by_care=("write", "ask"),
    )  # fmt: skip
    http_proxy = Text(
        "the proxy, in place of the variables http_proxy and https_proxy", check=checks.proxy, shown=location,
        person_only=True, confines=True,
    )  # fmt: skip
    ca_file = Text(
        "a PEM file of authorities, in place of SSL_CERT_FILE and of the usual ones", check=checks.authorities,
        person_only=True, confines=True,
    )  # fmt: skip

    def __init__(self, *layers: Layer, **values: object) -> None:
        """`layers` from the weakest to the strongest; `values` count more than all of them."""
        self.layers = [*layers, Layer("the program", dict(values))] if values else list(layers)
        self.values: Mapping[str, Any] = {key: value for layer in self.layers for key, value in layer.values.items()}
        self.problems = [line for layer in self.layers for line in layer.problems]
        """Lines for the person about mistakes, each of which names the file and the key."""
        self.errors = [line for layer in self.layers for line in layer.errors]
        """Such lines about mistakes with which zot must not start."""

    def value(self, key: str) -> Any:
        return self.values.get(key, SETTINGS[key].default)

    def changed(self, values: Mapping[str, Any]) -> "Settings":
        """Return the settings with other values in the weakest layer, the user's file; None removes a value."""
        user = self.layers[0] if self.layers else Layer("this run")
        kept = {key: value for key, value in {**user.values, **values}.items() if value is not None}
        return Settings(user.replace(values=kept), *self.layers[1:])

    def source(self, key: str) -> str:
        """Return where the value of a setting comes from; empty for its default."""
        return next((layer.source for layer in reversed(self.layers) if key in layer.values), "")


SETTINGS: Mapping[str, Setting[Any]] = {
    name: setting for name, setting in vars(Settings).items() if isinstance(setting, Setting)
}
"""All settings by their keys, in the order in which they are shown."""


def load_settings(
    home: str, project: Layer | None = None, environ: Mapping[str, str] | None = None, *, ignore: bool = False
) -> Settings:
    """Return the settings: the user's file in the folder `home`, a trusted project's, and the environment, of which the
    last that has a value counts; to `ignore` is to leave out the files.

    Raises `ConfigError` for a file that cannot be read whole, and for a value that confines and is not understood:
    nothing runs that the person may have wanted to hold back.
    """
    settings = read_settings(home, project, environ, ignore=ignore)
    if settings.errors:
        raise ConfigError(settings.errors[0])
    return settings


def read_settings(
    home: str, project: Layer | None = None, environ: Mapping[str, str] | None = None, *, ignore: bool = False
) -> Settings:
    """Return what `load_settings` does, whatever is wrong: for what starts nothing, and helps to find the mistake."""
    layers: list[Layer] = []
    if not ignore:
        user = read_layer(os.path.join(home, FILE))
        layers = [user] if project is None else [user, _held(project, user)]
    return Settings(*layers, *_environment(os.environ if environ is None else environ))


def _held(project: Layer, user: Layer) -> Layer:
    """Return the layer of a project, with an error for each value that holds less back than that of the person."""
    errors = list(project.errors)
    for key, value in project.values.items():
        setting = SETTINGS[key]
        own = user.values.get(key, setting.default)
        if not setting.in_project and not setting.narrows(value, own):
            errors.append(
                f"{project.source}: {key}: a project cannot set {setting.show(value) or 'this'}; only what is stricter "
                f"than your own config.json, which says {setting.show(own) or 'nothing'}"
            )
    return project.replace(errors=errors)


def read_layer(path: str, *, in_project: bool = False) -> Layer:
    """Read a file of settings, empty if it does not exist. In a project's file the keys that only the user may set
    are problems, unless they confine: a value that is stricter than that of the person is used."""
    layer = Layer(path, in_project=in_project)
    there = path
    while not os.path.exists(there):
        if os.path.islink(there):
            layer.errors.append(f"cannot read {path}: the link {there} leads nowhere")
            return layer
        there = os.path.dirname(there)
    if there != path and not in_project and not os.path.isdir(there):
        layer.errors.append(f"cannot read {path}: {there} is no folder")
    elif there in (path, os.path.dirname(path)) and (other := misnamed(path, _CALLED, () if in_project else _OTHERS)):
        layer.errors.append(f"{other}: zot reads {FILE} only (--ignore-settings starts without it)")
    try:
        content = read_json_object(path)
    except ConfigError as error:
        layer.errors.append(f"{error} (--ignore-settings starts without it)")
        return layer
    for key, value in content.items():
        setting = SETTINGS.get(key)
        if setting is None:
            _note_unknown(layer, key, value)
        elif setting.confines or value not in (None, ""):
            _read_value(layer, setting, value)
    return layer


def _read_value(layer: Layer, setting: Setting[Any], value: object) -> None:
    lines = layer.errors if setting.confines else layer.problems
    try:
        if layer.in_project and not (setting.in_project or setting.confines):
            raise ValueError("a project cannot set this; it belongs into your own config.json")
        read = setting.read(value)
        setting.check(read, layer.source)
        layer.values[setting.key] = read
    except ValueError as error:
        lines.append(f"{layer.source}: {setting.key}: {error}")
    except ConfigError as error:
        lines.append(str(error))


def _note_unknown(layer: Layer, key: str, value: object) -> None:
    """Add a line about a key that no setting has: an error if it seems meant to hold something back."""
    from zot_agent.config.unknown_keys import OF_GO, SWITCHES_OF_GO, meant, misplaced  # noqa: PLC0415  most have none

    if key in OF_GO or (key in SWITCHES_OF_GO and value is False):
        return
    confines = {name: setting.confines for name, setting in SETTINGS.items()}
    near = meant(key, confines, value)
    line = f"{layer.source}: unknown key {key!r:.60}" + (f"; did you mean {near}?" if near else "")
    careful = bool(near) and confines.get(near, True)
    if not careful and (found := misplaced(key, value, confines))[0]:
        careful = True
        line = f"{layer.source}: {found[0]:.80}: a setting has no effect inside another key; did you mean {found[1]}?"
    (layer.errors if careful else layer.problems).append(line)


def project_layer(cwd: str, home: str) -> Layer:
    """Read the settings that the project in `cwd` brings, in `.zot/config.json`; empty if that is the user's file."""
    path = os.path.join(cwd, ".zot", FILE)
    own = os.path.realpath(path) == os.path.realpath(os.path.join(home, FILE))
    return Layer(path, in_project=True) if own else read_layer(path, in_project=True)


def _environment(environ: Mapping[str, str]) -> list[Layer]:
    layers = []
    for key, setting in SETTINGS.items():
        text = environ.get(setting.variable, "").strip()
        if text or (setting.confines and setting.variable in environ):
            layer = Layer(f"${setting.variable}")
            try:
                if not text:
                    raise ConfigError(f"${setting.variable} is empty: say what it should be, or unset it")
                value = setting.read_variable(text)
                if value is not None:
                    setting.check(value, layer.source)
                    layer.values[key] = value
            except ValueError as error:
                layer.problems.append(f"{setting.variable}: {error}")
            except ConfigError as error:
                layer.errors.append(str(error))
            layers.append(layer)
    known = {setting.variable for setting in SETTINGS.values()}
    known |= {f"{_PREFIX}{each}" for each in _NO_SETTINGS.split()}
    ours = (name for name in environ if name.upper().startswith(_PREFIX[:-1]) and environ[name].strip())
    plain = {folded(name) for name in known}
    ours = (name for name in ours if name.upper().startswith(_PREFIX) or folded(name) in plain)
    return [*layers, *(_unknown_variable(name, environ[name]) for name in ours if name not in known)]


def _unknown_variable(name: str, value: str) -> Layer:
    """Return a layer with an error if a variable that zot does not read seems meant to hold something back."""
    from zot_agent.config.unknown_keys import HOME, meant_by_variable  # noqa: PLC0415  few environments have them

    layer = Layer(f"${name}")
    confines = {key: setting.confines for key, setting in SETTINGS.items()}
    if near := meant_by_variable(name[len(_PREFIX[:-1]) :].lstrip("_").lower(), confines, value):
        own = SETTINGS.get(near)
        flag = "ZOT_HOME" if near == HOME else near if own is None else own.variable or own.flag or f"{near} in {FILE}"
        layer.errors.append(f"${name}: zot reads no such variable; did you mean {flag}?")
    return layer
