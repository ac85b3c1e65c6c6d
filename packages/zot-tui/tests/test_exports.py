import subprocess
import sys
from pathlib import Path

import pytest

import zot_tui

SOURCE = Path(zot_tui.__file__).parent
PURE = sorted(
    ".".join(("zot_tui", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if not {"app.py", "canvas.py", "overlay.py", "terminal.py", "urwid_parts.py", "testing", "widgets"}
    & set(path.relative_to(SOURCE).parts)
)


def test_the_public_names_are_sorted_and_there() -> None:
    assert zot_tui.__all__ == sorted(zot_tui.__all__)
    for name in zot_tui.__all__:
        assert getattr(zot_tui, name) is not None
    assert set(zot_tui.__all__) <= set(dir(zot_tui))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        zot_tui.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_of_it() -> None:
    loaded = run("import zot_tui, sys; print(*[name for name in sys.modules if name.startswith('zot_')])")
    assert loaded.split() == ["zot_tui"]


def test_the_pure_half_imports_no_urwid_and_no_other_package_of_ours() -> None:
    code = f"import sys\nfor name in {PURE!r}: __import__(name)\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = set(run(code).split())
    assert not loaded & {"urwid", "zot_agent", "zot_core", "zot_ext", "zot_provider"}


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
