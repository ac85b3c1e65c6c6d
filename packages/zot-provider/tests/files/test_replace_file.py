import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from zot_provider.files.replace_file import replace_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_what_the_umask_leaves(tmp_path: Path) -> None:
    program = (
        "import os, sys; from zot_provider.files.replace_file import replace_file; os.umask(0o027); "
        "replace_file(sys.argv[1], b'x')"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "new")], check=True)
    assert (tmp_path / "new").read_bytes() == b"x"
    assert mode(tmp_path / "new") == 0o640


def test_a_file_that_is_there_keeps_its_permissions_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "tool"
    path.write_bytes(b"old")
    path.chmod(0o754)
    replace_file(str(path), b"new" * 100_000)
    assert path.read_bytes() == b"new" * 100_000
    assert mode(path) == 0o754
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.needs("linux")  # extended attributes need it
def test_a_file_that_is_there_loses_the_rights_of_its_owner_and_its_capabilities(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_text("old")
    os.chmod(path, 0o6755)
    if sys.platform == "linux" and os.getuid() == 0:
        os.setxattr(path, "security.capability", bytes.fromhex("0100000200002000000000000000000000000000"))
    replace_file(str(path), b"new")
    assert mode(path) == 0o755
    assert not os.listxattr(path)
    os.chmod(path, 0o4711)
    folder = os.open(tmp_path, os.O_RDONLY)
    replace_file("program", b"newer", folder=folder)
    os.close(folder)
    assert (mode(path), path.read_text()) == (0o711, "newer")


@pytest.mark.needs("linux")  # extended attributes need it
def test_a_file_that_is_there_keeps_its_extended_attributes(tmp_path: Path) -> None:
    path = tmp_path / "tool"
    path.write_bytes(b"old")
    os.setxattr(path, "user.origin", b"a download")
    replace_file(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert os.getxattr(path, "user.origin") == b"a download"


def test_permissions_that_are_asked_for_count_more(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o644)
    replace_file(str(path), b"new", mode=0o600)
    assert mode(path) == 0o600


def test_what_a_killed_process_left_under_a_name_of_its_own_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x.tmp").write_bytes(b"torn and longer than the new one")
    replace_file(str(tmp_path / "x"), b"new", mode=0o600, beside=str(tmp_path / "x.tmp"))
    assert (tmp_path / "x").read_bytes() == b"new"
    assert mode(tmp_path / "x") == 0o600
    assert not (tmp_path / "x.tmp").exists()


KILLED = """
import resource, signal, sys
from zot_provider.files.replace_file import replace_file
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
replace_file(sys.argv[1], bytes(10_000))
"""


def test_the_temporary_file_is_as_private_as_the_file_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o600)
    done = subprocess.run([sys.executable, "-B", "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGXFSZ
    (torn,) = (each for each in tmp_path.iterdir() if each != path)
    assert (torn.stat().st_size, mode(torn), path.read_bytes()) == (4096, 0o600, b"old")


def test_a_replacement_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").touch()
    with pytest.raises(OSError, match="folder"):
        replace_file(str(tmp_path / "folder"), b"x")
    assert os.listdir(tmp_path) == ["folder"]
    with pytest.raises(FileNotFoundError):
        replace_file(str(tmp_path / "nowhere" / "x"), b"x")
