"""The packages of Atomic's own repository, each driven through its purpose: `make pi ATOMIC=CLONE`."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from declared import declared
from pi_conversation_rows import call
from pi_drive import Row, Stage, Step, ask, command, requested, see
from pi_zot import pi_environment
from test_examples import ATOMIC, EXAMPLES, ROWS
from test_packages import site  # noqa: F401  a fixture
from waiting import PATIENCE

from zot_agent.pi.runtime import BRIDGE
from zot_provider.testing import Call, Turn

pytestmark = pytest.mark.needs("node", "npm", "pi")

Drive = Callable[[str, Row], None]
Driven = Callable[..., None]
Steps = list[Step | list[Step]]


@pytest.fixture
def run(driven: Driven, request: pytest.FixtureRequest) -> Drive:
    """Drives a package of the clone. None of them runs in pi: they need Atomic's own package."""
    packages = Path(request.config.getoption("atomic")) / "packages"
    return lambda name, row: driven(name, str(packages / name), row, in_pi=False)


def test_all_its_examples_load_and_lack_nothing_but_packages_of_npm(request: pytest.FixtureRequest) -> None:
    folder = Path(request.config.getoption("atomic")) / ATOMIC / EXAMPLES
    rows = sorted(path for path in folder.iterdir() if path.name in {row.name for row in ROWS})
    done = subprocess.run(
        ["node", BRIDGE, "--describe", *rows], env=pi_environment(os.environ), capture_output=True, check=True
    )
    found = {each["name"]: (each["error"], each["missing"]) for each in json.loads(done.stdout)["extensions"]}
    assert len(found) == len(rows)
    lacks = {name: (error, missing) for name, (error, missing) in found.items() if error or missing}
    names = ("custom-provider-anthropic", "gondolin", "sandbox", "with-deps")
    assert sorted(lacks) == [f"atomic-extension-{name}" for name in names]
    assert all(error.startswith("needs the npm package ") and not missing for error, missing in lacks.values())


def test_a_session_tells_another_one_something_with_intercom(run: Drive) -> None:
    def another(stage: Stage) -> None:
        done = stage.zot.run(
            "-p", "tell alpha", *stage.zot.at(stage.server), env=pi_environment(stage.zot.env), timeout=3 * PATIENCE
        )
        assert (done.code, done.out) == (0, "I know.\n"), done.err

    def connected(stage: Stage) -> None:
        """Ask again until its broker has started: it waits 5 s for that, also on a busy machine."""
        while "Broker failed to start" in str((stage.server.requests[-1].body or {})["messages"][-1]):
            stage.server.add(call("intercom", action="list"), "Nobody.")
            asked = len(stage.server.requests)
            stage.pty.type("who is there?\r")
            stage.pty.wait_until(lambda asked=asked: len(stage.server.requests) > asked + 1, PATIENCE, "another call")
        stage.server.add(call("intercom", action="send", to="alpha", message="low water at six"), "I know.", "I know.")

    steps: Steps = [
        *(command("rename", "give the session a title", "alpha"), ask("who is there?"), see("Nobody."), connected),
        *(another, see("low water at six", "I know."), requested("low water at six")),
    ]
    says = [call("intercom", action="list"), "Nobody."]
    run("intercom", Row("sessions talk", steps, says))


@pytest.mark.needs("mcp-servers")
def test_the_model_calls_a_tool_of_a_server_with_mcp(run: Drive) -> None:
    server = declared("mcp-servers") / "mcp-server-everything"
    servers = {"mcpServers": {"every": {"command": shutil.which("node"), "args": [str(server)]}}}
    steps: Steps = [ask(), see("All done."), requested("Echo: from-the-server"), *command("mcp", "MCP"), see("every")]
    says = [
        call("mcp", connect="every"),
        Turn(calls=[Call("mcp", {"tool": "every_echo", "args": json.dumps({"message": "from-the-server"})})]),
        "All done.",
    ]
    files = {"../home/.atomic/agent/mcp.json": json.dumps(servers)}
    run("mcp", Row("tools of an MCP server", steps, says, files=files))


def test_the_model_reads_a_page_with_web_access(run: Drive, site: str) -> None:  # noqa: F811  as above
    steps: Steps = [ask(), see("All done."), requested("has a tide of five metres")]
    run("web-access", Row("pages", steps, [call("fetch_content", url=f"{site}/tides"), "All done."]))


WORKFLOW = """
import { workflow } from "@bastani/workflows";
import { Type } from "typebox";

export default workflow({
  name: "tides", description: "Ask twice about tides.",
  inputs: { place: Type.String() }, outputs: { answer: Type.String() },
  run: async (ctx) => {
    const first = await ctx.task("look", { prompt: `When is low water in ${ctx.inputs.place}?` });
    const second = await ctx.task("check", { prompt: `Check this: ${first.text}` });
    return { answer: second.text };
  },
});
"""


def test_the_model_runs_a_workflow_of_two_stages(run: Drive) -> None:
    steps: Steps = [ask(), requested("When is low water in Leith?", "Check this: At six."), see("completed")]
    says = [call("workflow", workflow="tides", inputs={"place": "Leith"}), *["At six."] * 6]
    run("workflows", Row("stages", steps, says, files={".atomic/workflows/tides.ts": WORKFLOW}))
