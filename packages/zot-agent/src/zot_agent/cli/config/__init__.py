"""`zot config get|set|list|path|unset`: shows and changes settings."""

import os
from typing import Annotated, Any, TypeAlias

from zot_agent.cli.ext.folder.names import project_choice
from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.verb import VerbTable
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import current_directory, zot_home
from zot_agent.config.setting import Setting
from zot_agent.config.settings import SETTINGS, Settings, read_settings
from zot_agent.config.settings_file import change_settings, project_file, user_file
from zot_agent.event_loop import run_in_loop
from zot_agent.hook_programs.read import read_programs
from zot_agent.host.build import open_registry
from zot_agent.host.extensions import open_providers
from zot_agent.host.setting_changes import check_model
from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.json_text import dump


def _setting_name(text: str) -> str:
    if text not in SETTINGS:
        raise UnknownName.among("setting", text, SETTINGS, "(zot config list names all)")
    return text


_Key: TypeAlias = Annotated[str, "KEY: the name of a setting", {"choices": SETTINGS, "type": _setting_name}]
_Project: TypeAlias = Annotated[bool, "--project: use .zot/config.json in this directory"]


def _get(key: _Key, *, json: bool = False) -> int:
    """Print a value that is in effect.

    --json: print JSON
    """
    setting, value = SETTINGS[key], _settings().value(key)
    if json:
        print_line(dump(setting.json(value)))
    else:
        print_line(value if isinstance(value, str) else setting.show(value))
    return 0


def _list(*, json: bool = False) -> int:
    """List all settings with their values, and where each comes from.

    --json: print JSON
    """
    settings = _settings()
    values = {key: settings.value(key) for key in SETTINGS}
    if json:
        rows = [
            {"key": key, "value": setting.json(values[key]), "default": setting.json(setting.default),
             "source": settings.source(key), "help": setting.help}
            for key, setting in SETTINGS.items()
        ]  # fmt: skip
        print_line(dump({"settings": rows}))
        return 0
    table = [(key, setting.show(values[key]), settings.source(key)) for key, setting in SETTINGS.items()]
    print_table([("setting", "value", "from"), *((key, value, source or "default") for key, value, source in table)])
    return 0


def _settings() -> Settings:
    """Return the settings in this directory, and report their problems."""
    choice = project_choice()
    choice.find()
    settings = read_settings(zot_home(), choice.settings)
    for problem in (*settings.errors, *settings.problems):
        print_error(problem)
    return settings


def _file(*, project: bool) -> str:
    return project_file(current_directory()) if project else user_file(zot_home())


def _path(*, project: _Project = False) -> int:
    """Print the path of the file."""
    print_line(_file(project=project))
    return 0


def _set(key: _Key, value: str, *, project: _Project = False) -> int:
    """Store a value.

    VALUE: the value; names have commas between them
    """
    setting, path = SETTINGS[key], _file(project=project)
    try:
        parsed = setting.parse(value)
        setting.check(parsed, path)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None
    if project and not (setting.in_project or setting.narrows(parsed, read_settings(zot_home()).value(key))):
        raise ConfigError(f"{key}: a project cannot set this; leave out --project")
    if key == Settings.hooks.key:
        read_programs(parsed, path, may_leave=not project)
    if key in (Settings.provider.key, Settings.model.key):
        registry, settings = open_registry(zot_home()), _settings()
        if not settings.errors:  # with them no extension is asked
            open_providers(registry)
        check_model(key, parsed, registry, settings)
    return _store(setting, setting.json(parsed), project=project)


def _unset(key: _Key, *, project: _Project = False) -> int:
    """Remove a stored value, so that the default is used."""
    return _store(SETTINGS[key], None, project=project)


def _store(setting: Setting[Any], value: object, *, project: bool) -> int:
    path = _file(project=project)
    run_in_loop(change_settings(zot_home(), path, {setting.key: value}))
    if project:
        FolderTrust(zot_home()).accept(os.path.realpath(current_directory()), path)
    settings = _settings()
    source = settings.source(setting.key)
    if source not in ("", path):
        now = setting.show(settings.value(setting.key))
        print_error(f"{setting.key} is {now} here, because {source} takes precedence")
    return 0


run = VerbTable(
    "zot config",
    "Show and change settings. zot config list names all of them.",
    {"get": _get, "set": _set, "list": _list, "path": _path, "unset": _unset},
    "exit codes: 0 done, 2 usage, or a file that cannot be read or written.",
    needed=True,
)
