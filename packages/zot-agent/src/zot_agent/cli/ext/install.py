"""`zot ext install SOURCE`: puts a folder, a repository or a package of npm into the folder of the extensions."""

import os
from collections.abc import Callable

from zot_agent.cli.ext import pi
from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.git import Git, is_url, without_password
from zot_agent.cli.ext.folder.names import installed
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.folder.packages import print_packages, set_up
from zot_agent.cli.ext.folder.permissions import ask_for_permissions, print_permissions
from zot_agent.cli.ext.folder.theme import theme, theme_fault
from zot_agent.cli.ext.terminal import can_ask, confirm, inline, print_line
from zot_agent.config.paths import current_directory, zot_home
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension, Scope, global_folder, project_folder
from zot_agent.extensions.launch import outside_program
from zot_agent.host.extension_grants import ExtensionGrants
from zot_provider.errors import ConfigError


def install(source: str, *, project: bool = False, yes: bool = False) -> int:
    """Install from a folder, a git repository or npm. An extension from a URL or npm, and one whose manifest has
    permissions, runs only if you confirm it, or with --yes.

    SOURCE: a folder or file, a git URL, npm:NAME, or pi
    --project: install only for the project in this directory
    -y, --yes: let the extension run without asking

    npm:NAME[@VERSION], git:HOST/PATH[@REF] and a file .ts or .js are extensions written for pi; the word pi fetches
    what all of these need. An extension runs with all your rights, unless its manifest has permissions. Installing runs
    none of its code.
    """
    here = current_directory()
    if source == pi.WORD:
        return pi.install_bridge()
    parent = project_folder(here) if project else global_folder(zot_home())
    scope: Scope = "project" if project else "global"
    path = os.path.expanduser(source)
    if os.path.isdir(path):
        found = _copy(os.path.realpath(path), parent, scope)
        ask_for_permissions(found, yes=yes)
    elif source.startswith(pi.NPM):
        target = _target(parent, pi.npm_folder(source))
        found = _fetch(source, target, scope, lambda staged: pi.fetch_npm(source, staged), yes=yes)
    elif pi.is_file(path):
        found = _copy_file(os.path.realpath(path), parent, scope)
    elif is_url(source) or source.startswith(pi.GIT):
        url, ref = pi.git_source(source)
        target = _target(parent, folder.folder_name(url, url=True))
        found = _fetch(without_password(url), target, scope, lambda staged: _clone(url, ref, staged), yes=yes)
        if found.enabled:  # the person has confirmed it
            ask_for_permissions(found, yes=True)
    elif os.path.exists(path):
        raise ConfigError(f"{path} is a file; an extension is a folder with an extension.json")
    else:
        raise ConfigError(
            f"there is no folder {source}; a git URL begins with https:// or ends in .git, and a package of npm "
            "with npm:"
        )
    _report(found)
    return 0


def _copy(source: str, parent: str, scope: Scope) -> DiscoveredExtension:
    name = folder.folder_name(source, url=False)
    target = _target(parent, name)
    folder.read_manifest(source, "explicit", label=source)
    if os.path.commonpath([source, os.path.realpath(parent)]) == source:
        raise ConfigError(f"{source} contains the folder of the extensions; install a separate folder")
    with folder.staging(parent) as staged:
        omitted = folder.copy(source, staged)
        pi.complete(staged, folder.read_manifest(staged, "explicit", label=source), source, name)
        found = folder.read_manifest(staged, scope, label=source)
        _describe(found, target)
        for path in omitted:
            print_line(f"  omitted    {inline(path)}: not a file")
        folder.publish(staged, target)
    return folder.read_manifest(target, scope, label=target)


def _copy_file(source: str, parent: str, scope: Scope) -> DiscoveredExtension:
    name = folder.read_manifest(source, scope, label=source).name
    target = _target(parent, name)
    with folder.staging(parent) as staged:
        pi.copy_file(source, staged)
        _describe(folder.read_manifest(staged, scope, label=source), target)
        folder.publish(staged, target)
    return folder.read_manifest(target, scope, label=target)


def _clone(url: str, ref: str, staged: str) -> None:
    if can_ask():  # it may take a while
        print_line(f"cloning {inline(without_password(url))}")
    Git().clone(url, staged, ref)
    folder.refuse_links(staged)
    found = folder.read_manifest(staged, "explicit", label=without_password(url))
    if found.pi or not os.path.lexists(os.path.join(staged, MANIFEST_FILE)):
        pi.complete(staged, found, url, folder.folder_name(url, url=True))


def _fetch(label: str, target: str, scope: Scope, fetch: Callable[[str], None], *, yes: bool) -> DiscoveredExtension:
    if not (yes or can_ask()):
        raise ConfigError(
            "an extension from a URL runs with your rights; there is no terminal to ask on, so confirm it with --yes"
        )
    with folder.staging(os.path.dirname(target)) as staged:
        fetch(staged)
        found = folder.read_manifest(staged, scope, label=label)
        _describe(found, target)
        # Ask before the folder gets its final name, so that no zot starts the extension meanwhile.
        write_enabled(staged, yes or confirm(f"let {inline(found.name)} run?"))
        folder.publish(staged, target)
    return folder.read_manifest(target, scope, label=target)


def _target(parent: str, name: str) -> str:
    target = os.path.join(parent, name)
    if os.path.lexists(target):
        cloned = os.path.isdir(os.path.join(target, ".git")) and not os.path.islink(target)
        update = f"zot ext update {name} or " if cloned else ""
        raise ConfigError(f"{target} already exists; run {update}zot ext remove {name} first")
    return target


def _describe(found: DiscoveredExtension, target: str) -> None:
    """Print the name of an extension, and what it runs and adds once it is in the folder `target`."""
    manifest = found.manifest
    description = f": {inline(manifest.description)}" if manifest.description else ""
    print_line(inline(f"{manifest.name} {manifest.version}") + description)
    if found.pi:
        files = [os.path.relpath(path, found.directory) for path in found.pi]
        print_line(f"  runs       {inline(', '.join(files))}, written for pi")
        print_permissions(found)
    elif manifest.exec:
        print_line(f"  runs       {inline(' '.join([manifest.exec, *manifest.args]))}")
        if outside := outside_program(manifest, target):
            print_line(f"  outside    {inline(outside)}, which is not part of the extension")
        print_packages(found)
        print_permissions(found)
    else:
        print_line("  runs       nothing")
    if manifest.skills:
        print_line(f"  skills     {inline(', '.join(manifest.skills))}")
    if manifest.prompts:
        print_line(f"  prompts    {inline(', '.join(manifest.prompts))}")
    if manifest.themes:
        print_line(f"  themes     {inline(', '.join(manifest.themes))}")
    if command := theme(found):
        print_line(f"  theme      {inline(command)}")


def _report(found: DiscoveredExtension) -> None:
    name = inline(found.name)
    print_line(f"installed in {found.directory}")
    if not found.enabled:
        print_line(f"it does not run yet; enable it with zot ext enable {name}")
    elif not ExtensionGrants(zot_home()).decision(found):
        print_line(f"it does not run yet, because you have not allowed what it may do: zot ext enable {name}")
    else:
        set_up(found)
    for line in needs(found):
        print_line(line)
    if fault := theme_fault(found.directory):
        print_line(inline(fault))
    same = [each for each in installed().found if each.name == found.name]
    for each in same:
        if each.hidden_by:
            print_line(f"{each.directory} does not run, because {each.hidden_by} has the same name")
