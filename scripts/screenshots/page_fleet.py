"""A fleet with runs in several states, for the pictures of the page of `zot serve`. Its server and workers are real."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chromium import Tab

from zot_provider.testing import Call, ScriptedServer, Turn

PORT = 47233
"""The port of Temporal; that of its page is 1,000 higher."""

_RUNS = {
    "opening-hours": ("add the opening hours to the README", "yolo"),
    "release": ("release version 2 of the till", "ask"),
    "slow-tests": ("find out why the tests are slow", "yolo"),
}
"""Tasks and permission modes."""


def _answer(request: Any) -> Turn:
    messages = request.body["messages"]
    task, step = str(messages[0]["content"]), len(messages)
    if "release" in task:
        return Turn("The tag is missing at origin.", calls=[Call("bash", {"command": "git push origin v2"})])
    if "slow" in task:
        return Turn(calls=[Call("bash", {"command": "make test; exec sleep 100"})])
    return Turn("It is there.") if step > 1 else Turn(calls=[Call("read", {"path": "README.md"})])


@contextmanager
def fleet(home: Path, environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run `zot fleet dev`; the variables that name the fleet."""
    folder = home / "fleet"
    command = [sys.executable, "-m", "zot_agent", "fleet", "dev", "--port", str(PORT), "--folder", str(folder)]
    process = subprocess.Popen(
        [*command, "--workers", "1", "--sandbox", "off"], cwd=home, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        while "then: zot run --fleet" not in process.stdout.readline():
            assert process.poll() is None
        yield {"ZOT_FLEET_ADDRESS": f"127.0.0.1:{PORT}", "ZOT_FLEET_STORE": str(folder / "store")}
    finally:
        process.terminate()
        process.wait()


async def show_runs(tab: Tab, model: ScriptedServer, shop: Path, environment: Mapping[str, str]) -> None:
    """Begin the runs, and show them on the page once each is in its state."""
    model.add(*[_answer] * 30)
    for id, (task, mode) in _RUNS.items():
        words = ("run", "--fleet", "--detach", "--id", id, "--permission-mode", mode, task)
        submitting = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "zot_agent", *words, cwd=shop, env=environment, stdout=asyncio.subprocess.DEVNULL
        )
        assert await submitting.wait() == 0
    await tab.value("document.querySelector('#runs summary').click()")
    for seen in ("opening-hours · done", "release · waiting", "slow-tests · running"):
        await tab.until(f"document.getElementById('run-list').innerText.includes({seen!r})")
    await tab.until("document.querySelectorAll('#run-list .question').length === 1")
    # The name of this machine and the number of the worker's process are the same in each picture.
    owner = f"/{socket.gethostname()}-\\d+/"
    await tab.value(
        "document.querySelectorAll('#run-list .where').forEach((each) => "
        f"{{ each.textContent = each.textContent.replace({owner}, 'worker-4711'); }})"
    )
    await tab.value("document.getElementById('runs').scrollIntoView()")
