"""The archives of a release: built twice, compared, and read by the tools of others."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

from tree import Tree, Wrong

STAGES = (("zot-provider", "zot-ext", "zot-tui"), ("zot-core",), ("zot-agent",))
"""The distributions in the order of publishing: each depends only on those of the stages before."""
INSTALLERS = ("zot.rb", "install.sh", "Dockerfile")
LIMIT = 600
"""Seconds for a command."""


def run(*words: str | Path, cwd: Path, env: dict[str, str] | None = None, input: str | None = None) -> str:
    """The output of a command that succeeds; raises `Wrong` with what it said, if it does not."""
    command = [str(word) for word in words]
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, input=input, stdin=None if input is not None else subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Wrong(f"{' '.join(command)}: {error}") from None
    if done.returncode:
        raise Wrong(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def archives(tree: Tree, folder: Path) -> list[list[Path]]:
    """Build the distributions into `folder`, one folder for each, and return their archives by stage."""
    epoch = {"SOURCE_DATE_EPOCH": tree.git("log", "-1", "--format=%ct").strip()}
    with tempfile.TemporaryDirectory(prefix="zot-release-") as scratch:
        copy = Path(scratch, "copy")
        copy.mkdir()
        packed = Path(scratch, "tree.tar")
        tree.git("archive", "--output", str(packed), "HEAD")
        run("tar", "-xf", packed, cwd=copy)
        run("make", "build", "OUT=first", cwd=copy, env=os.environ | epoch)
        # Again from another place and with other rights for new files.
        other = Path(scratch, "elsewhere", "again")
        other.mkdir(parents=True)
        run("sh", "-c", f"umask 077; tar -xf '{packed}'; make build OUT=second", cwd=other, env=os.environ | epoch)
        first, second = copy / "first", other / "second"
        if sums(first) != sums(second):
            raise Wrong(f"two builds of one commit differ:\n{sums(first)}{sums(second)}")
        found = [[_sorted(folder, first, name) for name in stage] for stage in STAGES]
    built = [[path for paths in stage for path in paths] for stage in found]
    every = [path for stage in built for path in stage]
    run(sys.executable, "-m", "twine", "check", "--strict", *every, cwd=tree.root)
    wheels = [path for path in every if path.suffix == ".whl"]
    run(sys.executable, "-m", "check_wheel_contents", *wheels, cwd=tree.root)
    for wheel in wheels:
        check_page(tree, wheel)
    print(f"{len(every)} archives, the same twice, of {sum(path.stat().st_size for path in every) / 1e6:.1f} MB")
    return built


def _sorted(folder: Path, built: Path, name: str) -> list[Path]:
    """Move the two archives of a distribution to a folder of its own."""
    own = folder / name
    own.mkdir(parents=True, exist_ok=True)
    for old in own.iterdir():
        old.unlink()
    found = [*built.glob(f"{name.replace('-', '_')}-*")]
    if sorted(path.suffix for path in found) != [".gz", ".whl"]:
        raise Wrong(f"{name}: no wheel and source archive, but {[path.name for path in found]}")
    return [Path(shutil.move(path, own / path.name)) for path in sorted(found)]


def installers(tree: Tree, folder: Path) -> None:
    """Write the installers that belong to the archives in `folder`. A candidate has none: they install releases."""
    for name in INSTALLERS:
        (folder / name).unlink(missing_ok=True)  # of an earlier check
    if "rc" in tree.version():
        return
    (source,) = (folder / "zot-agent").glob("*.tar.gz")
    formula = (tree.root / "packaging" / "homebrew" / "zot.rb").read_text("utf-8")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    (folder / "zot.rb").write_text(formula.replace('"SHA256"', f'"{digest}"'), "utf-8")
    for name in ("install.sh", "Dockerfile"):
        shutil.copy(tree.root / "packaging" / name, folder)


def check_page(tree: Tree, wheel: Path) -> None:
    """What PyPI shows of a distribution: links beside its text, and none in it that leads nowhere there, or to a file
    that the repository does not have. Raises `Wrong`."""
    with ZipFile(wheel) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        page = HeaderParser().parsestr(archive.read(name).decode())
    if not {"Source", "Changelog", "Issues"} <= {each.partition(",")[0] for each in page.get_all("Project-URL") or ()}:
        raise Wrong(f"{wheel.name} names no source, changelog and issues in [project.urls]")
    with tempfile.NamedTemporaryFile("w", suffix=".md") as text:
        text.write(str(page.get_payload()))
        text.flush()
        shown = run(sys.executable, "-m", "readme_renderer", text.name, cwd=tree.root)
    places = {f"#{each}" for each in re.findall(r' id="([^"]+)"', shown)}
    links = re.findall(r' (?:href|src)="([^"]+)"', shown)
    if dead := [link for link in links if link not in places and not _leads_somewhere(tree, link)]:
        raise Wrong(f"{wheel.name}: its README has links that lead nowhere on its page: {', '.join(dead)}")


def _leads_somewhere(tree: Tree, link: str) -> bool:
    own = f"{tree.address()}/blob/main/"
    if link.startswith(own):
        return (tree.root / link.removeprefix(own).partition("#")[0]).exists()
    return link.startswith("https:")


def sums(folder: Path) -> str:
    """A line for each archive, as `sha256sum --check` reads it."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in (".whl", ".gz", ".json", ".rb", ".sh"))
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in found)
