"""`discover`: finds extensions and decides which are active, from their files alone; it starts nothing.

```text
explicit   the folders given with --ext, in the order given
project    <cwd>/.zot/extensions/*, by the name of the folder
global     <home>/extensions/*, by the name of the folder
pi         with a setting: <cwd>/.pi and <cwd>/.atomic (project), ~/.pi/agent and ~/.atomic/agent (global)
```

An extension written for pi has no manifest of zot: a file named with `--ext`, or a folder with its `package.json`.

Of several extensions with one name (in the manifest) the first counts. It hides the others even if it is disabled: a
user who disables a copy in a project does not want another copy instead. A folder given with `--ext` that cannot be
used also hides installed extensions of its name (the name of the folder if it has no manifest). Links to folders are
followed. Folders whose name begins with a dot are skipped, and so are folders without a manifest unless given with
`--ext`. Extensions of a project that the person has not allowed hide nothing.
"""

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from zot_provider.files.regular_file import read_regular
from zot_provider.record import Record, field

if TYPE_CHECKING:  # without extensions their protocol is not loaded
    from zot_ext.manifest import Manifest
    from zot_ext.protocol.permissions import ExtensionPermissions

Scope: TypeAlias = Literal["explicit", "project", "global", "bundled"]
"""`bundled`: a part of zot."""

MANIFEST_FILE = "extension.json"
"""The same as `zot_ext.manifest.MANIFEST_FILE`, repeated here to avoid the import."""
MANIFEST_BYTES = 1 << 20
"""The most bytes of a manifest; the same as `zot_ext.manifest.MANIFEST_BYTES`."""
THEME_FILES = ("theme.json", os.path.join("themes", "theme.json"))
"""Paths of a theme in an extension: the same as `zot_ext.manifest.THEME_FILES`."""


class ResourcePaths(Record):
    """Paths of skills, prompt templates and themes, relative to the folder of their extension."""

    skills: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()

    def below(self, folder: str, base: str) -> "ResourcePaths":
        """Return the paths, relative to `base`, that lead into `folder`, relative to that."""
        root = os.path.realpath(folder)

        def chosen(paths: Iterable[str]) -> tuple[str, ...]:
            real = [os.path.realpath(os.path.join(base, path)) for path in paths]
            return tuple(os.path.relpath(path, root) for path in real if path.startswith(root + os.sep))

        return ResourcePaths(chosen(self.skills), chosen(self.prompts), chosen(self.themes))


class ResourceUse(Protocol):
    """Uses the skills, prompt templates and themes that the programs of extensions bring."""

    async def changed(self) -> None:
        """Read again what extensions bring."""

    def use(self) -> None:
        """Use what was read, before the first model call of a run."""


class DiscoveredExtension(Record):
    """An extension with a valid manifest. Texts of the manifest are untrusted: sanitize them for a terminal."""

    name: str
    """The name in the manifest."""
    directory: str
    """Absolute; links are not resolved."""
    scope: Scope
    manifest: "Manifest"
    hidden_by: str = ""
    """The directory of the extension that takes the name; empty if none does."""
    untrusted: bool = False
    """Whether it waits for the person: its project, or what its manifest asks for, was not allowed."""
    undecided: bool = False
    """Whether it is installed, and the person has not been asked yet."""
    reads: Sequence[str] = ()
    """Paths that it reads, of what the sandbox hides."""

    pi: Sequence[str] = ()
    """The files of extensions written for pi that its program consists of, absolute; empty for other programs."""

    parts: "Sequence[DiscoveredExtension]" = ()
    """The extensions whose programs run in its process; they bring the resources."""

    added: ResourcePaths = field(default_factory=ResourcePaths)
    """The additions of its program to its manifest."""

    @property
    def resources(self) -> ResourcePaths:
        manifest, added = self.manifest, self.added
        return ResourcePaths(
            (*manifest.skills, *added.skills), (*manifest.prompts, *added.prompts), (*manifest.themes, *added.themes)
        )

    @property
    def brings(self) -> bool:
        """Whether its program has added something."""
        return any(each.added != ResourcePaths() for each in (self, *self.parts))

    def bring(self, paths: ResourcePaths) -> bool:
        """Set what its program has added; return whether that has changed. The paths are relative to its folder."""
        before = [self.added, *(part.added for part in self.parts)]
        if not self.parts:
            self.added = paths
        for part in self.parts:
            part.added = paths.below(part.directory, self.directory)
        return before != [self.added, *(part.added for part in self.parts)]

    @property
    def permissions(self) -> "ExtensionPermissions":
        from zot_ext.protocol.permissions import EVERYTHING  # noqa: PLC0415  as above

        return self.manifest.permissions or EVERYTHING

    @property
    def waits(self) -> bool:
        """Whether it is installed, and waits for the person."""
        return self.untrusted and self.scope == "global"

    @property
    def enabled(self) -> bool:
        """Whether the manifest enables it. A hidden extension does not run even if enabled."""
        return self.manifest.enabled


class Problem(Record):
    """A folder that cannot be used, or not as requested."""

    directory: str
    message: str
    """One line for the user, without the directory."""
    scope: Scope = "explicit"
    guards: bool = False
    """Whether it may be a guard."""


class Discovery(Record):
    """All extensions and problems, in the order of precedence."""

    found: list[DiscoveredExtension]
    problems: list[Problem]

    def active(self) -> list[DiscoveredExtension]:
        """List the extensions to load, in load order: enabled, trusted and not hidden."""
        return [each for each in self.found if each.enabled and not each.hidden_by and not each.untrusted]

    def members(self) -> "list[DiscoveredExtension]":
        """List those whose programs are to run, in load order: also those with guards about which the person has not
        decided. They do not start, but what they must guard is not done without them."""
        return [
            each
            for each in self.found
            if each.manifest.exec
            and each.enabled
            and not each.hidden_by
            and (not each.untrusted or (each.undecided and each.manifest.guards is not None))
        ]


def project_folder(cwd: str) -> str:
    return os.path.join(os.path.abspath(cwd), ".zot", "extensions")


def global_folder(home: str) -> str:
    """Return the folder of the extensions that every project gets."""
    return os.path.join(os.path.abspath(home), "extensions")


def discover(
    explicit: Sequence[str],
    cwd: str,
    home: str,
    *,
    installed: bool = True,
    project: bool = True,
    trusted: bool = True,
    pi_folders: bool = False,
) -> Discovery:
    """Find the extensions in the folders of `explicit`, in the project at `cwd` and in the home folder.

    A relative path in `explicit` starts at the working directory of the process; `~` is expanded. Without `installed`
    only `explicit` counts; without `project` extensions of the project are left out, and unless `trusted` they are
    found but not active. With `pi_folders` the folders of pi and Atomic count too. Raises nothing: unreadable folders
    become problems.
    """
    discovery = Discovery([], [])
    owners: dict[str, str] = {}
    seen: set[str] = set()
    read = _candidates(explicit, cwd, home, installed=installed, project=project, discovery=discovery)
    of_pi = _folders_of_pi(cwd, project=project) if pi_folders and installed else ()
    for directory, scope, found in itertools.chain(read, of_pi):
        if directory in seen:
            continue
        seen.add(directory)
        if isinstance(found, Problem):
            discovery.problems.append(found)
        elif found is not None and scope == "project" and not trusted:
            found.untrusted = True
            discovery.found.append(found)
        elif found is not None:
            broken = "" if found.name in owners else _unusable_override(found, discovery)
            found.hidden_by = owners.get(found.name, broken)
            owners.setdefault(found.name, directory)
            discovery.found.append(found)
            if broken and found.enabled:
                discovery.problems.append(Problem(directory, f"does not run: {broken} was to run in its place", scope))
            if scope == "explicit" and not found.enabled:
                discovery.problems.append(Problem(directory, f'"enabled" is false in its {MANIFEST_FILE}'))
    return discovery


def _unusable_override(found: DiscoveredExtension, discovery: Discovery) -> str:
    """Return the unusable folder given with `--ext` that would have hidden `found`, or an empty string."""
    names = (found.name, os.path.basename(found.directory))
    usable = {each.directory for each in discovery.found}
    problems = [each for each in discovery.problems if each.scope == "explicit"]
    broken = [each.directory for each in problems if each.directory not in usable]
    return next((each for each in broken if found.scope != "explicit" and os.path.basename(each) in names), "")


def read_extension(directory: str, scope: Scope = "explicit") -> DiscoveredExtension | Problem:
    """Read the extension in one folder; a missing folder is a problem. Raises nothing."""
    if _is_pi_file(directory):
        return _read(directory, scope) or Problem(directory, "is no extension", scope)
    if not os.path.isdir(directory):
        return Problem(directory, "is not a folder" if os.path.exists(directory) else "there is no such folder", scope)
    return _read(directory, scope) or Problem(directory, f"there is no {MANIFEST_FILE} in it", scope)


def _candidates(
    explicit: Sequence[str], cwd: str, home: str, *, installed: bool, project: bool, discovery: Discovery
) -> Iterator[tuple[str, Scope, DiscoveredExtension | Problem | None]]:
    """Yield folders and what was found in them. A folder that cannot be listed is added to the problems."""
    for path in explicit:
        if not path.strip():  # probably an unset variable; the working directory is not meant
            yield "", "explicit", Problem("", "--ext needs the path of a folder")
        elif path.startswith(("npm:", "git:")):  # as with pi
            yield path, "explicit", Problem(path, f"is not installed; install it with: zot ext install {path}")
        else:
            yield (place := os.path.abspath(os.path.expanduser(path))), "explicit", read_extension(place)
    if not installed:
        return
    places: list[tuple[str, Scope]] = [(global_folder(home), "global")]
    # In the parent of the home folder the two are the same: the user's own folder, not a project's.
    if project and not _same(project_folder(cwd), global_folder(home)):
        places.insert(0, (project_folder(cwd), "project"))
    for place, scope in places:
        try:
            with os.scandir(place) as entries:
                names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            discovery.problems.append(Problem(place, f"cannot be read: {error.strerror}", scope))
            continue
        for name in names:
            if os.path.isdir(directory := os.path.join(place, name)):
                yield directory, scope, _read(directory, scope)
            elif name == MANIFEST_FILE:
                yield place, scope, _unread(directory, f"{name} must be in a folder of its own", scope)


def own_files(found: DiscoveredExtension) -> list[str]:
    """List the files that decide what an extension does: its manifest, its theme, its program and the files that its
    arguments name, unless they are outside the folder and named absolutely. They need not exist."""
    folder = os.path.realpath(found.directory)
    words = [word for word in found.manifest.args if os.path.isfile(os.path.join(folder, word))]
    if os.path.dirname(found.manifest.exec):  # a bare name is looked up on the PATH
        words.insert(0, found.manifest.exec)
    paths = [os.path.join(folder, name) for name in (MANIFEST_FILE, *THEME_FILES)]
    for word in words:
        path = os.path.join(folder, word)
        if "\0" not in word and (not os.path.isabs(word) or os.path.realpath(path).startswith(folder + os.sep)):
            paths.append(path)
    return paths


def theme_paths(directory: str, paths: Sequence[str]) -> list[str]:
    """Return the theme files in the folder of an extension that paths below it lead to, 100 at most."""
    root, found = os.path.realpath(directory), list[str]()
    for path in paths:
        target = os.path.realpath(os.path.join(root, path))
        names = [target]
        if os.path.isdir(target):
            with contextlib.suppress(OSError), os.scandir(target) as entries:
                some = sorted(entry.path for entry in itertools.islice(entries, 1000) if entry.name.endswith(".json"))
                names = list(map(os.path.realpath, some))
        found += [each for each in names if each.startswith(root + os.sep) and os.path.isfile(each)]
    return found[:100]


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


_PI_FOLDERS = (("pi", ".pi"), ("atomic", ".atomic"))


def _folders_of_pi(cwd: str, *, project: bool) -> "Iterator[tuple[str, Scope, DiscoveredExtension | Problem | None]]":
    """Yield what the folders of pi and Atomic have; the project's first."""
    places: list[tuple[str, Scope, str]] = [
        (os.path.join(os.path.abspath(cwd), folder), "project", f"{name}-project") for name, folder in _PI_FOLDERS
    ]
    own = [(os.path.join(os.path.expanduser("~"), folder, "agent"), f"{name}-agent") for name, folder in _PI_FOLDERS]
    places = [place for place in places if project and not _same(place[0], os.path.dirname(own[0][0]))]
    for path, scope, name in (*places, *((path, "global", name) for path, name in own)):
        if os.path.isdir(path):
            yield path, scope, _read_pi(path, scope, name=name)


def _is_pi_file(path: str) -> bool:
    if not path.endswith((".ts", ".mts", ".js", ".mjs")):
        return False
    from zot_agent.pi.package import is_pi_file  # noqa: PLC0415  few extensions are written for pi

    return is_pi_file(path)


def _read_pi(
    path: str, scope: Scope, manifest: "Manifest | None" = None, *, name: str = ""
) -> DiscoveredExtension | Problem | None:
    """Read an extension written for pi: a file, a package, what `manifest` names, or a folder of pi called `name`. None
    if there is no such extension."""
    from zot_agent.pi.package import read_pi_folder, read_pi_package  # noqa: PLC0415  as above
    from zot_agent.pi.runtime import BRIDGE, NODE  # noqa: PLC0415  as above
    from zot_ext.manifest import Manifest, ManifestError  # noqa: PLC0415  as above

    try:
        package = read_pi_folder(path, name) if name else read_pi_package(path, manifest, bare=scope == "explicit")
    except ManifestError as error:
        return Problem(path, " ".join(str(error).split()), scope)
    if package is None:
        return None
    directory = path if os.path.isdir(path) else os.path.dirname(path)
    fields = {each: getattr(package.manifest, each) for each in Manifest.__fields__}
    if package.entries:
        fields |= {"exec": NODE, "args": (BRIDGE, *package.entries)}
    made = Manifest(**fields)
    return DiscoveredExtension(made.name, directory, scope, made, pi=package.entries)


def _read(directory: str, scope: Scope) -> DiscoveredExtension | Problem | None:
    """Read the extension in a folder, or in a file written for pi; None if there is no manifest."""
    if _is_pi_file(directory):
        return _read_pi(directory, scope)
    path = os.path.join(directory, MANIFEST_FILE)
    try:
        text = read_regular(path, MANIFEST_BYTES)
    except OSError as error:
        if not os.path.lexists(path) and not isinstance(error, PermissionError):
            package = scope == "explicit" or os.path.isfile(os.path.join(directory, "package.json"))
            return (_read_pi(directory, scope) if package else None) or _misnamed(path, scope)
        return Problem(directory, f"{MANIFEST_FILE}: cannot be read: {error.strerror}", scope, guards=True)
    from zot_ext.manifest import ManifestError, has_theme, parse_manifest  # noqa: PLC0415  only where there is an extension

    try:
        manifest = parse_manifest(text, has_theme=has_theme(directory))
    except ManifestError as error:
        return Problem(directory, " ".join(str(error).split()), scope, guards=error.guards)
    if manifest.pi:
        return _read_pi(directory, scope, manifest)
    return DiscoveredExtension(manifest.name, directory, scope, manifest)


def _misnamed(path: str, scope: Scope) -> Problem | None:
    """Return a problem if there is a file beside `path` that is probably meant to be that manifest."""
    from zot_provider.near_names import misnamed  # noqa: PLC0415  few folders are without a manifest

    if not (other := misnamed(path, ("extension", "manifest"))):
        return None
    return _unread(other, f"zot reads {MANIFEST_FILE}, and not {os.path.basename(other)}", scope)


def _unread(path: str, why: str, scope: Scope) -> Problem:
    """Return a problem about a manifest that is not read, in its folder."""
    from zot_ext.manifest import ManifestError, parse_manifest  # noqa: PLC0415  only for a mistake

    try:
        manifest = parse_manifest(read_regular(path, MANIFEST_BYTES), has_theme=True)
        guards = manifest.enabled and manifest.guards is not None
    except (OSError, ManifestError) as error:
        guards = isinstance(error, OSError) or error.guards
    return Problem(os.path.dirname(path), why, scope, guards)
