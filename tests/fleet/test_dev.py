"""`zot fleet dev`: a server, workers and a store in a folder, all of one command."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from command import Zot
from ports import free_port, listens
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, ScriptedServer, Turn


def two_free_ports() -> int:
    """A free port; the one so much higher that the page has is free too."""
    while True:
        port = free_port()
        if not listens(port + 1000):
            return port


def test_one_command_is_a_fleet_that_ends_with_it(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    port, folder, log = two_free_ports(), tmp_path / "dev", tmp_path / "dev.log"
    words = ["fleet", "dev", "--port", str(port), "--folder", str(folder), "--sandbox", "off"]
    env = {name: text for name, text in zot.env.items() if not name.startswith("ZOT_FLEET_")}
    with open(log, "wb") as output:
        dev = subprocess.Popen(
            [sys.executable, "-m", "zot_agent", *words], cwd=zot.cwd, env=env, stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        wait_until(lambda: "zot runs list --fleet" in log.read_text() or dev.poll() is not None, "it has started")
        assert f"Temporal is at 127.0.0.1:{port}, its page at http://127.0.0.1:{port + 1000}" in log.read_text()
        server.add(Turn("", calls=[Call("bash", {"command": "echo here > effect"}, "c1")]), "all done")
        there = env | {"ZOT_FLEET_ADDRESS": f"127.0.0.1:{port}", "ZOT_FLEET_STORE": str(folder / "store")}
        done = zot.run("run", "--fleet", "--id", "first", *zot.at(server), "do it", env=there, timeout=PATIENCE)
        assert done.result == (0, "all done\n", "")
        assert (zot.cwd / "effect").read_text() == "here\n"
        second = zot.run(*words, env=env, timeout=PATIENCE)
        assert (second.code, second.line()) == (2, f"port {port} is in use; --port names another")
        dev.send_signal(signal.SIGINT)
        assert dev.wait(PATIENCE) == 130
        assert not listens(port)
        assert "Traceback" not in log.read_text()
    finally:
        if dev.poll() is None:
            os.killpg(dev.pid, signal.SIGKILL)


def test_a_fleet_whose_worker_ends_says_so_and_ends(zot: Zot, tmp_path: Path) -> None:
    port = two_free_ports()
    words = ["fleet", "dev", "--port", str(port), "--folder", str(tmp_path / "dev"), "--store", "mysql://no"]
    done = zot.run(*words, timeout=PATIENCE)
    assert done.code == 1
    assert done.err.splitlines()[-1] == "zot: a worker has ended with the exit code 2"
