import os
import subprocess
import sys
from pathlib import Path

from waiting import PATIENCE

START = "from zot_agent.module_finder import find_own_modules; find_own_modules();"


def run(code: str, *flags: str, **env: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *flags, "-c", START + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True, env=clean | env)
    return done.stdout.strip()


def package(folder: Path, source: str) -> str:
    """Write the package zot_tui with one module below `folder`, and return the code that imports it from there."""
    (folder / "zot_tui").mkdir()
    (folder / "zot_tui" / "__init__.py").write_text("")
    (folder / "zot_tui" / "one.py").write_text(source)
    return f"import sys; sys.path.insert(0, {str(folder)!r}); from zot_tui import one;"


def test_a_module_has_what_python_gives_it() -> None:
    facts = (
        "import zot_core.events as module, zot_core.sessions as package; spec = module.__spec__;"
        "print(module.__file__, module.__cached__, module.__package__, spec.origin, spec.parent, package.__path__,"
        "package.__file__, package.__spec__.submodule_search_locations)"
    )
    assert run(facts) == run("sys = __import__('sys'); sys.meta_path.pop(0);" + facts)


def test_the_modules_of_zot_are_found_by_it_and_others_are_not() -> None:
    code = "import zot_core.events as own, json.tool as other;"
    assert run(code + "print(type(own.__loader__).__module__, type(other.__loader__).__module__)").split() == [
        "zot_agent.module_finder",
        "_frozen_importlib_external",
    ]


def test_a_changed_source_is_compiled_again(tmp_path: Path) -> None:
    load = package(tmp_path, "value = 'old'")
    assert [run(load + "print(one.value)") for _ in range(2)] == ["old", "old"]
    (tmp_path / "zot_tui" / "one.py").write_text("value = 'newer'")
    assert run(load + "print(one.value)") == "newer"
    cached = next((tmp_path / "zot_tui" / "__pycache__").glob("one.*.pyc"))
    assert b"newer" in cached.read_bytes()


def test_byte_code_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    load = package(tmp_path, "value = 1")
    run(load)
    cached = next((tmp_path / "zot_tui" / "__pycache__").glob("one.*.pyc"))
    cached.write_bytes(b"")
    assert run(load + "print(one.value)") == "1"


def test_byte_code_that_is_checked_by_its_hash_is_left_to_python(tmp_path: Path) -> None:
    load = package(tmp_path, "value = 'old'")
    module = str(tmp_path / "zot_tui" / "one.py")
    compile_it = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", module]
    subprocess.run(compile_it, timeout=PATIENCE, check=True)
    before = os.stat(module)
    Path(module).write_text("value = 'new'")
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(load + "print(one.value)") == "new"


def test_a_module_that_does_not_exist_is_the_usual_error() -> None:
    code = "\ntry: import zot_core.nothing\nexcept ModuleNotFoundError as error: print(error)"
    assert run(code) == "No module named 'zot_core.nothing'"


def test_optimized_python_and_another_place_of_byte_code_are_left_alone(tmp_path: Path) -> None:
    code = "import zot_core.events as own; print(type(own.__loader__).__module__)"
    assert run(code, "-O") == "_frozen_importlib_external"
    assert run(code, PYTHONPYCACHEPREFIX=str(tmp_path)) == "_frozen_importlib_external"
