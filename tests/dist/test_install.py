"""`packaging/install.sh` on a machine that has a shell and few programs: a server stands in for PyPI, a script for uv.

`make release-check` runs it with a real uv, against an index on this machine.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / "packaging" / "install.sh").read_text("utf-8")
VERSION = re.findall(r"^ZOT=(.+)$", SCRIPT, re.MULTILINE)[0]
WHEEL = "uv-9.9.9-py3-none-any.whl"
PROGRAMS = ("cat", "chmod", "curl", "grep", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "uname")
UV = """#!/bin/sh
echo "$@" >>"$HOME/calls"
case "$*" in
  --version) echo uv 9.9.9 ;;
  "tool install zot-agent>="*)
    echo "$UV_PYTHON" >"$HOME/python"
    [ -z "${NO_INDEX:-}" ] || { echo no such package >&2; exit 1; }
    mkdir -p "$HOME/tools"
    printf '#!/bin/sh\\necho "zot said $*"\\n' >"$HOME/tools/zot"
    chmod 755 "$HOME/tools/zot" ;;
  "tool list") [ -z "${HAS:-}" ] || echo "zot-agent v0.1.0" ;;
  "tool dir --bin") echo "$HOME/tools" ;;
esac
"""

Install = Callable[..., "subprocess.CompletedProcess[str]"]


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with the wheel of uv, and the address at which it is served."""
    folder = tmp_path / "files"
    folder.mkdir()
    with ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("uv-9.9.9.data/scripts/uv", UV)
        wheel.writestr("uv-9.9.9.data/scripts/uvx", "#!/bin/sh\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def install(tmp_path: Path, files: tuple[Path, str], home: Path) -> Install:
    """Runs the script, which finds the wheel at the server; `without` are programs that the machine lacks."""
    folder, address = files
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    system = "-".join((os.uname().sysname, os.uname().machine))
    rows = "".join(f"{system}{libc} {digest} {address}/{WHEEL}\n" for libc in ("", "-musl"))
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python3").chmod(0o755)
    for name in PROGRAMS:
        (programs / name).symlink_to(os.path.realpath(str(shutil.which(name))))

    def run(text: str = SCRIPT, without: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
        script = tmp_path / "install.sh"
        script.write_text(re.sub(r"(?<=<<'END'\n).*?(?=END\n)", rows, text, flags=re.DOTALL), "utf-8")
        for name in without.split():
            (programs / name).unlink()
        env = {"PATH": str(programs), "HOME": str(home), "TMPDIR": str(tmp_path), **variables}
        return subprocess.run(
            [str(programs / "sh"), str(script)], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    return run


pytestmark = pytest.mark.needs("curl", "sha256sum")


def left(tmp_path: Path) -> list[Path]:
    """What the script has left in the folder for temporary files."""
    return list(tmp_path.glob("zot-install.*"))


def test_uv_is_downloaded_and_installs_zot_and_each_file_is_named(install: Install, home: Path, tmp_path: Path) -> None:
    done = install()
    assert (done.returncode, done.stdout) == (0, "")
    assert [line.removeprefix("zot: ") for line in done.stderr.splitlines()] == [
        f"downloading {WHEEL}",
        f"installed {home}/.local/bin/uv",
        f"installed {home}/.local/bin/uvx",
        f"installed {home}/tools/zot (zot said --version)",
        f"{home}/tools is not on your PATH. Add it, or run: {home}/.local/bin/uv tool update-shell",
        f"begin with: {home}/tools/zot",
    ]
    assert (home / "calls").read_text().splitlines() == [
        "tool list",
        f"tool install zot-agent>={VERSION}",
        "tool dir --bin",
    ]
    assert left(tmp_path) == []


def test_the_uv_that_is_there_is_taken_and_shells_that_are_there_get_completions(
    install: Install, home: Path, tmp_path: Path, files: tuple[Path, str]
) -> None:
    (files[0] / WHEEL).unlink()  # nothing is asked of the server
    for name, text in (("uv", UV), ("bash", ""), ("fish", ""), ("zsh", "")):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    done = install(PATH=f"{tmp_path}/bin:{home}/tools")
    assert done.returncode == 0, done.stderr
    assert (home / ".local/share/bash-completion/completions/zot").read_text() == "zot said completions bash\n"
    assert (home / ".config/fish/completions/zot.fish").read_text() == "zot said completions fish\n"
    assert "source <(zot completions zsh)" in done.stderr
    assert done.stderr.endswith("zot: begin with: zot\n")
    assert not (home / ".local/bin").exists()
    assert not (home / ".zshrc").exists()


def test_another_file_than_the_pinned_one_is_refused_and_nothing_is_left(
    install: Install, home: Path, tmp_path: Path, files: tuple[Path, str]
) -> None:
    with open(files[0] / WHEEL, "ab") as wheel:
        wheel.write(b"x")
    done = install()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"zot: {WHEEL} is not the file that this script was made for"
    assert (list(home.iterdir()), left(tmp_path)) == ([], [])


def test_what_is_missing_is_said_in_one_line(install: Install, files: tuple[Path, str], home: Path) -> None:
    done = install(NO_INDEX="1")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1, f"zot: uv could not install zot-agent {VERSION}; see above",
    )  # fmt: skip
    shutil.rmtree(home / ".local")
    (files[0] / WHEEL).unlink()
    done = install()
    assert (done.returncode, done.stderr.splitlines()[-1].endswith(f"{WHEEL} cannot be downloaded")) == (1, True)
    done = install(without="curl")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "zot: curl or wget is needed")
    done = install(HOME="")
    assert (done.returncode, done.stderr) == (1, "zot: HOME is not set\n")


def program(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_uv_that_is_too_old_is_named_and_another_one_is_taken(install: Install, home: Path, tmp_path: Path) -> None:
    old = '[ "$*" = --version ] && echo uv 0.1.0 || { echo unexpected argument >&2; exit 2; }'
    for path in (tmp_path / "bin/uv", home / ".local/bin/uv"):
        program(path, old)
    done = install()
    assert (done.returncode, "unexpected" in done.stderr) == (0, False), done.stderr
    assert [line for line in done.stderr.splitlines() if "too old" in line] == [
        f"zot: {tmp_path}/bin/uv is too old or does not work: uv 0.1.0",
        f"zot: {home}/.local/bin/uv is too old or does not work: uv 0.1.0",
    ]
    assert f"zot: installed {home}/tools/zot (zot said --version)" in done.stderr


@pytest.mark.parametrize(
    ("help", "options"),
    [("-T, --timeout  -t, --tries", "-q -T 60 -t 2"), ("-T SEC  -O FILE", "-q -T 60"), ("-q  -O FILE", "-q")],
    ids=["GNU", "busybox", "busybox of Debian"],
)
def test_each_wget_gets_the_options_that_it_knows(
    install: Install, home: Path, tmp_path: Path, help: str, options: str
) -> None:
    fetch = "import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[:-3:-1])"
    wget = f'case "$*" in --help) echo "{help}" ;; "{options} -O /"*) python3 -c "{fetch}" "$@" ;; *) exit 1 ;; esac'
    program(tmp_path / "bin" / "wget", wget)
    done = install(without="curl")
    assert (done.returncode, (home / ".local/bin/uv").exists()) == (0, True), done.stderr


@pytest.mark.parametrize("name", ["chmod", "cat", "curl", "mkdir", "mktemp", "mv", "python3", "sha256sum", "uname"])
def test_whatever_fails_the_last_line_is_one_of_zot(install: Install, tmp_path: Path, home: Path, name: str) -> None:
    program(tmp_path / "bin" / name, "exit 7")
    done = install()
    assert (done.returncode != 0, done.stderr.splitlines()[-1].startswith("zot: ")) == (True, True), done.stderr
    assert (left(tmp_path), (home / "tools").exists()) == ([], False)


def test_a_home_that_cannot_be_written_is_no_silent_end(install: Install, home: Path, tmp_path: Path) -> None:
    (home / ".local").touch()
    done = install()
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "zot: stopped before all was done; see above")
    assert left(tmp_path) == []


def test_uv_takes_a_python_that_zot_was_tried_with_unless_somebody_names_another_one(
    install: Install, home: Path
) -> None:
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    oldest, *_, newest = ci["jobs"]["test"]["strategy"]["matrix"]["python"]
    install()
    above = f"3.{int(newest.partition('.')[2]) + 1}"
    assert (home / "python").read_text() == f">={oldest},<{above}\n"
    install(UV_PYTHON="3.12")
    assert (home / "python").read_text() == "3.12\n"


def test_an_installation_that_is_there_is_upgraded_and_keeps_its_extras(install: Install, home: Path) -> None:
    install()
    (home / "calls").unlink()
    done = install(HAS="yes")
    assert done.returncode == 0, done.stderr
    calls = (home / "calls").read_text().splitlines()
    assert "tool upgrade zot-agent" in calls
    assert [call for call in calls if call.startswith("tool install")] == []


def test_another_zot_that_comes_first_is_named(install: Install, home: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "zot", "echo zot 0.0.1")
    done = install(PATH=f"{tmp_path}/bin:{home}/tools")
    assert done.stderr.endswith(f"begin with: {home}/tools/zot; {tmp_path}/bin/zot comes before it on your PATH\n")


def test_a_system_without_a_wheel_is_named(install: Install, tmp_path: Path) -> None:
    (tmp_path / "bin" / "uname").unlink()
    (tmp_path / "bin" / "uname").write_text('#!/bin/sh\n[ "$1" = -s ] && echo Plan9 || echo vax\n')
    (tmp_path / "bin" / "uname").chmod(0o755)
    done = install()
    assert done.returncode == 1
    assert "uv has no wheel for Plan9-vax" in done.stderr


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_a_script_whose_download_broke_off_does_nothing(install: Install, home: Path, share: float) -> None:
    install(SCRIPT[: int(len(SCRIPT) * share)])
    assert list(home.iterdir()) == []
