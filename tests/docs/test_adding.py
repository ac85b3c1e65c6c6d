"""The page on adding things: each change on it is applied to a copy of the project, counted, and works."""

import os
import re
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding.md"
WANTED = {"A provider": 2, "A tool": 3, "A slash command with a key": 2, "An extension frame": 3, "An operation": 2}
"""The most files that a person writes or edits for each thing."""
COPIED = (
    *("packages", "docs", "scripts", "tests", "examples", "benchmarks", "packaging", ".github"),
    *(path.name for path in ROOT.iterdir() if path.is_file() and not path.name.startswith(".")),
)
GENERATORS = re.findall(r"for name in ([a-z_ ]+);", (ROOT / "Makefile").read_text("utf-8"))[0].split()
"""What `make generate` runs."""
REGISTRIES = (
    *("packages/zot-provider/tests/providers", "packages/zot-provider/tests/test_selection.py"),
    *("packages/zot-core/tests/tools/definition", "packages/zot-ext/tests/protocol"),
    *("packages/zot-agent/tests/rpc/test_schema.py", "packages/zot-agent/tests/client"),
    *("packages/zot-agent/tests/operations", "packages/zot-agent/tests/rpc/test_operations.py"),
    "packages/zot-agent/tests/serve/test_operations.py",
    *("packages/zot-agent/tests/ui/test_commands.py", "packages/zot-agent/tests/ui/test_screen.py"),
    *("packages/zot-agent/tests/extensions/test_managed.py", "packages/zot-agent/tests/extensions/test_registry.py"),
    *("packages/zot-agent/tests/extensions/test_trace.py", "tests/arch/test_circles.py"),
    *(
        "packages/zot-core/tests/runtime/subagents/test_definitions.py",
        "packages/zot-agent/tests/config/test_settings.py",
    ),
    *("packages/zot-tui/tests/theme", "packages/zot-core/tests/permissions/commands"),
    *("tests/arch/test_house_rules.py", "tests/docs/test_pages.py"),
)
"""Tests that know the registries: an addition must not break one of them."""


AGENT_SOURCES, EXT_SOURCES = "packages/zot-agent/src/zot_agent", "packages/zot-ext/src/zot_ext"
FOUND = {
    f"{AGENT_SOURCES}/client/operations.pyi": "async def transcript_size(self, *, tool_results: bool = True)",
    f"{AGENT_SOURCES}/serve/page/operations.js": '"transcript.size": ["tool_results"]',
    f"{AGENT_SOURCES}/rpc/rpc.schema.json": '"TranscriptSize"',
    f"{EXT_SOURCES}/calls/operations.pyi": 'length: Literal["short", "long"]',
    f"{AGENT_SOURCES}/ui/commands/keys.json": '"folder"',
    "docs/generated/rpc.md": "transcript.size",
    "docs/generated/host-calls.md": "transcript.size",
}
"""Where the operation and the command of the page are found, in which nobody writes them."""

ON_THE_PAGE = {
    "a provider": "A provider",
    "a tool": "A tool",
    "a frame of extensions": "An extension frame",
    "an operation: a command, a call and a method of the clients": "An operation",
    "a slash command": "A slash command with a key",
    "a key": "A slash command with a key",
}
"""Rows of the table in AGENTS.md, and the section that adds one of each."""

AGENT = "packages/zot-core/src/zot_core/runtime/subagents/builtin/translate.md"
SETTINGS = "packages/zot-agent/src/zot_agent/config/settings.py"
SUBCOMMANDS = "packages/zot-agent/src/zot_agent/cli/__init__.py"
TRUST = "packages/zot-agent/src/zot_agent/cli/trust/__init__.py"
THEMES = "packages/zot-tui/src/zot_tui/theme/themes"
DARK = (ROOT / THEMES / "dark.json").read_text("utf-8")
COMMANDS = "packages/zot-core/src/zot_core/permissions/commands"
SIMPLE = {
    "a built-in sub-agent": {AGENT: ("", "---\ndescription: translate texts\n---\n\nYou translate texts.\n")},
    "a setting": {SETTINGS: ("    provider = ", '    greeting = Switch(True, "greet")\n    provider = ')},
    "a subcommand": {
        SUBCOMMANDS: ('    "acp": ', '    "hello": Subcommand("zot_agent.cli.hello", "greet"),\n    "acp": '),
        "packages/zot-agent/src/zot_agent/cli/hello.py": (
            "",
            '''"""`zot hello`: greet."""

from zot_agent.cli.verb import Verb


def _hello() -> int:
    """Greet."""
    return 0


run = Verb("zot hello", _hello)
''',
        ),
    },
    "a verb of a subcommand": {TRUST: ('{"list": _list, ', '{"list": _list, "show": _list, ')},
    "a program that starts programs": {f"{COMMANDS}/wrappers.py": (" .:bash(1) ", " aaa(1)\n        .:bash(1) ")},
    "a command that only reads": {f"{COMMANDS}/readers.py": ("\nbase64: ", "\naaa: -a\nbase64: ")},
    "a theme": {f"{THEMES}/aaa.json": ("", DARK.replace('"dark"', '"aaa"', 1))},
}
"""Rows that are a line or a file: by file, a text and what takes its place; a new file is in place of nothing."""

NOT_TRIED = {
    *("a sign-in with an account", "a wire", "an event", "an event for extensions", "an interception", "a mode"),
    *("an operation on another machine", "a command of `zot rpc` about the client itself"),
    "a state of the screen in the docs",
}
"""Rows whose things are too large, or too different from each other, for an example."""


def changes() -> dict[str, str]:
    """The patch of each section of the page."""
    sections = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S)
    return {title: "".join(re.findall(r"```diff\n(.*?)```", body, re.S)) for title, body in sections}


def run(folder: Path, *command: str, stdin: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | variables
    return subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=5 * PATIENCE
    )


def check_arrows(copy: Path, uv: str, variables: dict[str, str]) -> None:
    """Check the import contracts in the copy, as `make quick` does: import-linter has an environment of its own."""
    own = variables | {"PYTHONPATH": os.pathsep.join(map(str, sorted((copy / "packages").glob("*/src"))))}
    command = [
        uv,
        "run",
        "--isolated",
        "--no-default-groups",
        "--group",
        "arch",
        "--quiet",
        "lint-imports",
        "--no-cache",
    ]
    checked = run(ROOT, *command, "--config", str(copy / "pyproject.toml"), **own)
    assert checked.returncode == 0, checked.stdout[-4000:] + checked.stderr


def make_environment(folder: Path) -> Path:
    """A Python that imports the packages of the copy, also in child processes, and everything else from here."""
    venv.create(folder / ".venv", symlinks=True)
    (site,) = (folder / ".venv").glob("lib/python*/site-packages")
    sources = sorted((folder / "packages").glob("*/src"))
    (site / "copy.pth").write_text("".join(f"{path}\n" for path in (*sources, sysconfig.get_path("purelib"))))
    return folder / ".venv" / "bin" / "python"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adding") / "zot"
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            # Byte code is copied too, and is valid: the copy of a source is as old as the source.
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("node_modules"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.parametrize("thing", WANTED)
def test_a_thing_is_added_with_few_files(thing: str) -> None:
    files = re.findall(r"^\+\+\+ b/(\S+)$", changes()[thing], re.M)
    assert 0 < len(files) <= WANTED[thing], files
    assert [name for name in files if "generated" in name or name.endswith(".json")] == []


def test_every_row_of_the_table_is_followed_or_said_to_be_left_out() -> None:
    table = re.search(r"^\| thing .*?\n\n", (ROOT / "AGENTS.md").read_text("utf-8"), re.M | re.S)
    assert table is not None
    rows = {line.split("|")[1].strip() for line in table[0].splitlines()[2:] if line}
    assert rows == ON_THE_PAGE.keys() | SIMPLE.keys() | NOT_TRIED
    assert {*ON_THE_PAGE.values()} == WANTED.keys()


def test_the_changes_of_the_page_work_together(copy: Path, uv: str, installer_environment: dict[str, str]) -> None:
    python = str(make_environment(copy))
    written: list[str] = []
    for thing, patch in changes().items():
        if thing in WANTED:
            applied = run(copy, "git", "apply", "-", stdin=patch)
            assert applied.returncode == 0, f"{thing}: {applied.stderr}"
            written += re.findall(r"^\+\+\+ b/(\S+)$", patch, re.M)
    for files in SIMPLE.values():
        for name, (before, after) in files.items():
            path = copy / name
            text = path.read_text("utf-8") if before else ""
            assert before in text, name
            path.write_text(text.replace(before, after, 1) if before else after, "utf-8")
            written.append(name)
    for name in GENERATORS:
        generated = run(copy, python, f"scripts/generate_{name}.py")
        assert generated.returncode == 0, generated.stderr
    for name, word in FOUND.items():
        assert word in (copy / name).read_text("utf-8"), name
    for check in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]):  # what was generated too
        checked = run(copy, python, "-m", *check)
        assert checked.returncode == 0, checked.stdout[-4000:] + checked.stderr
    check_arrows(copy, uv, installer_environment)
    tests = [name for name in written if "/tests/" in name]
    chosen = ("-m", "not hypothesis", *dict.fromkeys([*tests, *REGISTRIES]))
    tested = run(copy, python, "-m", "pytest", "-q", "-n", "2", f"--basetemp={copy.parent / 'tmp'}", *chosen)
    assert tested.returncode == 0, tested.stdout[-4000:]
