"""What an installation without extras brings to a disk."""

from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure

COUNT = "from importlib.metadata import distributions; print(len({each.metadata['Name'] for each in distributions()}))"


def measure(environment: Environment) -> Iterator[Figure]:
    """Megabytes of the packages' files without byte code, and how many packages there are."""
    (packages,) = (environment.folder / "venv" / "lib").glob("python*/site-packages")
    own = sum(map(_bytes, packages.glob("zot_*")))
    yield Figure("zot's own packages, without .pyc", own / 1e6, "MB", 7.5)
    # 3.6 MB of it are chardet: without it, text in older encodings would lose its letters when it is changed. Most of
    # the rest grows when others publish releases: jsonschema-rs, cryptography and Pillow are half of it.
    yield Figure("zot-agent without extras, without .pyc", _bytes(packages) / 1e6, "MB", 97, _largest(packages))
    count = int(environment.run([environment.python, "-c", COUNT]).stdout)
    yield Figure("zot-agent without extras", count, "packages", 48)


def _bytes(folder: Path) -> int:
    """The bytes of the files in a folder, without byte code."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return sum(path.stat().st_size for path in files if path.suffix != ".pyc")


def _largest(packages: Path) -> str:
    """The three folders that weigh most."""
    sizes = {folder.name: _bytes(folder) for folder in packages.iterdir() if folder.is_dir()}
    heaviest = sorted(sizes, key=lambda name: -sizes[name])[:3]
    return ", ".join(f"{name} {sizes[name] / 1e6:.1f}" for name in heaviest)
