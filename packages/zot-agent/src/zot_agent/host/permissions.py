"""`PermissionFiles`: where rules for tool calls come from, and where the answer "always" is kept.

Rules come from the setting `permissions` of the user and of a trusted project, and from `$ZOT_HOME/permissions.json`,
which has the rules that the person added by the answer "always", for each folder. Nothing is written into a project.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from zot_agent.config.paths import RULES_FILE, sessions_root, zot_home
from zot_agent.config.settings import FILE as SETTINGS_FILE
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_core.confirm import Permissions
from zot_core.permission_mode import MODES, PermissionMode, more_careful
from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_provider.json_file import read_json_object

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule

_KEY = "permissions"
_UNDECIDED = "mode-undecided"


def mode_is_open(options: HostOptions, settings: Settings) -> bool:
    """Whether neither a flag nor a setting says which calls may run, and zot runs for the first time, or its question
    about that was closed without an answer."""
    said = options.permission_mode is not None or settings.no_yolo
    said = said or any("mode" in layer.values.get(_KEY, ()) for layer in settings.layers)
    if said or options.ignore_settings:
        return False
    known = (os.path.join(zot_home(), SETTINGS_FILE), sessions_root())
    return os.path.exists(os.path.join(zot_home(), _UNDECIDED)) or not any(map(os.path.exists, known))


def keep_mode_open(*, still: bool) -> None:
    """Note that the question is not answered, also for an end that nobody sees; without `still` that it is."""
    path = os.path.join(zot_home(), _UNDECIDED)
    with suppress(OSError):  # a home that cannot be written has no settings either, and is asked about again
        if still:
            make_private(zot_home())
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        else:
            os.unlink(path)


class PermissionFiles:
    """The rules for the folder `cwd`; zot's own files are in `home`. In a worktree of `project`, rules that the person
    added there hold."""

    def __init__(self, home: str, cwd: str, project: str = "") -> None:
        self.path = os.path.join(home, RULES_FILE)
        self._folder = os.path.realpath(project or cwd)

    def open(self, options: HostOptions, settings: Settings) -> Permissions:
        """Return the permissions that the options and settings describe. Raises `ConfigError` for a wrong rule."""
        rules = self.rules(settings)
        mode = options.permission_mode or self.mode(settings)
        if options.ignore_settings and options.permission_mode is None:
            mode = more_careful(mode, "ask")  # what the file says may be that
        return Permissions(mode, rules, save=self.save)

    def use(
        self, permissions: Permissions, options: HostOptions, settings: Settings, before: Settings | None = None
    ) -> None:
        """Let `permissions`, which are in use, follow these settings. Their mode can only become more careful, and
        stays if it is the same as `before`. Raises `ConfigError`, and nothing has changed then."""
        now = self.open(options, settings)
        permissions.follow(now)
        if options.permission_mode is None and (before is None or self.mode(before) != self.mode(settings)):
            permissions.mode = more_careful(permissions.mode, now.mode)

    def rules(self, settings: Settings) -> "Sequence[Rule]":
        """Return the rules of all files. Raises `ConfigError` that names the file and the key: nothing is left out,
        because it could be a deny."""
        layers = [layer for layer in settings.layers if not _only_mode(layer.values.get(_KEY))]
        if not layers and not os.path.exists(self.path):
            return []
        from zot_core.permissions.rule import parse_permissions  # noqa: PLC0415  few people have rules

        rules = [rule for layer in layers for rule in parse_permissions(layer.values[_KEY], layer.source).rules]
        kept, source = self._kept().get(self._folder, {}), f"{self.path}: {self._folder}"
        if not isinstance(kept, dict) or "mode" in kept:
            raise ConfigError(f"{source}: expected an object with rules; the mode belongs into {SETTINGS_FILE}")
        own = {action: kept[action] for action in kept if action != "allow"}  # which only a person writes
        answers = parse_permissions({"allow": kept.get("allow", [])}, source, typed=False)
        return [*rules, *answers.rules, *parse_permissions(own, source).rules]

    def mode(self, settings: Settings) -> PermissionMode:
        """Return the mode of the settings. Raises `ConfigError` if a project names a less careful mode."""
        mode: PermissionMode = "yolo"
        for layer in settings.layers:
            named = layer.values.get(_KEY, {}).get("mode")
            if layer.values.get(Settings.no_yolo.key, False):  # whatever mode the same file names
                usual = mode if layer.in_project else "ask"
                named = more_careful(named or usual, "ask")
            if named is None:
                continue
            if layer.in_project and (named == "yolo" or more_careful(named, mode) != named):
                raise ConfigError(
                    f"{layer.source}: {_KEY}.mode: a project cannot set {named}, only a mode that is more careful than "
                    f"that of your own {SETTINGS_FILE}, which is {mode}"
                )
            mode = named
        return mode

    def _kept(self) -> dict[str, object]:
        content = read_json_object(self.path)
        if other := next((key for key in content if key != "folders"), ""):
            raise ConfigError(f"{self.path}: unknown key {other!r}; your own rules belong into {SETTINGS_FILE}")
        folders = content.get("folders", {})
        if not isinstance(folders, dict):
            raise ConfigError(f"{self.path}: folders: expected an object")
        found = {os.path.normpath(os.path.expanduser(path)): rules for path, rules in folders.items()}
        if wrong := next((path for path in found if not os.path.isabs(path)), ""):
            raise ConfigError(f"{self.path}: {wrong!r} is no absolute path of a folder")
        if len(found) < len(folders):
            raise ConfigError(f"{self.path}: a folder has rules in two places")
        return found

    def save(self, rules: list[str]) -> "Sequence[Rule]":
        """Keep allow rules for the folder, beside what a person has written there, and return them. Raises
        `ConfigError` if they cannot be written."""
        from zot_core.permissions.rule import parse_permissions  # noqa: PLC0415  only after a question
        from zot_provider.files.replace_file import replace_file  # noqa: PLC0415

        folders = self._kept()
        kept = folders.get(self._folder)
        own = kept if isinstance(kept, dict) else {}
        folders[self._folder] = {**own, "allow": list(dict.fromkeys([*own.get("allow", []), *rules]))}
        text = json.dumps({"folders": folders}, ensure_ascii=False, indent=2) + "\n"
        with ConfigError.of_system(f"cannot write {self.path}"):
            make_private(os.path.dirname(self.path))
            replace_file(self.path, text.encode(), mode=0o600)
        return parse_permissions({"allow": rules}, f"{self.path}: {self._folder}", typed=False).rules


def _only_mode(permissions: Mapping[str, object] | None) -> bool:
    """Whether a setting has no rules, and a mode that needs no check."""
    return not permissions or (list(permissions) == ["mode"] and permissions["mode"] in MODES)
