import os
from pathlib import Path

import pytest

from zot_core.skills.discover import ENTRIES_LIMIT, NOTES_LIMIT
from zot_core.templates import PromptTemplates, project_templates
from zot_core.templates.discover import BUILTIN, TEMPLATES_LIMIT, ExtensionPrompts
from zot_core.templates.template import TEMPLATE_LIMIT
from zot_provider.errors import ConfigError


def add(place: Path, name: str, text: str | bytes = "Do it.") -> Path:
    path = place / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def text(templates: PromptTemplates, name: str, arguments: str = "") -> str:
    """What the template sends."""
    found = templates.expand(name, arguments)
    assert found is not None
    return found.text


class Folders:
    """The folders in which templates can be."""

    def __init__(self, top: Path) -> None:
        self.cwd, self.home, self.person = top / "project", top / "home", top / "person"
        self.cwd.mkdir()
        self.places = [
            self.home / "prompts",
            self.person / ".claude/commands",
            self.cwd / ".zot/prompts",
            self.cwd / ".claude/commands",
        ]

    def templates(self, *, project: bool = True) -> PromptTemplates:
        return PromptTemplates(str(self.cwd), str(self.home), str(self.person), project=project)

    def names(self, *, project: bool = True) -> list[str]:
        found = self.templates(project=project).listing().found
        return [each.name for each in found if each.source != "builtin"]

    @property
    def notes(self) -> list[str]:
        return self.templates().listing().notes


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_of_one_name_the_first_place_wins_and_the_others_are_named(folders: Folders) -> None:
    paths = [add(place, "same", f"from place {number}") for number, place in enumerate(folders.places)]
    for number, path in enumerate(paths):
        templates = folders.templates()
        assert text(templates, "same") == f"from place {number}"
        assert templates.listing().notes == [
            f"{other}: /same is already used by {path}; it is left out" for other in paths[number + 1 :]
        ]
        path.unlink()
    assert folders.templates().find("same") is None


def test_the_templates_of_a_project_that_is_not_allowed_do_not_exist(folders: Folders) -> None:
    add(folders.places[0], "mine")
    add(folders.places[2], "theirs")
    add(folders.places[3], "mine")
    assert folders.names() == ["mine", "theirs"]
    assert folders.names(project=False) == ["mine"]
    templates = folders.templates(project=False)
    assert templates.find("theirs") is None
    assert templates.listing().notes == []


def test_a_file_in_a_subfolder_is_named_after_both(folders: Folders) -> None:
    add(folders.places[3], "opsx/apply", "Apply $1.")
    add(folders.places[3], "speckit.analyze")
    add(folders.places[3], "a/b/c/d/deep")
    add(folders.places[3], "a/b/c/d/e/too-deep")
    assert folders.names() == ["a:b:c:d:deep", "opsx:apply", "speckit.analyze"]
    assert text(folders.templates(), "OPSX:apply", "it") == "Apply it."


def test_the_project_has_its_own_templates_and_not_those_of_the_user(folders: Folders) -> None:
    (folders.cwd / ".claude").symlink_to(folders.person / ".claude")
    add(folders.places[1], "mine")
    theirs = add(folders.places[2], "theirs")
    found = project_templates(str(folders.cwd), str(folders.home), str(folders.person))
    assert [(each.name, each.path) for each in found] == [("theirs", str(theirs))]
    assert folders.notes == []


def test_the_built_in_templates_are_there_and_any_other_takes_their_place(folders: Folders) -> None:
    listing = PromptTemplates(str(folders.cwd)).listing()
    assert sorted(f"{each.name}.md" for each in listing.found) == sorted(os.listdir(BUILTIN))
    assert all(each.description and each.arguments for each in listing.found)
    add(folders.places[0], "review", "My own way.")
    assert text(folders.templates(), "review") == "My own way."
    assert folders.notes == []


def test_the_built_in_review_says_what_to_review(folders: Folders) -> None:
    templates = PromptTemplates(str(folders.cwd))
    assert "What to review: feature/x\n" in text(templates, "review", "feature/x")
    assert "What to review: the changes that are not committed yet\n" in text(templates, "review")
    assert text(templates, "init", "the tests matter").endswith("\n\nthe tests matter")


def test_front_matter_describes_a_template_and_its_first_line_does_otherwise(folders: Folders) -> None:
    place = folders.places[0]
    add(place, "a", "---\ndescription: what it is\nargument-hint: [file] [line]\nmodel: opus\n---\n\nText\n")
    add(place, "b", "---\nargument-hint: [file]\n---\n\n# First *line*\n\nSecond\n")
    add(place, "c", "\ufeffHe said: it\r\nworks")
    add(place, "d", "---\ndescription:\n  - a\nargument-hint:\n  a: b\n---\nText\x1b[31m red")
    found = [each for each in folders.templates().listing().found if each.source != "builtin"]
    assert [(each.description, each.arguments, each.fields) for each in found] == [
        ("what it is", "[file] [line]", {"model": "opus"}),
        ("First *line*", "[file]", {}),
        ("He said: it", "", {}),
        ("[a]", "", {}),
    ]


def test_files_that_cannot_be_used_are_named_and_the_others_are_found(folders: Folders) -> None:
    place = folders.places[0]
    good = add(place, "good")
    add(place, "big", "x" * 10_000_000)
    add(place, "limit", "x" * TEMPLATE_LIMIT)
    add(place, "latin", "line\nGr\u00fc\u00dfe".encode("latin-1"))
    add(place, "utf16", "text".encode("utf-16"))
    add(place, "zero", "a\0b")
    add(place, "open", "---\ndescription: x\n")
    add(place, "empty", "---\ndescription: x\n---\n\n")
    add(place, "bad yaml", "x")
    add(place, "yaml", "---\n- a\n---\nText")
    os.mkfifo(place / "pipe.md")
    (place / "gone.md").symlink_to("nowhere")
    (place / "circle").symlink_to(place)
    (place / "link.md").symlink_to(good)
    (place / ".hidden.md").write_text("x")
    (place / "notes.txt").write_text("x")
    assert folders.names() == ["good", "latin", "limit", "link", "utf16"]
    assert [note.removeprefix(f"{place}/").removesuffix("; it is left out") for note in folders.notes] == [
        "bad yaml.md: the name must be letters, digits, hyphens, dots, underscores",
        "big.md:1: it is longer than 64 KiB",
        "empty.md:4: it has no text",
        "gone.md is not a file",
        "open.md:1: the front matter has no end: a line --- is missing",
        "pipe.md is not a file",
        "yaml.md:2: the front matter has no fields: write lines such as name: value",
        "zero.md:1: it looks binary",
    ]
    with pytest.raises(ConfigError, match=r"^/zero: .*zero\.md:1: it looks binary$"):
        folders.templates().expand("zero")
    assert folders.templates().expand("utf16").text == "text"


@pytest.mark.parametrize("field", ["disallowed-tools: Bash", "sandbox: on", "hooks: {PreToolUse: [x]}"])
def test_a_template_with_a_field_that_forbids_something_is_left_out(folders: Folders, field: str) -> None:
    add(folders.places[0], "a", f"---\n{field}\n---\nDo it.")
    (note,) = folders.notes
    assert note.endswith("; it is left out")
    assert folders.names() == []


def test_there_is_a_limit_on_templates_and_on_the_entries_of_a_folder(folders: Folders) -> None:
    for number in range(TEMPLATES_LIMIT + 1):
        add(folders.places[0], f"t{number}")
    for number in range(ENTRIES_LIMIT + 1):
        add(folders.places[1], f"u{number}")
    assert len(folders.names()) == TEMPLATES_LIMIT
    assert f"there are more than {TEMPLATES_LIMIT} prompt templates; the rest is left out" in folders.notes
    for path in folders.places[0].iterdir():
        path.unlink()
    assert f"{folders.places[1]} has more than {ENTRIES_LIMIT} entries; the rest is left out" in folders.notes


def test_many_unusable_templates_are_counted(folders: Folders) -> None:
    for number in range(NOTES_LIMIT + 3):
        add(folders.places[0], f"t{number:02}", "\0")
    assert len(folders.notes) == NOTES_LIMIT + 1
    assert folders.notes[-1] == "3 more prompt templates or folders of them are left out"


GRANTING = "---\nmodel: opus\nallowed-tools: Bash(git status:*), Read\n---\nCommit it.\n"


def test_a_template_names_its_model_and_the_calls_that_it_allows(folders: Folders) -> None:
    add(folders.places[0], "mine", GRANTING)
    add(folders.places[2], "ours", GRANTING)
    templates = folders.templates()
    for name in ("mine", "ours"):
        prompt = templates.expand(name)
        assert prompt is not None
        assert (prompt.model, prompt.allowed_tools) == ("opus", ["Bash(git status:*)", "Read"])
        assert prompt.source == f"/{name}"


def test_a_template_of_the_project_that_was_changed_since_it_was_allowed_allows_no_calls(folders: Folders) -> None:
    templates = folders.templates()
    for name, place in (("mine", folders.places[0]), ("ours", folders.places[2])):
        os.utime(add(place, name, GRANTING), (4e9, 4e9))  # the clock of files may be behind by some milliseconds
    mine, ours = templates.expand("mine"), templates.expand("ours")
    assert mine is not None
    assert ours is not None
    assert mine.allowed_tools == ["Bash(git status:*)", "Read"]
    assert (ours.model, ours.allowed_tools) == ("opus", [])


def test_a_template_of_the_project_that_became_a_link_allows_no_calls(folders: Folders) -> None:
    other, path = add(folders.cwd, "other", GRANTING), add(folders.places[2], "ours")
    templates = folders.templates()
    path.unlink()
    path.symlink_to(other)
    os.utime(path, (4e9, 4e9), follow_symlinks=False)
    ours = templates.expand("ours")
    assert ours is not None
    assert (ours.model, ours.allowed_tools) == ("opus", [])


def test_extensions_bring_templates_in_their_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "ext"
    add(folder, "one", "One.")
    add(folder / "more", "two", "Two.")
    add(tmp_path, "outside")
    (folder / "more" / "link.md").symlink_to(tmp_path / "outside.md")
    brought = ExtensionPrompts("ext", str(folder), ["one.md", "more", "../outside.md", "missing"])
    templates = PromptTemplates(str(tmp_path / "project"), extensions=lambda: [brought])
    listing = templates.listing()
    assert {each.name: each.source for each in listing.found if each.source == "ext"} == {"one": "ext", "two": "ext"}
    assert text(templates, "two") == "Two."
    assert [line for line in listing.notes if "is not in its folder" in line]
    assert [line for line in listing.notes if "leads out of the extension's folder" in line]
    assert [line for line in listing.notes if "there is no template in its prompt 'missing'" in line]
