"""Every command line in the pages of the repository is run, as a reader would, against a scripted model.

A block fenced as `sh` is one script. Around it stand: a model server that the providers' own `*_BASE_URL` variables
point to, a small project as working directory, wheels of this checkout for `uv tool install`, and two stand-ins: `make`
only shows what it would do (`make check test` runs these tests; `make run` has a test of its own), and `export
NAME=...` of a key is left out.
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from distributions import build_distributions
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("packages/*/README.md"))]

PRELUDE = """
set -eu
make() { command make -C "$CHECKOUT" --dry-run "$@" >/dev/null; }
"""

NEEDS = {"bwrap": r"open_sandbox|--sandbox", "curl": r"\bcurl\b", "jq": r"\bjq\b|--lang shell", "node": r"\bnode\b"}
"""Programs that a machine may lack, and what a block that runs one looks like."""


def blocks(language: str) -> list[object]:
    found = []
    for page in PAGES:
        for number, block in enumerate(re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.S), 1):
            needs = [name for name, mark in NEEDS.items() if re.search(mark, block)]
            marks = pytest.mark.needs("uv", *needs)
            found.append(pytest.param(block, id=f"{page.relative_to(ROOT)}:{number}", marks=marks))
    return found


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, uv: str, installer_environment: dict[str, str]) -> Path:
    return build_distributions(tmp_path_factory, uv, installer_environment)


@pytest.fixture(scope="module")
def uv_cache(uv: str, installer_environment: dict[str, str]) -> str:
    """The folder where uv keeps what it has fetched before, on this machine."""
    asked = subprocess.run(
        [uv, "cache", "dir"], env=os.environ | installer_environment, capture_output=True, text=True, check=True
    )
    return asked.stdout.strip()


@pytest.fixture
def environment(tmp_path: Path, wheels: Path, uv_cache: str, installer_environment: dict[str, str]) -> dict[str, str]:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (project / "README.md").write_text("# weather\n\nA tiny weather service.\n")
    (project / "notes.txt").write_text("remember the milk\n")
    return {
        **os.environ,
        **installer_environment,
        "PATH": os.pathsep.join([str(home / "bin"), os.environ["PATH"]]),
        "HOME": str(home),
        "PWD": str(project),
        "CHECKOUT": str(ROOT),
        "ZOT_HOME": str(home / "zot"),
        "UV_FIND_LINKS": str(wheels),
        "UV_TOOL_DIR": str(home / "tools"),
        "UV_TOOL_BIN_DIR": str(home / "bin"),
        "UV_CACHE_DIR": uv_cache,
        "ANTHROPIC_API_KEY": "key",
        "OPENAI_API_KEY": "key",
    }


def talk() -> ScriptedServer:
    return ScriptedServer([Turn("I will look.", calls=[Call("ls", {})]), Turn("A tiny weather service.")], repeat=True)


@pytest.mark.parametrize("block", blocks("sh"))
def test_a_shell_block_of_the_documents_runs(block: str, environment: dict[str, str]) -> None:
    with talk() as server:
        variables = environment | {
            "ANTHROPIC_BASE_URL": server.base_url("anthropic-messages"),
            "OPENAI_BASE_URL": server.base_url("openai-chat"),
        }
        process = subprocess.Popen(
            ["bash", "-c", PRELUDE + block],
            cwd=environment["PWD"], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # what a block that fails has started
            process.communicate()
    assert process.returncode == 0, f"{block}\n{out}\n{err}"
    assert "Traceback" not in err


@pytest.mark.parametrize("block", blocks("python"))
def test_a_python_block_of_the_documents_runs(block: str, environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(block, "utf-8")
    with talk() as server:
        variables = environment | {
            "ANTHROPIC_BASE_URL": server.base_url("anthropic-messages"),
            "OPENAI_BASE_URL": server.base_url("openai-chat"),
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", str(script)],
            cwd=environment["PWD"], env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


def test_the_documents_have_blocks_to_run() -> None:
    assert len(blocks("sh")) >= 3
    assert len(blocks("python")) >= 2
