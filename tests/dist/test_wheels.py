"""Each distribution installs from its wheel into an empty environment and imports with what it declares."""

import os
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest
from distributions import build_distributions
from waiting import PATIENCE

from zot_agent.version import __version__

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS = ("zot-provider", "zot-core", "zot-tui", "zot-ext", "zot-agent")


@pytest.fixture(scope="module")
def run_uv(uv: str, installer_environment: dict[str, str]) -> Callable[..., str]:
    """Runs uv, which must succeed, and returns its output."""

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [uv, *arguments], cwd=ROOT, env=os.environ | installer_environment, capture_output=True, text=True,
            check=False, timeout=3 * PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory, uv: str, installer_environment: dict[str, str]) -> Path:
    return build_distributions(tmp_path_factory, uv, installer_environment)


def test_a_build_makes_a_wheel_and_a_source_archive_of_every_distribution(wheels: Path) -> None:
    built = {path.name.partition("-")[0] for path in wheels.iterdir() if path.suffix in (".whl", ".gz")}
    assert built == {name.replace("-", "_") for name in DISTRIBUTIONS}
    assert len(list(wheels.glob("*.whl"))) == len(list(wheels.glob("*.tar.gz"))) == 5


def content(source: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = source.extractfile(member)
    assert file is not None
    return file.read().decode(errors="replace")


def texts(archive: Path) -> dict[str, str]:
    """The files of a wheel or a source archive, by name, without the folder of the latter."""
    if archive.suffix == ".whl":
        with ZipFile(archive) as wheel:
            return {name: wheel.read(name).decode(errors="replace") for name in wheel.namelist()}
    with tarfile.open(archive) as source:
        files = [member for member in source.getmembers() if member.isfile()]
        return {each.name.partition("/")[2]: content(source, each) for each in files}


def metadata(wheel: Path) -> Message:
    found = texts(wheel)
    return HeaderParser().parsestr(next(text for name, text in found.items() if name.endswith(".dist-info/METADATA")))


def test_every_archive_has_the_text_of_the_license(wheels: Path) -> None:
    license_text = (ROOT / "LICENSE").read_text("utf-8")
    archives = [archive for archive in wheels.iterdir() if archive.suffix in (".whl", ".gz")]
    assert len(archives) == 2 * len(DISTRIBUTIONS)
    for archive in archives:
        found = texts(archive)
        place = next((name for name in found if name.endswith(("licenses/LICENSE", "LICENSE"))), "")
        assert found.get(place) == license_text, archive.name


def test_a_page_at_pypi_has_no_link_that_leads_nowhere(
    wheels: Path, tmp_path: Path, run_uv: Callable[..., str]
) -> None:
    project = tomllib.loads((ROOT / "packages/zot-agent/pyproject.toml").read_text("utf-8"))["project"]
    own = f"{project['urls']['Homepage']}/blob/main"
    links = {"docs/x.md", "#here", f"{own}/docs/gone.md", f"{own}/README.md", "https://example.org/blob/main/x"}
    head = "".join(f"Project-URL: {name}, https://x\n" for name in ("Source", "Changelog", "Issues"))
    text = " ".join(f"[a]({link})" for link in links) + '\n\n<img src="images/x.png">\n\n## There\n\n[b](#there)\n'
    with ZipFile(tmp_path / "bad.whl", "w") as wheel:
        wheel.writestr("bad.dist-info/METADATA", f"Metadata-Version: 2.4\n{head}\n{text}")
    script = (
        "import sys; sys.path.append('scripts/release'); from artifacts import *\n"
        "for wheel in sys.argv[1:]:\n"
        "  try: check_page(Tree(Path()), Path(wheel))\n"
        "  except Wrong as wrong: print(wrong)"
    )
    found = run_uv(
        *("run", "--quiet", "--isolated", "--only-group", "release", "python", "-c", script),
        *map(str, sorted(wheels.glob("*.whl"))), str(tmp_path / "bad.whl"),
    )  # fmt: skip
    (line,) = found.splitlines()
    assert line.startswith("bad.whl: its README has links that lead nowhere on its page: ")
    dead = set(line.rpartition(": ")[2].split(", "))
    assert dead == {"docs/x.md", "#user-content-here", f"{own}/docs/gone.md", "images/x.png"}


def test_the_page_in_the_wheel_is_its_source_file_by_file(wheels: Path) -> None:
    source = ROOT / "packages" / "zot-agent" / "src"
    kinds = (".html", ".js", ".css")
    folder = source / "zot_agent" / "serve" / "page"
    written = {
        path.relative_to(source).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.suffix in kinds
    }
    (path,) = wheels.glob("zot_agent-*.whl")
    with ZipFile(path) as wheel:
        packed = [
            name for name in wheel.namelist() if name.startswith("zot_agent/serve/page/") and name.endswith(kinds)
        ]
        assert {name: wheel.read(name) for name in packed} == written


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wheel_says_what_it_is_and_where_it_runs(name: str, wheels: Path) -> None:
    (wheel,) = wheels.glob(f"{name.replace('-', '_')}-*.whl")
    found = metadata(wheel)

    assert found["Name"] == name
    assert found["Summary"]
    assert found["License-Expression"] == "MIT"
    assert found.get_all("License-File") == ["LICENSE"]
    assert found["Requires-Python"] == ">=3.11"
    assert found["Description-Content-Type"] == "text/markdown"
    classifiers = found.get_all("Classifier") or []
    assert {"Typing :: Typed", "Operating System :: POSIX :: Linux", "Operating System :: MacOS"} <= {*classifiers}
    versions = [
        each.rpartition(" ")[2] for each in classifiers if each.startswith("Programming Language :: Python :: 3.")
    ]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert not [each for each in classifiers if each.startswith("License ::")]  # not valid beside an SPDX expression


EXTRAS = ("httpx2", "mcp", "mcp_types", "opentelemetry", "psycopg", "starlette", "temporalio", "uvicorn")
"""Packages that only the extras of zot-agent bring, and the environment of its extension for MCP."""


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wheel_installs_alone_and_every_module_of_it_imports(
    name: str, wheels: Path, tmp_path: Path, run_uv: Callable[..., str]
) -> None:
    venv = tmp_path / "venv"
    run_uv("venv", "--quiet", "--python", sys.executable, str(venv))
    python = str(venv / "bin" / "python")
    # Without the version, a candidate would lose to the release that the index has.
    this = f"{name}=={__version__}"
    run_uv("pip", "install", "--quiet", "--python", python, "--find-links", str(wheels), this)
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
        assert (zot.returncode, zot.stdout, zot.stderr) == (0, f"zot {__version__}\n", "")
