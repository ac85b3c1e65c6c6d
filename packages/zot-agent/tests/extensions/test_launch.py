import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

import zot_ext
from zot_agent.extensions.launch import (
    SDK_FOLDER,
    LaunchError,
    command,
    environment,
    launch_failure,
    outside_program,
)
from zot_ext.manifest import Manifest

REAL = os.path.abspath(zot_ext.__file__)


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def manifest(exec: str, *args: str) -> Manifest:
    return Manifest("thing", exec=exec, args=args)


# The command


def test_an_absolute_program_is_taken_as_it_is(tmp_path: Path) -> None:
    path = str(program(tmp_path / "elsewhere" / "x"))
    assert command(manifest(path, "-a", "b c"), str(tmp_path / "extension")) == [path, "-a", "b c"]


@pytest.mark.parametrize("exec", ["./x", "bin/x", "bin/../x", "./bin/./x"])
def test_a_program_with_a_separator_lies_in_the_folder(tmp_path: Path, exec: str) -> None:
    program(tmp_path / "x")
    program(tmp_path / "bin" / "x")
    (path,) = command(manifest(exec), str(tmp_path))
    assert path == os.path.normpath(tmp_path / exec)


def test_a_bare_name_is_found_on_the_path_and_not_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "tool")
    expected = program(tmp_path / "bin" / "tool")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert command(manifest("tool"), str(tmp_path)) == [str(expected)]


def test_a_relative_entry_of_the_path_means_the_folder_zot_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = program(tmp_path / "bin" / "tool")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    assert command(manifest("tool"), "/somewhere/else") == [str(expected)]


def test_a_folder_that_is_a_link_is_no_way_out(tmp_path: Path) -> None:
    program(tmp_path / "work" / "x")
    (tmp_path / "linked").symlink_to(tmp_path / "work")
    assert command(manifest("./x"), str(tmp_path / "linked")) == [str(tmp_path / "linked" / "x")]


@pytest.mark.parametrize(
    ("exec", "problem"),
    [
        ("./gone", "is not there: "),
        ("./plain", "is not executable; run: chmod +x "),
        ("./folder", "is a folder: "),
        (".", "is a folder: "),
        ("./plain/x", "is not there: "),
        ("..", "is a folder: "),
        ("../gone", "is not there: "),
        ("no-such-program-anywhere", "is not on the PATH; install it"),
        ("/no/such/program", "is not there: /no/such/program"),
        ("/", "is a folder: /"),
        ("a\0b", "has a NUL character"),
        (" ", "names no program"),
    ],
)
def test_a_program_that_cannot_run_is_one_line_that_names_it(tmp_path: Path, exec: str, problem: str) -> None:
    folder = tmp_path / "extension"
    program(folder / "plain", 0o644)
    (folder / "folder").mkdir()
    with pytest.raises(LaunchError) as failure:
        command(manifest(exec), str(folder))
    text = str(failure.value)
    assert text.startswith(f"extension 'thing': exec {exec!r} ")
    assert problem in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("exec", ["../outside", "./link", "./folder/../../outside"])
def test_a_program_outside_of_the_folder_runs_and_is_named(tmp_path: Path, exec: str) -> None:
    folder = tmp_path / "extension"
    (folder / "folder").mkdir(parents=True)
    outside = program(tmp_path / "outside")
    (folder / "link").symlink_to(outside)
    (path,) = command(manifest(exec), str(folder))
    assert os.path.samefile(path, outside)
    assert outside_program(manifest(exec), str(folder)) == str(outside)


@pytest.mark.parametrize("exec", ["./x", "bin/../x", "python3", "/bin/sh", "", " "])
def test_a_program_that_is_in_the_folder_or_named_otherwise_is_not_outside(tmp_path: Path, exec: str) -> None:
    assert outside_program(manifest(exec), str(tmp_path)) == ""


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    failure = launch_failure("thing", ["/bin/sh"], gone, FileNotFoundError(2, "No such file or directory"))
    assert str(failure) == f"extension 'thing': '/bin/sh' cannot be started: its folder {gone} is gone"


# The environment


def test_the_environment_is_kept_and_added_to() -> None:
    assert environment({"A": "b", "PYTHONPATH": "/mine"}) == {
        "A": "b",
        "ZOT_PYTHON": sys.executable,
        "ZOT_EXT_PATH": os.path.dirname(REAL),
        "PYTHONPATH": os.pathsep.join(["/mine", SDK_FOLDER]),
    }


def test_removed_variables_are_not_in_it() -> None:
    assert "KEY" not in environment({"A": "b", "KEY": "secret"}, {"KEY"})
    assert environment({"A": "b", "KEY": "secret"}, {"KEY"})["A"] == "b"


def test_a_zot_inside_of_an_extension_adds_its_folder_once() -> None:
    once = environment({})
    assert once["PYTHONPATH"] == SDK_FOLDER
    assert environment(once) == once
    assert environment()["PATH"] == os.environ["PATH"]


def test_the_folder_for_children_holds_nothing_but_zot_ext() -> None:
    assert sorted(set(os.listdir(SDK_FOLDER)) - {"__pycache__"}) == ["zot_ext"]


def imported(python: str, *options: str, code: str = "", **more: str) -> list[str]:
    """What a child with the environment of an extension says of its `zot_ext`."""
    code = code or (
        "import zot_ext, zot_ext.protocol.codec as codec; from zot_ext import Extension, FrameError;"
        "print(zot_ext.__file__); print(codec.__file__); print(zot_ext.__spec__.name); print(Extension.__module__);"
        "import sys; print(sorted(set(vars(zot_ext)) & {'os', 'sys', '_become'}), 'importlib.util' in sys.modules)"
    )
    env = {**environment(os.environ), **more}
    done = subprocess.run([python, *options, "-c", code], env=env, capture_output=True, text=True, timeout=PATIENCE)
    return (done.stdout or done.stderr.splitlines()[-1]).splitlines()


def test_an_interpreter_without_zot_ext_gets_that_of_zot() -> None:
    found = imported(sys.executable, "-S")
    assert found == [REAL, str(Path(REAL).parent / "protocol" / "codec.py"), "zot_ext", "zot_ext.extension", "[] False"]


def test_an_extension_runs_in_an_environment_of_its_own(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True, timeout=3 * PATIENCE
    )
    assert imported(str(tmp_path / "venv" / "bin" / "python"))[0] == REAL


def test_a_zot_ext_of_the_interpreters_own_wins(tmp_path: Path) -> None:
    own = tmp_path / "site" / "zot_ext"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text('"""Mine."""\nfrom zot_ext.part import VALUE\n')
    (own / "part.py").write_text("VALUE = 'own'\n")
    code = (
        f"import sys; sys.path.append({str(own.parent)!r}); import zot_ext;"
        "print(zot_ext.__file__, zot_ext.VALUE, zot_ext.__doc__, sys.modules['zot_ext'] is zot_ext)"
    )
    assert imported(sys.executable, "-S", code=code) == [f"{own / '__init__.py'} own Mine. True"]


def test_a_folder_that_is_called_zot_ext_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "zot_ext").mkdir()
    assert imported(sys.executable, "-S", PYTHONPATH=f"{tmp_path}{os.pathsep}{SDK_FOLDER}")[0] == REAL


def test_without_zot_around_there_is_no_zot_ext() -> None:
    assert imported(sys.executable, "-S", ZOT_EXT_PATH="") == ["ModuleNotFoundError: No module named 'zot_ext'"]
