"""`zot ext install PATH|GIT-URL`: a copy of a folder, or a clone, among the extensions."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.git import Git, is_url, without_password
from zot_agent.cli.ext.folder.names import installed
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.folder.theme import theme, theme_fault
from zot_agent.cli.ext.terminal import agreed, can_ask, say, word
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import current_directory, zot_home
from zot_agent.extensions.discover import DiscoveredExtension, Scope, global_folder, project_folder
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Install one extension; 0."""
    parser = Parser(
        prog="zot ext install",
        description="Copy a folder, or clone a git repository, into the folder of the extensions. "
        "What comes from a URL runs only if you say so.",
        epilog="An extension runs with all your rights. Nothing of it is run by installing it.",
    )
    parser.add_argument("source", metavar="PATH|GIT-URL", help="a folder with an extension.json, or a repository")
    parser.add_argument("--project", action="store_true", help="for the project in the working directory alone")
    parser.add_argument("-y", "--yes", action="store_true", help="run what comes from a URL without being asked")
    asked = parser.parse_args(list(arguments))
    here = current_directory()
    place = project_folder(here) if asked.project else global_folder(zot_home())
    scope: Scope = "project" if asked.project else "global"
    path = os.path.expanduser(asked.source)
    if os.path.isdir(path):
        found = _copy(os.path.realpath(path), place, scope)
    elif is_url(asked.source):
        found = _clone(asked.source, place, scope, yes=asked.yes)
    elif os.path.exists(path):
        raise ConfigError(f"{path} is a file; an extension is a folder with an extension.json")
    else:
        raise ConfigError(f"there is no folder {asked.source}, and a git URL begins with https:// or ends in .git")
    _report(found)
    return 0


def _copy(source: str, place: str, scope: Scope) -> DiscoveredExtension:
    target = _target(place, folder.folder_of(source, url=False))
    folder.read_manifest(source, scope, told_as=source)
    if os.path.commonpath([source, os.path.realpath(place)]) == source:
        raise ConfigError(f"{source} holds the folder of the extensions itself; install a folder of its own")
    with folder.staging(place) as staged:
        left_out = folder.copy(source, staged)
        found = folder.read_manifest(staged, scope, told_as=source)
        _describe(found)
        for path in left_out:
            say(f"  left out   {word(path)}: not a file")
        folder.settle(staged, target)
    return folder.read_manifest(target, scope, told_as=target)


def _clone(url: str, place: str, scope: Scope, *, yes: bool) -> DiscoveredExtension:
    target = _target(place, folder.folder_of(url, url=True))
    with folder.staging(place) as staged:
        shown = without_password(url)
        if can_ask():  # it may take a while
            say(f"cloning {word(shown)}")
        Git().clone(url, staged)
        found = folder.read_manifest(staged, scope, told_as=shown)
        folder.refuse_links(staged)
        _describe(found)
        # Before it has its name: while the question stands open, nothing runs.
        write_enabled(staged, yes or (can_ask() and agreed(f"let {word(found.name)} run?")))
        folder.settle(staged, target)
    return folder.read_manifest(target, scope, told_as=target)


def _target(place: str, name: str) -> str:
    target = os.path.join(place, name)
    if os.path.lexists(target):
        cloned = os.path.isdir(os.path.join(target, ".git")) and not os.path.islink(target)
        update = f"zot ext update {name}, or " if cloned else ""
        raise ConfigError(f"{target} is there already; {update}zot ext remove {name} first")
    return target


def _describe(found: DiscoveredExtension) -> None:
    """Who it is and what it will be able to do."""
    manifest = found.manifest
    say(
        word(f"{manifest.name} {manifest.version}")
        + (f": {word(manifest.description)}" if manifest.description else "")
    )
    if manifest.exec:
        say(f"  runs       {word(' '.join([manifest.exec, *manifest.args]))}")
        say("  can        read and write your files, use the network, see and change what the agent does")
    else:
        say("  runs       nothing")
    if manifest.skills:
        say(f"  skills     {word(', '.join(manifest.skills))}")
    if shown := theme(found):
        say(f"  theme      {word(shown)}")


def _report(found: DiscoveredExtension) -> None:
    name = word(found.name)
    say(f"installed in {found.directory}")
    if not found.enabled:
        say(f"it does not run yet; zot ext enable {name} lets it")
    for line in needs(found):
        say(line)
    if fault := theme_fault(found.directory):
        say(word(fault))
    same = [each for each in installed().found if each.name == found.name]
    for each in same:
        if each.hidden_by:
            say(f"{each.directory} does not run, as {each.hidden_by} has the name before it")
