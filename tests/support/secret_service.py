"""`secret_service`: a keyring of its own, as desktops have it: gnome-keyring on a private D-Bus."""

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from waiting import PATIENCE


@contextmanager
def secret_service() -> Iterator[dict[str, str]]:
    """Run a keyring with files of its own; give the variables with which a process finds it."""
    with tempfile.TemporaryDirectory(prefix="zot-keyring-") as folder:  # the address of a socket must be short
        yield from _serve(Path(folder))


def _serve(folder: Path) -> Iterator[dict[str, str]]:
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    variables = {"XDG_RUNTIME_DIR": str(runtime), "XDG_DATA_HOME": str(folder / "data")}
    environment = {**os.environ, **variables, "HOME": str(folder)}
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", f"--address=unix:dir={runtime}"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    daemon = None
    try:
        assert bus.stdout is not None
        variables["DBUS_SESSION_BUS_ADDRESS"] = environment["DBUS_SESSION_BUS_ADDRESS"] = _line(bus)
        daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert daemon.stdin is not None
        daemon.stdin.write(b"password")
        daemon.stdin.close()
        _wait_for_service(variables["DBUS_SESSION_BUS_ADDRESS"], daemon)
        yield variables
    finally:
        for process in filter(None, (daemon, bus)):
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _wait_for_service(address: str, daemon: "subprocess.Popen[bytes]") -> None:
    """Wait until the daemon owns its name; a request before that might start another one, which is locked."""
    end = time.monotonic() + PATIENCE
    with closing(open_dbus_connection(address)) as connection:
        question = message_bus.NameHasOwner("org.freedesktop.secrets")
        while not connection.send_and_get_reply(question).body[0]:
            assert daemon.poll() is None, "gnome-keyring-daemon has ended"
            assert time.monotonic() < end, "gnome-keyring-daemon is not on the bus"


def _line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, f"{process.args!r} says nothing"
    return process.stdout.readline().decode().strip()
