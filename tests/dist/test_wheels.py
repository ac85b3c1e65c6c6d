"""Each distribution installs from its wheel into an empty environment and imports with what it declares."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS = ("zot-provider", "zot-core", "zot-tui", "zot-ext", "zot-agent")


pytestmark = pytest.mark.needs("uv")


@pytest.fixture(scope="module")
def uv(installer_environment: dict[str, str]) -> Callable[..., None]:
    """Runs uv, which must succeed."""

    def run(*arguments: str) -> None:
        done = subprocess.run(
            ["uv", *arguments], cwd=ROOT, env=os.environ | installer_environment, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, uv: Callable[..., None]) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--quiet", "--all-packages", "--out-dir", str(folder))
    return folder


def test_a_build_makes_a_wheel_and_a_source_archive_of_every_distribution(wheels: Path) -> None:
    built = {path.name.partition("-0")[0] for path in wheels.iterdir() if path.suffix in (".whl", ".gz")}
    assert built == {name.replace("-", "_") for name in DISTRIBUTIONS}
    assert len(list(wheels.glob("*.whl"))) == len(list(wheels.glob("*.tar.gz"))) == 5


EXTRAS = ("acp", "starlette", "uvicorn")
"""Packages that only the extras of zot-agent bring."""


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wheel_installs_alone_and_every_module_of_it_imports(
    name: str, wheels: Path, tmp_path: Path, uv: Callable[..., None]
) -> None:
    venv = tmp_path / "venv"
    uv("venv", "--quiet", "--python", sys.executable, str(venv))
    python = str(venv / "bin" / "python")
    uv("pip", "install", "--quiet", "--python", python, "--find-links", str(wheels), name)
    package = name.replace("-", "_")
    walk = (
        f"import pkgutil, importlib, {package} as p\n"
        f"extras = {EXTRAS!r}\n"
        "for module in pkgutil.walk_packages(p.__path__, p.__name__ + '.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        try:\n"
        "            importlib.import_module(module.name)\n"
        "        except ModuleNotFoundError as error:\n"
        "            assert (error.name or '').split('.')[0] in extras, (module.name, error)\n"
        "import importlib.resources as r\n"
        "assert (r.files(p) / 'py.typed').is_file()\n"
    )
    done = subprocess.run([python, "-I", "-c", walk], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if name == "zot-agent":
        zot = subprocess.run([str(venv / "bin" / "zot"), "--version"], capture_output=True, text=True, check=False)
        assert (zot.returncode, zot.stdout, zot.stderr) == (0, "zot 0.1.0\n", "")
