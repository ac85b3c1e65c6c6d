import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from declared import declared
from waiting import PATIENCE

import zot_ext
from zot_agent.cli import ext
from zot_agent.cli.ext.new import LANGUAGES, TEMPLATES, scaffold
from zot_ext import ExtensionLimits, load_manifest
from zot_ext.testing import check
from zot_provider.errors import ConfigError

NEEDS = {"python": (), "node": ("node",), "ts": ("pi",), "go": ("go",), "shell": ("jq",)}
RUN = [pytest.param(language, marks=pytest.mark.needs(*NEEDS[language])) for language in LANGUAGES]
"""The languages, each with what its programs need to run."""
TESTS = {
    "python": [sys.executable, "-W", "error", "test_my_ext.py"],
    "node": ["node", "--test"],
    "ts": ["node", "--test"],
    "go": ["go", "test"],
    "shell": ["./test.sh"],
}
PIPELINE = re.compile(r"^    \{\n.*?^    \} \| .*?\n", re.M | re.S)


@pytest.fixture(autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cache of Go for all tests: compiling its library takes a minute of the processor."""
    monkeypatch.setenv("GOCACHE", str(tmp_path_factory.getbasetemp().parent / "go"))


@pytest.fixture
def newer_node(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For TypeScript, the Node that runs extensions of pi, which leaves types out."""
    if language == "ts":
        node = next(declared("pi").glob("node-*/bin"))
        monkeypatch.setenv("PATH", os.pathsep.join([str(node), os.environ["PATH"]]))


@pytest.mark.usefixtures("newer_node")
@pytest.mark.parametrize("language", RUN)
def test_what_is_made_passes_its_own_test(language: str, tmp_path: Path) -> None:
    folder = scaffold("my-ext", language, str(tmp_path))
    done = subprocess.run(
        TESTS[language], cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("newer_node")
@pytest.mark.parametrize("language", RUN)
@pytest.mark.parametrize("name", ["my-ext", "X_" + "9" * 46])
def test_what_is_made_keeps_to_the_protocol(language: str, name: str, tmp_path: Path) -> None:
    patient = ExtensionLimits().longer(20)  # Go compiles first
    report = check(scaffold(name, language, str(tmp_path)), limits=patient)
    assert report.findings == ()
    assert report.commands == (name,)
    assert report.tools == (name.replace("-", "_") + "_count",)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_made_is_whole(language: str, tmp_path: Path) -> None:
    folder = Path(scaffold("my-ext", language, str(tmp_path)))
    manifest = load_manifest(folder)
    assert manifest.name == "my-ext"
    made = sorted(path.name for path in folder.iterdir())
    assert {"README.md", "extension.json"} < set(made)
    assert [path.name for path in folder.iterdir() if re.search("@[A-Z]+@", path.read_text() + path.name)] == []
    for path in folder.iterdir():
        assert os.access(path, os.X_OK) == path.read_text().startswith("#!")
    assert sorted(os.listdir(tmp_path)) == ["my-ext", "work"]


def test_every_folder_of_templates_is_a_language() -> None:
    assert sorted(path.name for path in TEMPLATES.iterdir()) == sorted(LANGUAGES)


@pytest.mark.usefixtures("newer_node")
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("language", [each for each in RUN if each.values != ("shell",)])
def test_the_pipeline_in_its_readme_drives_it(language: str, at_once: bool, tmp_path: Path) -> None:
    folder = Path(scaffold("my-ext", language, str(tmp_path)))
    (script,) = PIPELINE.findall((folder / "README.md").read_text())
    if at_once:  # as a program reads it that starts slowly
        script = re.sub(r"^ *sleep .*\n", "", script, flags=re.M)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    frames = [json.loads(line) for line in done.stdout.splitlines()]
    assert frames[-2]["display"] == "Hello Ada, this is my-ext."
    assert frames[-1] == {"type": "shutdown_ack"}


def test_without_the_python_of_zot_the_program_is_left_to_uv(tmp_path: Path) -> None:
    folder = Path(scaffold("my-ext", "python", str(tmp_path)))
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "$@"\n')
    uv.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([folder / "run"], env=path, capture_output=True, text=True, check=True)
    assert done.stdout == f"run --quiet --script {folder}/main.py\n"
    header = (folder / "main.py").read_text().split("# ///")[1]
    assert 'dependencies = ["zot-ext"]' in header


def test_it_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert ext.run.load("new").run(["my-ext", "--lang", "shell"]) == 0
    assert os.path.exists("my-ext/main.sh")
    assert "zot ext check ./my-ext" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "-x", "über", "x" * 49, "x\n", ".hidden"])
def test_a_name_that_will_not_do_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a valid name"):
        scaffold(name, "python", str(tmp_path))
    assert os.listdir(tmp_path) == ["work"]


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        with pytest.raises(ConfigError, match="already exists; nothing was changed"):
            scaffold(name, "python", str(tmp_path))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_parent_that_is_missing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot write in .*missing: No such file or directory"):
        scaffold("my-ext", "python", str(tmp_path / "missing"))


def test_an_unknown_language_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="--lang: invalid choice: 'cobol'"):
        ext.run.load("new").run(["my-ext", "--lang", "cobol"])


def environment() -> dict[str, str]:
    """As a host starts it: a Python that knows the SDK."""
    sdk = str(Path(zot_ext.__file__).parents[1])
    return {**os.environ, "ZOT_PYTHON": sys.executable, "PYTHONPATH": sdk}


def test_the_columns_of_its_readme_stand_below_each_other_whatever_its_name_is(tmp_path: Path) -> None:
    for language in LANGUAGES:
        for name in ("a", "a-much-longer-name"):
            text = (Path(scaffold(f"{name}-{language}", language, str(tmp_path))) / "README.md").read_text()
            table = [line for line in text.split("\n\n")[2].splitlines() if line.startswith("    ")]
            assert len({re.search(r"\S   *(?=\S+( \S+)*$)", line).end() for line in table}) == 1  # type: ignore[union-attr]


def test_its_readme_says_how_to_run_it_with_the_python_of_zot(tmp_path: Path) -> None:
    folder = Path(scaffold("my-ext", "python", str(tmp_path)))
    readme = (folder / "README.md").read_text()
    export = re.search(r"^    (export ZOT_PYTHON=.*)\n    (.*test_my_ext.py)$", readme, re.M)
    assert export is not None
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "zot").write_text(f"#!{sys.executable}\n")
    (programs / "zot").chmod(0o755)
    pipeline = PIPELINE.findall(readme)[0]
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": environment()["PYTHONPATH"]}
    script = "\n".join([*export.groups(), pipeline])
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"type": "shutdown_ack"}


def test_the_language_that_is_listed_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    for language in LANGUAGES:
        assert load_manifest(Path(scaffold(language, language, str(tmp_path)))).language == language
