"""Run tests as on a machine that has nothing but python3, git and make: `make bare`.

`bare.py WORDS` runs pytest with these words on a copy of the checkout, in a folder that only its owner may enter.
Around it there are no programs but the PROGRAMS of the root `conftest.py` and uv, no variables but those of installers,
an empty home, and none of the packages of npm. On Linux other programs are not even at their places, where
`hide_programs.py` can do that, and the kernel refuses what some kernels lack: namespaces, Landlock and IPv6. A test
that needs more and does not declare it fails.
"""

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from hide_programs import ROOT, can_hide, hide, programs_of_every_machine

KEPT = re.compile("UV_|PIP_|SSL_|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|.*_PROXY|TMPDIR", re.IGNORECASE)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
NEW_NAMESPACE, AF_INET6 = 0x7E020080, 10
MACHINES = {"x86_64": (0xC000003E, 41, 56, 272), "aarch64": (0xC00000B7, 198, 220, 97)}
"""AUDIT_ARCH of `linux/audit.h`, and the numbers of socket, clone and unshare in `unistd.h`."""
CLONE3, LANDLOCK = 435, 444  # the same on all machines; landlock_create_ruleset


def without_features() -> None:
    """Make the kernel refuse, to this process and its children, what some kernels lack. Raises OSError."""
    architecture, socket, clone, unshare = MACHINES[os.uname().machine]
    code = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, 0)]
    for call, error in ((LANDLOCK, ENOSYS), (CLONE3, ENOSYS), (unshare, EPERM)):
        code += [(EQUAL, 0, 1, call), (RETURN, 0, 0, ERROR | error)]
    for call, test, operand, error in ((socket, EQUAL, AF_INET6, EAFNOSUPPORT), (clone, ANY_BIT, NEW_NAMESPACE, EPERM)):
        refused = [(LOAD, 0, 0, 16), (test, 0, 1, operand), (RETURN, 0, 0, ERROR | error), (RETURN, 0, 0, ALLOW)]
        code += [(EQUAL, 0, len(refused), call), *refused]
    code.append((RETURN, 0, 0, ALLOW))
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in code))
    length_and_place = ctypes.create_string_buffer(struct.pack("HP", len(code), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, length_and_place, 0, 0
    ):
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


def copy(checkout: Path) -> None:
    """Write into `checkout` what git knows or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        if os.path.lexists(ROOT / name):  # it may be deleted and not yet committed
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name, follow_symlinks=False)


def bare_environment(folder: Path) -> dict[str, str]:
    """The variables of a bare machine whose programs and home are below `folder`."""
    for name in ("bin", "home"):
        (folder / name).mkdir()
    python = os.path.realpath(sys.executable)
    found = {name: shutil.which(name) for name in programs_of_every_machine()} | {"python3": python}
    for name, program in found.items():
        if program:
            (folder / "bin" / name).symlink_to(os.path.realpath(program))
    cache = subprocess.check_output([os.environ["UV"], "cache", "dir"], text=True).strip()
    kept = {name: value for name, value in os.environ.items() if KEPT.match(name)}
    here = {"PATH": str(folder / "bin"), "HOME": str(folder / "home"), "UV_CACHE_DIR": cache, "UV_PYTHON": python}
    return kept | here


def main(words: list[str]) -> int:
    """Run pytest with these words; its exit code."""
    with tempfile.TemporaryDirectory(prefix="zot-bare-") as folder:
        checkout = Path(folder, "zot")
        checkout.mkdir()
        copy(checkout)
        command = [os.environ["UV"], "run", "--quiet", "--all-packages", "--group", "fleet"]
        environment = bare_environment(Path(folder))
        subprocess.run([*command, "true"], cwd=checkout, env=environment, check=True)
        uv = os.environ["UV"]
        hidden = can_hide([uv], outside=False)
        known = sys.platform == "linux" and os.uname().machine in MACHINES

        def become_bare() -> None:
            if hidden:
                hide([uv], outside=False)
            if known:
                without_features()

        pytest = [*command, "pytest", *words]
        return subprocess.run(pytest, cwd=checkout, env=environment, check=False, preexec_fn=become_bare).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
