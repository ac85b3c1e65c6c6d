"""`PromptTemplates`: find the templates of the user, the project and zot.

A template is a file `NAME.md` in one of a few folders; the command of `FOLDER/NAME.md` below one of them is
`/FOLDER:NAME`. Nothing is read before somebody asks, and then it is read again every time: a new or changed file counts
at once.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from zot_core.skills.discover import is_folder, is_within, limit_notes, visible_entries
from zot_core.skills.front_matter import FrontMatterError
from zot_core.templates.template import CommandPrompt, PromptTemplate, read_prompt, read_template
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field

BUILTIN = os.path.join(os.path.dirname(__file__), "builtin")

TEMPLATES_LIMIT = 500
"""Maximum number of templates."""

DEPTH_LIMIT = 4
"""Maximum number of folders in a name."""

_SUFFIX = ".md"
_NAME = r"[A-Za-z0-9_.-]+"


class ExtensionPrompts(Record):
    """The templates in an extension: its name, its folder, and paths below that folder. A path leads to a template or
    to a folder of templates."""

    extension: str
    folder: str
    paths: Sequence[str]


class TemplateFile(Record):
    """A file that holds a template, by its `name` as a command. `source` is "user", "project", "builtin", or the name
    of an extension; `extension` says which is meant."""

    name: str
    path: str
    source: str
    extension: bool = False


class TemplateListing(Record):
    """The templates found, the first of each name, sorted by name. `notes` tell the user which files were left out, one
    line each."""

    found: list[PromptTemplate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class PromptTemplates:
    """The templates for work in `cwd`, an absolute path. `home` is zot's home folder, `user_home` that of the user;
    both may be empty.

    The first template of a name wins, in this order: `prompts` in `home`, `.claude/commands` in `user_home`;
    `.zot/prompts` and `.claude/commands` in `cwd`, unless `project` is false; the folders of extensions, in their
    order; the built-in templates.
    """

    def __init__(
        self,
        cwd: str,
        home: str = "",
        user_home: str = "",
        *,
        project: bool = True,
        extensions: Callable[[], Iterable[ExtensionPrompts]] = tuple,
    ) -> None:
        """`extensions` returns the templates of extensions, every time they are looked for."""
        self._places = [(place, "user") for place in _user_places(home, user_home)]
        self._places += [(place, "project") for place in _project_places(cwd)] if project else []
        self._extensions = extensions
        self._since = time.time()

    def find(self, name: str) -> TemplateFile | None:
        """Find the file of the template called `name`, ignoring case; None without one. Reads only folders."""
        wanted = name.lower()
        return next((file for file in self._files([]) if file.name.lower() == wanted), None)

    def expand(self, name: str, arguments: str = "") -> CommandPrompt | None:
        """Return the prompt for `/name arguments`; None if there is no such template.

        A template of the project that has changed since this object was made allows no calls: the person has not
        allowed the folder with that content. A template of an extension allows none either. Raises `ConfigError` if
        the file cannot be used.
        """
        file = self.find(name)
        if file is None:
            return None
        from zot_core.templates.arguments import fill  # noqa: PLC0415  2 ms, and few prompts are commands

        try:
            prompt = read_prompt(file.path)
            # After it was read: a change in between counts, too.
            if file.extension or (file.source == "project" and changed(file.path) > self._since):
                prompt.allowed_tools = []
            return prompt.replace(text=fill(prompt.text, arguments).strip(), source=f"/{file.name}")
        except FrontMatterError as error:
            raise ConfigError(f"/{file.name}: {file.path}:{error.line}: {error}") from None
        except OSError as error:
            raise ConfigError(f"/{file.name}: {file.path} cannot be read: {error.strerror}") from error

    def listing(self) -> TemplateListing:
        listing = TemplateListing()
        first: dict[str, TemplateFile] = {}
        for file in self._files(listing.notes):
            known = first.setdefault(file.name.lower(), file)
            if known is file:
                _read(file, listing)
            elif file.path != known.path and (file.extension or file.source != "builtin"):
                hidden = f"{file.path}: /{file.name} is already used by {known.path}"
                listing.notes.append(f"{hidden}; it is left out")
        listing.found.sort(key=lambda template: template.name.lower())
        limit_notes(listing.notes, "prompt templates or folders of them")
        return listing

    def _files(self, notes: list[str]) -> Iterator[TemplateFile]:
        """Yield the files that can be templates, in the order in which they count. A folder is searched once."""
        for count, file in enumerate(self._every_file(notes)):
            if count == TEMPLATES_LIMIT:
                notes.append(f"there are more than {TEMPLATES_LIMIT} prompt templates; the rest is left out")
                return
            yield file

    def _every_file(self, notes: list[str]) -> Iterator[TemplateFile]:
        seen: set[str] = set()
        for place, source in self._places:
            yield from _files_in(place, source, seen, notes)
        for each in self._extensions():
            yield from _files_of(each, seen, notes)
        yield from _files_in(BUILTIN, "builtin", seen, notes)


def project_templates(cwd: str, home: str = "", user_home: str = "") -> list[TemplateFile]:
    """Find the templates that the project in `cwd` brings, without those in folders of the user. Reads only folders."""
    seen = set(map(os.path.realpath, _user_places(home, user_home)))
    return [file for place in _project_places(cwd) for file in _files_in(place, "project", seen, [])][:TEMPLATES_LIMIT]


def _user_places(home: str, user_home: str) -> list[str]:
    places = [os.path.join(home, "prompts") if home else ""]
    return [*filter(None, places), *([os.path.join(user_home, ".claude", "commands")] if user_home else [])]


def _project_places(cwd: str) -> list[str]:
    return [os.path.join(cwd, ".zot", "prompts"), os.path.join(cwd, ".claude", "commands")]


def _files_in(
    folder: str, source: str, seen: set[str], notes: list[str], names: tuple[str, ...] = ()
) -> Iterator[TemplateFile]:
    """Yield the templates in a folder, which need not exist, then those below it; `names` are the folders above."""
    entries = visible_entries(folder, notes)
    if not entries or (real := os.path.realpath(folder)) in seen:
        return
    seen.add(real)
    folders = []
    for entry in entries:
        name, path = entry.name, entry.path
        if is_folder(entry):
            if re.fullmatch(_NAME, name) and len(names) < DEPTH_LIMIT:
                folders.append((name, path))
        elif name.endswith(_SUFFIX):
            stem = name.removesuffix(_SUFFIX)
            if not os.path.isfile(path):
                notes.append(f"{path} is not a file; it is left out")
            elif not re.fullmatch(_NAME, stem):
                notes.append(f"{path}: the name must be letters, digits, hyphens, dots, underscores; it is left out")
            else:
                yield TemplateFile(":".join((*names, stem)), path, source)
    for name, path in folders:
        yield from _files_in(path, source, seen, notes, (*names, name))


def _files_of(each: ExtensionPrompts, seen: set[str], notes: list[str]) -> Iterator[TemplateFile]:
    """Yield the templates of an extension that are in its folder."""
    root = os.path.realpath(each.folder)
    for path in each.paths:
        target = os.path.realpath(os.path.join(root, path))
        if not is_within(target, root):
            notes.append(f"extension {each.extension}: its prompt {path!r} is not in its folder; it is left out")
            continue
        name = os.path.basename(target).removesuffix(_SUFFIX)
        single = target.endswith(_SUFFIX) and os.path.isfile(target) and re.fullmatch(_NAME, name) is not None
        files = [TemplateFile(name, target, "")] if single else _files_in(target, "", seen, notes)
        found = False
        for file in files:
            found = True
            if is_within(os.path.realpath(file.path), root):
                yield file.replace(source=each.extension, extension=True)
            else:
                notes.append(f"{file.path} leads out of the extension's folder; it is left out")
        if not found:
            notes.append(f"extension {each.extension}: there is no template in its prompt {path!r}; it is left out")


def changed(path: str) -> float:
    """Return the time of the last change of a file, or of the link that leads to it."""
    found = os.stat(path), os.lstat(path)
    return max(time for each in found for time in (each.st_ctime, each.st_mtime))


def _read(file: TemplateFile, listing: TemplateListing) -> None:
    try:
        listing.found.append(read_template(file.name, file.path, file.source))
    except FrontMatterError as error:
        listing.notes.append(f"{file.path}:{error.line}: {error}; it is left out")
    except OSError as error:
        listing.notes.append(f"{file.path} cannot be read ({error.strerror}); it is left out")
