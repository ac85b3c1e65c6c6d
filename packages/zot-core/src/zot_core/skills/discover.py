"""Find skills in the folders of the project, the user, extensions and zot.

A skill is a folder with a `SKILL.md`. The subfolders of each place are searched in order of their names. If a subfolder
is not a skill, its own subfolders are searched, and the folders in its `skills`, so that a collection can be cloned
there as a whole. The skills in collections come after all others of the same source.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence

from zot_core.skills.cache import SkillCache
from zot_core.skills.front_matter import FrontMatterError
from zot_core.skills.skill import NAME, Skill, read_skill
from zot_provider.record import Record, field

BUILTIN = os.path.join(os.path.dirname(__file__), "builtin")

SKILLS_LIMIT = 500
"""Maximum number of skills."""

ENTRIES_LIMIT = 1000
"""Maximum number of entries read from one folder."""

NOTES_LIMIT = 20
"""Maximum number of notes about files that were left out."""

COLLECTED = "skills"
"""The folder in a collection that holds its skills."""


class ExtensionSkills(Record):
    """The skills in an extension: its name, its folder, and paths below that folder. A path leads to a `SKILL.md`, to
    the folder of one, or to a folder of such folders."""

    extension: str
    folder: str
    paths: Sequence[str]


class Skills(Record):
    """The skills found, the first of each name. `notes` tell the user which files were left out, one line each."""

    found: list[Skill] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def get(self, name: str) -> Skill | None:
        return next((skill for skill in self.found if skill.name == name), None)


def find_skills(
    cwd: str,
    home: str = "",
    user_home: str = "",
    extension_skills: Iterable[ExtensionSkills] = (),
    *,
    project: bool = True,
    cache: str = "",
) -> Skills:
    """Find the skills for work in `cwd`, an absolute path. `home` is zot's home folder, `user_home` that of the user;
    both may be empty.

    The first skill of a name wins, in this order: `skills` in `home`, `.claude/skills` and `.agents/skills` in
    `user_home`; `.zot/skills`, `.claude/skills` and `.agents/skills` in `cwd`, unless `project` is false; extensions;
    the built-in skills. A note says which skills of the project are hidden by the user's own. `cache` is the path of a
    file for the metadata of the skills found, so that the next search reads only what has changed.
    """
    search = _SkillSearch(SkillCache(cache))
    search.look_in(_user_places(home, user_home), "user")
    search.look_in(_project_places(cwd) if project else (), "project")
    for each in extension_skills:
        search.look_in_extension(each)
    search.look_in([BUILTIN], "builtin")
    search.cache.save()
    limit_notes(search.skills.notes, "skills or folders of skills")
    return search.skills


def project_skills(cwd: str, home: str = "", user_home: str = "", *, cache: str = "") -> list[Skill]:
    """Find the skills that the project in `cwd` brings, without those in folders of the user; `cache` as in
    `find_skills`, which writes it."""
    search = _SkillSearch(SkillCache(cache))
    search.leave_out(_user_places(home, user_home))
    search.look_in(_project_places(cwd), "project")
    return search.skills.found


def _user_places(home: str, user_home: str) -> list[str]:
    folders = [home, *(os.path.join(user_home, name) if user_home else "" for name in (".claude", ".agents"))]
    return [os.path.join(folder, "skills") for folder in folders if folder]


def _project_places(cwd: str) -> list[str]:
    return [os.path.join(cwd, name, "skills") for name in (".zot", ".claude", ".agents")]


class _Found(Record):
    """The first skill of a name: its file, and the place and the source that it was found in."""

    path: str
    place: str
    source: str


class _SkillSearch:
    """One search for skills. A file that can be reached in several ways is read once."""

    def __init__(self, cache: SkillCache) -> None:
        self.skills = Skills()
        self.cache = cache
        self._first: dict[str, _Found] = {}
        self._places: set[str] = set()
        self._seen: set[tuple[int, int]] = set()

    def leave_out(self, places: Iterable[str]) -> None:
        """Do not search these places."""
        self._places.update(map(os.path.realpath, places))

    def look_in(self, places: Iterable[str], source: str) -> None:
        """Add all skills in these places, which need not exist: first those in the places themselves, then those in
        collections. A folder that was searched before is passed over."""
        collections = []
        for place in places:
            if (real := os.path.realpath(place)) not in self._places:
                self._places.add(real)
                collections += [(place, folder) for folder in self._without_skill(place, source, place)]
        for place, folder in collections:
            for below in self._without_skill(folder, source, place):
                if os.path.basename(below) == COLLECTED:
                    list(self._without_skill(below, source, place))

    def _without_skill(self, folder: str, source: str, place: str) -> Iterator[str]:
        """Add the skills that subfolders are, and yield the other subfolders."""
        for below in self._folders(folder):
            if not self._add(os.path.join(below, NAME), source, place):
                yield below

    def look_in_extension(self, each: ExtensionSkills) -> None:
        """Add the skills named by an extension's manifest, unless they are outside its folder."""
        root = os.path.realpath(each.folder)
        for path in each.paths:
            target = os.path.realpath(os.path.join(root, path))
            if not is_within(target, root):
                self._skip(f"extension {each.extension}: its skill {path!r} is not in its folder")
                continue
            file = target if os.path.basename(target) == NAME else os.path.join(target, NAME)
            if self._add(file, each.extension, root, inside=root):
                continue
            below = [os.path.join(folder, NAME) for folder in self._folders(target)]
            if not any([self._add(file, each.extension, root, inside=root) for file in below]):
                self._skip(f"extension {each.extension}: there is no {NAME} in its skill {path!r}")

    def _add(self, path: str, source: str, place: str, *, inside: str = "") -> bool:
        """Add the skill in a file. Return whether the file exists, valid or not."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            if not os.path.islink(path):
                return False
            self._skip(f"{path} is a broken link")
            return True
        except OSError as error:
            self._skip(f"{path} cannot be read ({error.strerror})")
            return True
        if (found.st_dev, found.st_ino) in self._seen:
            return True
        self._seen.add((found.st_dev, found.st_ino))
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would block
            self._skip(f"{path} is not a file")
        elif inside and not is_within(os.path.realpath(path), inside):
            self._skip(f"{path} leads out of the extension's folder")
        else:
            self._read(path, found, source, place, re.sub(r"[^A-Za-z0-9_.-]", "-", source) + ":" if inside else "")
        return True

    def _read(self, path: str, found: os.stat_result, source: str, place: str, prefix: str) -> None:
        if len(self._first) >= SKILLS_LIMIT:
            note = f"there are more than {SKILLS_LIMIT} skills; the rest is left out"
            if note not in self.skills.notes:
                self.skills.notes.append(note)
            return
        try:
            skill = self.cache.get(path, found, source, prefix)
            if skill is None:
                skill = read_skill(path, source, prefix)
                if source != "builtin":  # who has no skills needs no file
                    self.cache.put(skill, found, prefix)
        except FrontMatterError as error:
            self._skip(f"{path}:{error.line}: {error}")
            return
        except OSError as error:
            self._skip(f"{path} cannot be read ({error.strerror})")
            return
        first = self._first.setdefault(skill.name, _Found(path, place, source))
        if first.path == path:
            self.skills.found.append(skill)
        elif first.place == place:  # in two places of the user it is intended
            self._skip(f"{path}: its name {skill.name} is already used by {first.path}")
        elif source == "project" and first.source == "user":
            self._skip(f"{path}: you have a skill {skill.name} of your own, {first.path}")

    def _folders(self, place: str) -> Iterator[str]:
        """Yield the subfolders of a folder, sorted, including links to folders, but not hidden ones or
        `node_modules`."""
        for entry in visible_entries(place, self.skills.notes):
            if entry.name != "node_modules" and is_folder(entry):
                yield entry.path

    def _skip(self, note: str) -> None:
        self.skills.notes.append(f"{note}; it is left out")


def visible_entries(folder: str, notes: list[str]) -> "list[os.DirEntry[str]]":
    """Return what is in a folder, sorted by name, without hidden entries; nothing if the folder does not exist. A note
    is added for what is left out."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number == ENTRIES_LIMIT:
                    notes.append(f"{folder} has more than {ENTRIES_LIMIT} entries; the rest is left out")
                    break
                if not entry.name.startswith("."):
                    found.append(entry)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        notes.append(f"{folder} cannot be read ({error.strerror}); it is left out")
        return []
    return sorted(found, key=lambda entry: entry.name)


def is_folder(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


def limit_notes(notes: list[str], what: str) -> None:
    """Keep the first `NOTES_LIMIT` notes, and count the others, which are about `what`."""
    if len(notes) > NOTES_LIMIT:
        notes[NOTES_LIMIT:] = [f"{len(notes) - NOTES_LIMIT} more {what} are left out"]


def is_within(path: str, folder: str) -> bool:
    """Return whether a real path is below a real folder."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)
