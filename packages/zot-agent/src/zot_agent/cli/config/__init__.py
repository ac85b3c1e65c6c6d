"""`zot config get|set|list|path|unset`: shows and changes settings."""

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from zot_agent.cli.ext.folder.names import project_choice
from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.parser import Parser, subcommand
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


def build_parser() -> Parser:
    parser = Parser(
        prog="zot config",
        description="Show and change settings. zot config list names all of them.",
        epilog="exit codes: 0 done, 2 usage, or a file that cannot be read or written",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="get|set|list|path|unset", required=True)
    get = verbs.add_parser("get", help="print a value that is in effect")
    set_ = verbs.add_parser("set", help="store a value")
    list_ = verbs.add_parser("list", help="list all settings with their values, and where each comes from")
    path = verbs.add_parser("path", help="print the path of the file")
    unset = verbs.add_parser("unset", help="remove a stored value, so that the default is used")
    for verb in (get, set_, unset):
        verb.add_argument("key", choices=SETTINGS, metavar="KEY", help="the name of a setting")
    set_.add_argument("value", metavar="VALUE", help="the value; names have commas between them")
    for verb in (get, list_):
        verb.add_argument("--json", action="store_true", help="print JSON")
    for verb in (set_, path, unset):
        verb.add_argument("--project", action="store_true", help="use .zot/config.json in this directory")
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot config` with `arguments` (those after `config`) and return the exit code."""
    given = build_parser().parse_args(_known(arguments))
    verbs = {"get": _get, "set": _set, "list": _list, "path": _path, "unset": _unset}
    verbs[given.verb](given)
    return 0


def _known(arguments: Sequence[str]) -> list[str]:
    """Return the arguments. Raises `UnknownName` for an unknown key: it names similar ones, argparse would not."""
    words = [word for word in arguments if not word.startswith("-")]
    if len(words) > 1 and words[0] in ("get", "set", "unset") and words[1] not in SETTINGS:
        raise UnknownName.among("setting", words[1], SETTINGS, "(zot config list names all)")
    return list(arguments)


def _get(given: Namespace) -> None:
    setting, value = SETTINGS[given.key], _settings().value(given.key)
    if given.json:
        print_line(dump(setting.json(value)))
    else:
        print_line(value if isinstance(value, str) else setting.show(value))


def _list(given: Namespace) -> None:
    settings = _settings()
    values = {key: settings.value(key) for key in SETTINGS}
    if given.json:
        rows = [
            {"key": key, "value": setting.json(values[key]), "default": setting.json(setting.default),
             "source": settings.source(key), "help": setting.help}
            for key, setting in SETTINGS.items()
        ]  # fmt: skip
        print_line(dump({"settings": rows}))
        return
    table = [(key, setting.show(values[key]), settings.source(key)) for key, setting in SETTINGS.items()]
    print_table([("setting", "value", "from"), *((key, value, source or "default") for key, value, source in table)])


def _settings() -> Settings:
    """Return the settings in this directory, and report their problems."""
    choice = project_choice()
    choice.find()
    settings = read_settings(zot_home(), choice.settings)
    for problem in (*settings.errors, *settings.problems):
        print_error(problem)
    return settings


def _file(given: Namespace) -> str:
    """Return the path of the file that is meant."""
    return project_file(current_directory()) if given.project else user_file(zot_home())


def _path(given: Namespace) -> None:
    print_line(_file(given))


def _set(given: Namespace) -> None:
    setting = SETTINGS[given.key]
    try:
        value = setting.parse(given.value)
        setting.check(value, _file(given))
    except ValueError as error:
        raise ConfigError(f"{given.key}: {error}") from None
    if given.project and not (setting.in_project or setting.narrows(value, read_settings(zot_home()).value(given.key))):
        raise ConfigError(f"{given.key}: a project cannot set this; leave out --project")
    if given.key == Settings.hooks.key:
        read_programs(value, _file(given), may_leave=not given.project)
    if given.key in (Settings.provider.key, Settings.model.key):
        registry, settings = open_registry(zot_home()), _settings()
        if not settings.errors:  # with them no extension is asked
            open_providers(registry)
        check_model(given.key, value, registry, settings)
    _store(given, setting, setting.json(value))


def _unset(given: Namespace) -> None:
    _store(given, SETTINGS[given.key], None)


def _store(given: Namespace, setting: Setting[Any], value: object) -> None:
    path = _file(given)
    run_in_loop(change_settings(zot_home(), path, {setting.key: value}))
    if given.project:
        FolderTrust(zot_home()).accept(os.path.realpath(current_directory()), path)
    settings = _settings()
    source = settings.source(setting.key)
    if source not in ("", path):
        now = setting.show(settings.value(setting.key))
        print_error(f"{setting.key} is {now} here, because {source} takes precedence")
