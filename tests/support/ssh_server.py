"""A real `sshd` on a free port of this machine, with keys of its own, and a configuration for `ssh`."""

import contextlib
import getpass
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ports import free_port


class SshServer:
    """The host `far` of the configuration `config`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(mode=0o700)
        self.root, self.config = root, str(root / "config")
        for name in ("host", "other", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(root / name)], check=True)
        self.port = free_port()
        shutil.copy(root / "user.pub", root / "allowed")
        self._process: subprocess.Popen[bytes] | None = None
        self.know("host")
        (root / "config").write_text(
            f"Host far\n HostName 127.0.0.1\n Port {self.port}\n User {getpass.getuser()}\n IdentityFile {root}/user\n"
            f" IdentitiesOnly yes\n UserKnownHostsFile {root}/known\n GlobalKnownHostsFile none\n"
            " StrictHostKeyChecking yes\n"
        )

    def know(self, key: str) -> None:
        """Let the client expect this key of the server."""
        public = " ".join((self.root / f"{key}.pub").read_text().split()[:2])
        (self.root / "known").write_text(f"[127.0.0.1]:{self.port} {public}\n")

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        settings = (
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.root}/host\n"
            f"AuthorizedKeysFile {self.root}/allowed\n"
            f"PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            f"Subsystem sftp internal-sftp\n"
            # The files that a shell reads as it starts are not those of the person who runs the tests.
            f"SetEnv HOME={self.root}\nPermitUserRC no\n"
        )
        (self.root / "sshd").write_text(settings)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        program = shutil.which("sshd")
        assert program is not None  # sshd wants to be started by its path
        self._process = subprocess.Popen(
            [program, "-D", "-e", "-f", str(self.root / "sshd")], stderr=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if b"listening on" in line:
                return
        raise RuntimeError("sshd did not start")

    def cut(self) -> None:
        """End all connections at once; the server itself runs on."""
        assert self._process is not None
        for pid in _children(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        """End the server and its connections."""
        if self._process is not None:
            self.cut()
            self._process.kill()
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._process = None


def _children(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


@contextlib.contextmanager
def ssh_server(root: Path) -> Iterator[SshServer]:
    """A running server whose files are below `root`."""
    server = SshServer(root)
    server.start()
    try:
        yield server
    finally:
        server.stop()
