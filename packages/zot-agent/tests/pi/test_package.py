"""What a package written for pi brings."""

import json
import os
from pathlib import Path

import pytest

from zot_agent.pi.package import read_pi_folder, read_pi_package
from zot_ext.manifest import Manifest, ManifestError, parse_manifest


def make(folder: Path, package: object = None, **files: str) -> Path:
    """Write a package: its `package.json`, and files by their paths with `__` for `/` and `_dot_` for `.`."""
    folder.mkdir(parents=True, exist_ok=True)
    if package is not None:
        (folder / "package.json").write_text(json.dumps(package))
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def entries(folder: Path, *, bare: bool = False) -> list[str] | None:
    package = read_pi_package(str(folder), bare=bare)
    return None if package is None else [os.path.relpath(path, folder) for path in package.entries]


def test_a_file_is_an_extension_with_the_name_of_the_file(tmp_path: Path) -> None:
    make(tmp_path, hello_dot_ts="")
    found = read_pi_package(str(tmp_path / "hello.ts"))
    assert found is not None
    assert (found.manifest.name, found.entries) == ("hello", (str(tmp_path / "hello.ts"),))
    make(tmp_path / "snake", index_dot_ts="")
    found = read_pi_package(str(tmp_path / "snake" / "index.ts"))
    assert found is not None
    assert found.manifest.name == "snake"


@pytest.mark.parametrize("member", ["pi", "atomic"])
def test_a_package_names_its_parts_in_its_package_json(tmp_path: Path, member: str) -> None:
    parts = {"extensions": ["./src/a.ts"], "skills": ["./skills"], "prompts": ["prompts/*.md"], "themes": ["gone"]}
    package = {"name": "@acme/tools", "version": "1.2", "description": "Tools.", member: parts}
    make(tmp_path, package, src__a_dot_ts="", skills__x__SKILL_dot_md="", prompts__p_dot_md="", prompts__n_dot_txt="")
    found = read_pi_package(str(tmp_path))
    assert found is not None
    manifest = found.manifest
    assert (manifest.name, manifest.version, manifest.description) == ("acme-tools", "1.2", "Tools.")
    assert (manifest.skills, manifest.prompts, manifest.themes) == (("skills",), ("prompts/p.md",), ())
    assert entries(tmp_path) == ["src/a.ts"]
    assert manifest.remember


def test_a_folder_among_the_extensions_brings_what_is_in_it(tmp_path: Path) -> None:
    files = {"ext__b_dot_ts": "", "ext__a_dot_js": "", "ext__types_dot_d_dot_ts": "", "ext__notes_dot_md": ""}
    make(tmp_path, {"name": "x", "pi": {"extensions": ["ext"]}}, **files, ext__deep__index_dot_ts="")
    make(tmp_path / "ext" / "inner", {"pi": {"extensions": ["main.ts"]}}, main_dot_ts="")
    assert entries(tmp_path) == ["ext/a.js", "ext/b.ts", "ext/deep/index.ts", "ext/inner/main.ts"]


def test_patterns_choose_and_leave_out_extensions(tmp_path: Path) -> None:
    make(tmp_path, {"pi": {"extensions": ["ext/*.ts", "!ext/old*.ts"]}}, ext__a_dot_ts="", ext__old1_dot_ts="")
    assert entries(tmp_path) == ["ext/a.ts"]


def test_the_keyword_is_enough_for_a_package_with_the_usual_folders(tmp_path: Path) -> None:
    make(tmp_path, {"name": "x", "keywords": ["pi-package"]}, extensions__a_dot_ts="", themes__t_dot_json="{}")
    assert entries(tmp_path) == ["extensions/a.ts"]
    found = read_pi_package(str(tmp_path))
    assert found is not None
    assert found.manifest.themes == ("themes",)


def test_an_index_is_enough_only_for_a_folder_that_the_person_names(tmp_path: Path) -> None:
    make(tmp_path, {"name": "a-program-of-node"}, index_dot_js="")
    assert entries(tmp_path) is None
    assert entries(tmp_path, bare=True) == ["index.js"]


def test_the_usual_folders_are_enough_for_a_folder_that_the_person_names(tmp_path: Path) -> None:
    make(tmp_path, {"name": "mine"}, extensions__a_dot_ts="", prompts__p_dot_md="")
    assert entries(tmp_path) is None
    assert entries(tmp_path, bare=True) == ["extensions/a.ts"]
    found = read_pi_package(str(tmp_path), Manifest("mine", pi=(".",)))
    assert found is not None
    assert (found.manifest.prompts, [*found.entries]) == (("prompts",), [str(tmp_path / "extensions" / "a.ts")])


@pytest.mark.parametrize(
    ("package", "why"),
    [
        ({"pi": {"extensions": ["./gone.ts"]}}, "there is no ./gone.ts, which it names as an extension"),
        ({"pi": {"extensions": "x"}}, "'extensions' must be a list of paths"),
        ({"pi": {"skills": [1]}}, "'skills' must be a list of paths"),
        ([], "expected an object"),
    ],
)
def test_a_bad_package_json_is_said_in_one_line(tmp_path: Path, package: object, why: str) -> None:
    make(tmp_path, package)
    with pytest.raises(ManifestError, match=why) as raised:
        read_pi_package(str(tmp_path))
    assert "\n" not in str(raised.value)


def test_a_package_json_that_is_no_json_is_said(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{")
    with pytest.raises(ManifestError, match=r"package\.json: cannot be read"):
        read_pi_package(str(tmp_path))


def test_a_manifest_names_packages_files_and_folders_below_it(tmp_path: Path) -> None:
    make(
        tmp_path / "node_modules" / "p",
        {"pi": {"extensions": ["a.ts"], "skills": ["s"]}},
        a_dot_ts="",
        s__SKILL_dot_md="",
    )
    make(tmp_path, own_dot_ts="", more__m_dot_ts="")
    manifest = parse_manifest(json.dumps({"name": "mine", "pi": ["node_modules/p", "own.ts", "more"], "skills": ["o"]}))
    found = read_pi_package(str(tmp_path), manifest)
    assert found is not None
    assert [os.path.relpath(path, tmp_path) for path in found.entries] == [
        "node_modules/p/a.ts",
        "own.ts",
        "more/m.ts",
    ]
    assert found.manifest.skills == ("o", "node_modules/p/s")
    with pytest.raises(ManifestError, match="there is no gone in the folder"):
        read_pi_package(str(tmp_path), Manifest("mine", pi=("gone",)))
    with pytest.raises(ManifestError, match="'exec' and 'pi' cannot both"):
        parse_manifest('{"name": "mine", "exec": "./x", "pi": ["a.ts"]}')


def test_a_folder_of_pi_itself_has_the_usual_folders(tmp_path: Path) -> None:
    assert read_pi_folder(str(tmp_path), "pi-agent") is None
    make(tmp_path, extensions__a_dot_ts="", prompts__p_dot_md="")
    found = read_pi_folder(str(tmp_path), "pi-agent")
    assert found is not None
    assert (found.manifest.name, found.manifest.prompts) == ("pi-agent", ("prompts",))
    assert found.entries == (str(tmp_path / "extensions" / "a.ts"),)
