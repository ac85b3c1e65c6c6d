"""Runs of a fleet on the page of `zot serve`, in a real browser. Needs Chromium."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from chromium import browser
from command import Zot
from fleet_servers import Workers
from visited_page import click
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, ScriptedServer, Turn

pytestmark = pytest.mark.needs("chromium")
TOKEN = "the-token-of-a-test"


@contextmanager
def serving(zot: Zot, *options: str, **variables: str) -> Iterator[str]:
    """Run `zot serve` with these options; its address. Its standard error is in `serve.log`."""
    command = [sys.executable, "-m", "zot_agent", "serve", "--listen", "127.0.0.1:0", *options]
    with open(zot.cwd / "serve.log", "wb") as log, subprocess.Popen(
        command, cwd=zot.cwd, env=zot.env | {"ZOT_SERVE_TOKEN": TOKEN} | variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=log, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()
            process.wait(PATIENCE)


def ask(address: str, path: str, body: object = None) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"authorization": f"Bearer {TOKEN}"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def submit(zot: Zot, server: ScriptedServer, id: str, *options: str) -> None:
    words = ("run", "--fleet", "--detach", "--id", id, *options, *zot.at(server), f"the task of {id}")
    assert zot.run(*words, timeout=PATIENCE).code == 0


async def test_a_person_answers_steers_and_ends_runs_of_a_fleet_on_the_page(
    zot: Zot, server: ScriptedServer, workers: Workers
) -> None:
    asks, stops = (f"{name}-{os.urandom(3).hex()}" for name in ("asks", "stops"))
    server.add(Turn("first", calls=[Call("bash", {"command": "echo asked >> effects"}, "c1")]), "all done")
    submit(zot, server, asks, "--permission-mode", "ask")
    workers.start()
    with serving(zot, "--fleet") as address:
        async with browser() as tab:
            await tab.go(f"{address}/#token={TOKEN}")
            await click(tab, "#runs summary")
            await click(tab, f"#run-list button[aria-label='Yes, this call: {asks}']")
            await tab.until(f"document.getElementById('run-list').innerText.includes('{asks} · done · 2 steps')")
            assert (zot.cwd / "effects").read_text() == "asked\n"
            text = str(await tab.value("document.getElementById('run-list').innerText"))
            assert f"the task of {asks}" in text
            server.add(Turn(calls=[Call("bash", {"command": "echo begun >> effects; sleep 600"}, "c1")]))
            submit(zot, server, stops)
            wait_until(lambda: "begun" in (zot.cwd / "effects").read_text(), "the command has begun")
            message = f"#run-list input[aria-label='Message to {stops}']"
            await tab.until(f'document.querySelector("{message}")')
            await tab.value(f'document.querySelector("{message}").value = "and be quick"')
            await click(tab, f"#run-list button[aria-label='Send: {stops}']")
            await tab.until(f'document.querySelector("{message}").value === ""')
            status, shown = ask(address, "/runs?fleet=1")
            run: dict[str, Any] = next(each for each in json.loads(shown)["runs"] if each["id"] == stops)
            assert (status, run["state"], run["task"]) == (200, "running", f"the task of {stops}")
            assert run["owner"].endswith(f"-{workers.running[0].pid}")
            every = "[...document.querySelectorAll('#run-list .where')]"
            about = f"{every}.find((each) => each.innerText.startsWith('{stops}'))"
            assert await tab.value(f"{about}.innerText.includes({run['owner']!r})")
            assert await tab.value(f"{about}.scrollWidth <= {about}.clientWidth")  # nothing of it is cut off
            assert 'zot_fleet_runs{state="running"} ' in ask(address, "/metrics")[1]
            await click(tab, f"#run-list button[aria-label='Cancel: {stops}']")
            await tab.until(f"document.getElementById('run-list').innerText.includes('{stops} · cancelled')")
            assert tab.complaints == []
        assert ask(address, f"/runs/{stops}/steer?fleet=1", {"text": "too late"})[0] == 404
        assert ask(address, f"/runs/{stops}/steer?fleet=1", {"text": ""})[0] == 400


async def test_a_fleet_that_does_not_answer_is_a_line_on_the_page_and_in_the_metrics(zot: Zot) -> None:
    with serving(zot, "--fleet", "--address", "127.0.0.1:1") as address:
        assert ask(address, "/runs") == (200, '{"runs":[],"fleet":true}')
        assert "Temporal does not answer at 127.0.0.1:1" in ask(address, "/runs?fleet=1")[1]
        assert "zot_fleet_answers 0" in ask(address, "/metrics")[1].splitlines()
        async with browser() as tab:
            await tab.go(f"{address}/#token={TOKEN}")
            await click(tab, "#runs summary")
            await tab.until("document.getElementById('run-list').innerText.includes('Temporal does not answer')")


def test_a_server_without_a_fleet_says_so_and_imports_nothing_of_it(zot: Zot) -> None:
    with serving(zot, PYTHONPROFILEIMPORTTIME="1") as address:
        assert json.loads(ask(address, "/runs")[1]) == {"runs": [], "fleet": False}
        status, said = ask(address, "/runs?fleet=1")
        assert (status, json.loads(said)["error"]) == (
            404, "this server has no fleet; start it with zot serve --fleet"
        )  # fmt: skip
        assert ask(address, "/runs/any/steer", {"text": "hello"})[0] == 400
    lines = [line.rpartition("|")[2].strip() for line in (zot.cwd / "serve.log").read_text().splitlines()]
    assert "zot_agent.serve.routes.runs" in lines
    loaded = [line for line in lines if line.startswith(("temporalio", "psycopg", "zot_agent.fleet."))]
    assert set(loaded) <= {"zot_agent.fleet.addresses", "zot_agent.fleet.extra"}


def test_a_server_whose_store_is_not_named_says_what_to_set(zot: Zot) -> None:
    done = zot.run("serve", "--fleet", env=zot.env | {"ZOT_FLEET_STORE": ""}, timeout=PATIENCE)
    assert (done.code, done.line()) == (
        2,
        "a fleet needs a store for its runs: set ZOT_FLEET_STORE to postgresql://USER@HOST/NAME, or to a folder on one"
        " machine",
    )
