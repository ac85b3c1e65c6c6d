import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from full_disk import full_disk

from zot_agent.cli.ext import run
from zot_agent.cli.ext.folder.staging import copied_from, folder_name
from zot_provider.errors import ConfigError


class Cli:
    """Runs `zot ext` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path) -> None:
        self._capsys = capsys
        self.place = home / "extensions"

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """What it prints; with another exit code than 0 the line on standard error."""
        given = run(arguments)
        out, err = self._capsys.readouterr()
        assert given == code, out + err
        if code == 0:
            assert err == ""
            return out
        assert err.startswith("zot: ")
        assert err.count("\n") == 1
        return err[5:-1]

    @property
    def there(self) -> list[str]:
        """All that is in the folder of the extensions, also what should not."""
        return sorted(os.listdir(self.place)) if self.place.exists() else []


@pytest.fixture
def ext(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    return Cli(capsys, tmp_path / "zot-home")


def write(folder: Path, **fields: Any) -> Path:
    """An extension that can be run."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"name": folder.name, "version": "1.0.0", "exec": "./run", **fields}
    (folder / "extension.json").write_text(json.dumps(fields, indent=2) + "\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True, capture_output=True
    )


def repository(folder: Path, **fields: Any) -> str:
    """The URL of a repository with an extension in it."""
    write(folder, **fields)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "one")
    return f"file://{folder}"


def test_a_folder_is_copied_with_what_can_be_run_in_it(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "weather", description="current weather", args=["--fast"])
    (source / "node_modules" / ".bin").mkdir(parents=True)
    (source / "node_modules" / "x.js").touch()
    (source / "node_modules" / ".bin" / "x").symlink_to("../x.js")
    (source / ".git").mkdir()
    (source / ".git" / "config").touch()
    out = ext("install", str(source))
    target = ext.place / "weather"
    assert out == (
        "weather 1.0.0: current weather\n"
        "  runs       ./run --fast\n"
        "  may        do everything that you can: use your files, programs and network, see and change what zot does\n"
        f"installed in {target}\n"
    )
    assert os.access(target / "run", os.X_OK)
    assert os.readlink(target / "node_modules" / ".bin" / "x") == "../x.js"
    assert not (target / ".git").exists()
    assert copied_from(str(target)) == str(source)
    assert ext.there == ["weather"]


def test_what_a_theme_is_shown_by_is_told(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "solar", exec="", description="warm and low")
    (source / "theme.json").write_text("{}")
    assert ext("install", str(source)) == (
        "solar 1.0.0: warm and low\n"
        "  runs       nothing\n"
        "  theme      /theme solar\n"
        f"installed in {ext.place / 'solar'}\n"
    )


def test_a_theme_that_cannot_be_used_is_told(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "solar", exec="")
    (source / "theme.json").write_text('{"accent": "nope"}')
    assert ext("install", str(source)).splitlines()[-1] == (
        f"theme '{ext.place / 'solar' / 'theme.json'}': 'accent': 'nope' is not a colour: "
        "use 0 to 255, '#rgb', '#rrggbb' or 'default'"
    )


def test_the_working_directory_is_called_by_its_own_name(
    ext: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path / "weather"))
    ext("install", ".")
    assert ext.there == ["weather"]


def test_an_extension_can_be_installed_for_the_project_alone(ext: Cli, tmp_path: Path, alone: Path) -> None:
    write(tmp_path / "weather")
    ext("install", "~/weather", "--project")
    assert ext.there == []
    assert (alone / ".zot" / "extensions" / "weather" / "run").exists()


def test_nothing_is_overwritten(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "weather")
    ext("install", str(source))
    write(source, version="2.0.0")
    said = ext("install", str(source), code=2)
    assert said.endswith("weather already exists; run zot ext remove weather first")
    assert json.loads((ext.place / "weather" / "extension.json").read_text())["version"] == "1.0.0"


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (None, "there is no extension.json in it"),
        ("[]", "extension.json: not a JSON object"),
        ("{", "extension.json: not valid JSON"),
        ('{"name": "a"}', "extension.json: field 'exec' is missing or empty"),
    ],
)
def test_a_folder_without_a_manifest_that_can_be_used_leaves_nothing(
    ext: Cli, tmp_path: Path, manifest: str | None, words: str
) -> None:
    source = tmp_path / "a"
    source.mkdir()
    if manifest is not None:
        (source / "extension.json").write_text(manifest)
    assert ext("install", str(source), code=2).startswith(f"{source}: {words}")
    assert ext.there == []


@pytest.mark.parametrize("link", ["../secret", "/etc/passwd", "inner/../../secret"])
def test_a_link_that_leads_out_is_refused_and_leaves_nothing(ext: Cli, tmp_path: Path, link: str) -> None:
    source = write(tmp_path / "a")
    (tmp_path / "secret").touch()
    (source / "inner").mkdir()
    (source / "inner" / "data").symlink_to(link if link.startswith("/") else f"../{link}")
    assert ext("install", str(source), code=2) == "inner/data is a link that leads out of the extension's folder"
    assert ext.there == []


def test_a_link_that_would_lead_back_to_the_source_is_refused(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "a")
    (source / "data").symlink_to(source / "run")
    assert ext("install", str(source), code=2) == "data is a link that leads out of the extension's folder"


def test_what_is_no_file_is_left_out_and_told(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "a")
    os.mkfifo(source / "pipe")
    assert "  omitted    pipe: not a file\n" in ext("install", str(source))
    assert sorted(os.listdir(ext.place / "a")) == [".zot-source.json", "extension.json", "run"]


def test_a_folder_that_holds_the_extensions_is_not_copied_into_itself(
    ext: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path / "a"))
    assert "contains the folder of the extensions" in ext("install", ".", "--project", code=2)


def test_a_copy_that_fails_leaves_nothing(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "a")
    (source / "large").write_bytes(bytes(1 << 20))
    with full_disk(1 << 18):
        assert ext("install", str(source), code=2) == f"cannot copy {source}/large: File too large"
    assert ext.there == []


def test_what_is_neither_a_folder_nor_a_url_is_told(ext: Cli, alone: Path) -> None:
    assert ext("install", "weather", code=2).startswith("there is no folder weather; a git URL begins with https")
    (alone / "weather").touch()
    assert ext("install", "weather", code=2).startswith("weather is a file; an extension is a folder")
    assert ext("install", code=2).endswith("see zot ext install --help")


@pytest.mark.parametrize(
    ("file", "content", "fields", "command"),
    [
        ("go.mod", "", {"exec": "./weather"}, "go build -o weather ."),
        ("Cargo.toml", "", {"exec": "./target/release/a"}, "cargo build --release"),
        ("pyproject.toml", "", {"exec": ".venv/bin/a"}, "uv sync"),
        ("Makefile", "", {"exec": "./weather"}, "make"),
        ("package.json", '{"scripts": {"build": "tsc"}}', {"exec": "./dist/x"}, "npm run build"),
        ("package.json", '{"dependencies": {"x": "1"}}', {"exec": "node", "args": ["run"]}, "npm install"),
        (
            "package.json",
            '{"dependencies": {"x": "1"}, "scripts": {"build": "tsc"}}',
            {"exec": "./dist/x"},
            "npm install && npm run build",
        ),
    ],
)
def test_what_has_to_be_built_is_said_and_not_done(
    ext: Cli, tmp_path: Path, file: str, content: str, fields: dict[str, Any], command: str
) -> None:
    source = write(tmp_path / "an ext", **fields)
    (source / file).write_text(content)
    out = ext("install", str(source))
    assert out.endswith(f"it must be built first: cd '{ext.place / 'an ext'}' && {command}\n")


def test_a_program_that_is_not_there_is_told(ext: Cli, tmp_path: Path) -> None:
    out = ext("install", str(write(tmp_path / "a", exec="./gone")))
    assert "exec './gone' is not there" in out.splitlines()[-1]


def test_a_name_that_is_taken_is_told(ext: Cli, tmp_path: Path) -> None:
    ext("install", str(write(tmp_path / "a", name="weather")))
    out = ext("install", str(write(tmp_path / "b", name="weather")))
    assert out.endswith(f"{ext.place / 'b'} does not run, because {ext.place / 'a'} has the same name\n")


def test_what_a_manifest_says_cannot_reach_the_terminal(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "a", description="x\x1b[2J\nrm \ud800", args=["\x1b]0;title\x07"])
    out = ext("install", str(source))
    assert "\x1b[2J" not in out
    assert "\x07" not in out
    assert out.startswith("a 1.0.0: x rm �\n")


def test_a_clone_needs_consent_where_nobody_can_be_asked(ext: Cli, tmp_path: Path) -> None:
    url = repository(tmp_path / "origin" / "weather")
    assert ext("install", url, code=2) == (
        "an extension from a URL runs with your rights; there is no terminal to ask on, so confirm it with --yes"
    )
    assert ext.there == []


def test_a_program_outside_of_the_folder_is_named(ext: Cli, tmp_path: Path) -> None:
    source = write(tmp_path / "a", exec="../other/run")
    outside = os.path.realpath(ext.place / "other" / "run")
    assert f"  outside    {outside}, which is not part of the extension\n" in ext("install", str(source))
    assert f"(runs {outside}, outside its folder)" in ext("list")


def test_yes_lets_a_clone_run_also_where_its_author_did_not(ext: Cli, tmp_path: Path) -> None:
    url = repository(tmp_path / "origin" / "weather", enabled=False)
    assert ext("install", url, "--yes").endswith(f"installed in {ext.place / 'weather'}\n")
    assert json.loads((ext.place / "weather" / "extension.json").read_text())["enabled"] is True


def test_a_clone_that_is_no_extension_leaves_nothing(ext: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "origin" / "a"
    url = repository(folder)
    git(folder, "rm", "--quiet", "extension.json")
    git(folder, "commit", "--quiet", "-m", "two")
    assert ext("install", url, "--yes", code=2) == f"{url}: there is no extension.json in it"
    assert ext.there == []
    (folder / "out").symlink_to("../..")
    write(folder)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "three")
    assert ext("install", url, "--yes", code=2) == "out is a link that leads out of the extension's folder"
    assert ext.there == []


def test_a_path_of_this_machine_is_a_source_of_git_too(ext: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "origin" / "weather"
    repository(folder)
    git(folder, "tag", "v1")
    assert ext("install", f"git:{folder}@v1", "--yes").endswith(f"installed in {ext.place / 'weather'}\n")


def test_a_folder_beats_a_url(ext: Cli, alone: Path) -> None:
    write(alone / "weather.git", name="weather")
    ext("install", "weather.git")
    assert ext.there == ["weather.git"]


def test_a_url_that_leads_nowhere_is_told_in_gits_words(ext: Cli, tmp_path: Path) -> None:
    said = ext("install", f"file://{tmp_path}/nowhere", "--yes", code=2)
    assert said.startswith("git clone: ")
    assert "nowhere" in said
    assert ext.there == []


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h/me/weather", "weather"),
        ("https://h/me/weather.git/", "weather"),
        ("https://h/me/weather.git?x=1#y", "weather"),
        ("git@h:weather.git", "weather"),
        ("ssh://git@h:22/me/weather", "weather"),
    ],
)
def test_the_folder_of_a_clone_is_the_last_part_of_its_url(url: str, name: str) -> None:
    assert folder_name(url, url=True) == name


@pytest.mark.parametrize(
    "url", ["https://h/..", "https://h/.", "https://h/.git", "git@h:..", "https://h/.x", "file://"]
)
def test_a_url_cannot_name_a_folder_elsewhere(url: str) -> None:
    with pytest.raises(ConfigError, match="is not a valid name for the folder of an extension"):
        folder_name(url, url=True)
