"""The skills of `examples/skills`, and the programs that the built-in skills tell a model to write."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from declared import declared
from waiting import PATIENCE

from zot_core.skills import Skill, expand, find_skills
from zot_core.skills.section import DESCRIPTION_LIMIT
from zot_ext import TextBlock, parse_manifest
from zot_ext.protocol import FROM_EXTENSION, FROM_HOST
from zot_ext.testing import FakeHost

ROOT = Path(__file__).parents[2]
SKILLS = ROOT / "examples" / "skills"
NAMES = sorted(path.parent.name for path in SKILLS.glob("*/SKILL.md"))
BUILTIN = {skill.name: skill for skill in find_skills("/").found}


def blocks(language: str) -> list[str]:
    text = Path(BUILTIN["write-zot-extension"].path).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def environment() -> dict[str, str]:
    """As a host starts extensions: a Python that knows the SDK by its path alone."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "packages" / "zot-ext" / "src")}


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def with_host(path: Path, use: Callable[[FakeHost], None]) -> None:
    """Start the program and have a host for it."""
    with subprocess.Popen(
        [str(path)], cwd=path.parent, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            with FakeHost(process) as host:
                use(host)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert host.noise == []


def counts_words(host: FakeHost) -> None:
    assert host.tools["count_words"].schema.value["required"] == ["text"]
    for text, count in (("one two three", "3"), ('it\'s "quoted" \\n ünd\nso on', "6"), ("", "0")):
        (block,) = host.tool("count_words", {"text": text}).content
        assert isinstance(block, TextBlock)
        assert block.text == count
    answer = host.command("count", 'my "notes".txt')
    assert (answer.action, answer.error) == ("prompt", "")
    assert answer.prompt == 'Count the words of my "notes".txt with the tool count_words.'
    assert host.command("count").action == "prompt"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_found_where_its_page_says_to_put_it(name: str, tmp_path: Path) -> None:
    shutil.copytree(SKILLS / name, tmp_path / ".zot" / "skills" / name)
    skills = find_skills(str(tmp_path))
    assert skills.notes == []
    found = skills.get(name)
    assert found is not None
    assert found.source == "project"
    assert "$ARGUMENTS" not in expand(found, "main")
    assert "main" in expand(found, "main")


def test_every_example_stands_in_the_list() -> None:
    listed = re.findall(r"^\| \[([\w-]+)\]\(\1/SKILL\.md\)", (SKILLS / "README.md").read_text("utf-8"), re.M)
    assert listed == NAMES


@pytest.mark.parametrize("path", [*SKILLS.glob("*/SKILL.md"), *(Path(each.path) for each in BUILTIN.values())], ids=str)
def test_our_own_skills_keep_to_the_standard(path: Path) -> None:
    skill: Skill | None = find_skills(str(path.parents[2])).get(path.parent.name) or BUILTIN.get(path.parent.name)
    text = path.read_text("utf-8")
    (name,) = re.findall(r"^name: (.+)$", text, re.M)
    (description,) = re.findall(r"^description: (.+)$", text, re.M)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert name == path.parent.name
    assert len(description) <= DESCRIPTION_LIMIT
    assert len(text.splitlines()) < 500
    assert skill is None or skill.description == description


def test_the_script_of_the_changelog_skill_lists_commits_since_the_last_tag(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def commit(name: str) -> None:
        (tmp_path / name).touch()
        git("add", name)
        git("commit", "-m", f"Add {name}")

    def listed(*arguments: str) -> list[str]:
        script = str(SKILLS / "write-changelog" / "commits.sh")
        done = subprocess.run(
            ["sh", script, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=PATIENCE
        )
        return [line.partition(" ")[2] or line for line in done.stdout.splitlines() if line]

    git("init")
    commit("first")
    assert listed() == ["HEAD", "Add first", "first"]
    git("tag", "v1")
    commit("second")
    commit("third")
    assert listed() == ["v1..HEAD", "Add second", "second", "Add third", "third"]
    assert listed("HEAD~1") == ["HEAD~1..HEAD", "Add third", "third"]


def test_the_extension_of_the_built_in_skill_works_and_so_does_its_test(tmp_path: Path) -> None:
    extension, test, _ = blocks("python")
    path = program(tmp_path, "words.py", extension)
    program(tmp_path, "test_words.py", test)

    with_host(path, counts_words)
    done = subprocess.run(
        [sys.executable, "-W", "error", "test_words.py"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def guards(host: FakeHost) -> None:
        assert host.intercept_call("bash", {"command": "sudo ls"}).block
        assert not host.intercept_call("bash", {"command": "ls"}).block
        assert host.intercept_call("bash", {}).block  # it fails, and so it refuses
        (block,) = host.tool("count_words", {"text": "a bb ccc", "longer_than": 1}).content
        assert isinstance(block, TextBlock)
        assert block.text == "2"
        assert "longer_than" in str(host.tools["count_words"].schema.value["properties"])

    with_host(path, guards)


def test_the_built_in_skill_names_every_frame() -> None:
    text = Path(BUILTIN["write-zot-extension"].path).read_text("utf-8")
    assert [frame.type for frame in (*FROM_EXTENSION, *FROM_HOST) if f"`{frame.type}`" not in text] == []


JAVASCRIPT, BASH = pytest.mark.needs("node"), pytest.mark.needs("jq")


@pytest.mark.parametrize(
    "language", ["python", pytest.param("javascript", marks=JAVASCRIPT), pytest.param("bash", marks=BASH)]
)
def test_the_programs_without_the_sdk_are_short_and_do_the_same(language: str, tmp_path: Path) -> None:
    text = blocks(language)[-1]
    assert len(text.splitlines()) <= 32
    assert "zot_ext" not in text
    with_host(program(tmp_path, "words", text), counts_words)


@pytest.mark.needs("node", "tsx")
def test_the_program_in_typescript_does_the_same(tmp_path: Path) -> None:
    (text,) = blocks("typescript")
    (tmp_path / "words.ts").write_text(text, "utf-8")
    with_host(program(tmp_path, "words", f"#!/bin/sh\nexec '{declared('tsx')}' words.ts\n"), counts_words)


@pytest.mark.parametrize(
    ("language", "number"),
    [
        *(("python", 0), ("python", 2)),
        *(pytest.param("javascript", 0, marks=JAVASCRIPT), pytest.param("bash", 0, marks=BASH)),
    ],
)
def test_the_pipeline_of_the_built_in_skill_shows_what_goes_over_the_wire(
    language: str, number: int, tmp_path: Path
) -> None:
    (pipeline,) = blocks("sh")
    program(tmp_path, "words.py", blocks(language)[number])
    done = subprocess.run(
        ["sh", "-c", pipeline],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stderr == ""
    frames: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert frames[0]["type"] == "hello"
    assert {"type": "ready"} in frames
    prompt = "Count the words of notes.txt with the tool count_words."
    assert frames[-2:] == [
        {"type": "command_response", "id": "1", "action": "prompt", "prompt": prompt},
        {"type": "shutdown_ack"},
    ]


def test_the_manifest_of_the_built_in_skill_is_valid() -> None:
    (text,) = blocks("json")
    manifest = parse_manifest(text)
    assert (manifest.name, manifest.exec, manifest.enabled) == ("words", "./words.py", True)
