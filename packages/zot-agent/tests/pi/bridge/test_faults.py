"""What extensions written for pi do wrong: their neighbours in the process go on."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pi_zot import pi_environment
from waiting import PATIENCE

from zot_agent.pi.runtime import BRIDGE
from zot_ext.protocol.from_extension import Notify
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]

NEIGHBOUR = """
    export default function (pi) {
      pi.registerCommand("neighbour", { handler: async (_, ctx) => { ctx.ui.notify("the neighbour goes on"); } });
    }
"""


def goes_on(host: FakeHost, count: int = 1) -> bool:
    host.command("neighbour")
    return bool(host.wait_for(Notify, lambda note: note.message == "the neighbour goes on", count=count))


def noted(host: FakeHost, part: str) -> str:
    return host.wait_for(Notify, lambda note: part in note.message).message


@pytest.mark.parametrize("source", ["export default () => new Promise(() => {});", "await new Promise(() => {});"])
def test_an_extension_that_is_never_ready_leaves_the_others(bridge: Bridge, source: str) -> None:
    host = bridge(source, NEIGHBOUR)
    assert noted(host, "cannot be used") == "extension cannot be used: it is not ready after 15 s"
    assert goes_on(host)


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.6, "it is ready"), (PATIENCE, "it is not ready after 1.2 s")], ids=["long", "for ever"]
)
def test_the_time_in_which_an_extension_is_at_work_counts_less_than_that_in_which_it_waits(
    seconds: float, told: str
) -> None:
    program = f"""
        import {{ inTime }} from "{(Path(BRIDGE).parent / "load" / "loader.mjs").as_uri()}";
        const load = async () => {{
          for (let work = 0; process.cpuUsage().user < {seconds} * 1e6; ) {{
            for (let turn = 0; turn < 1e6; turn += 1) work += turn;
            await new Promise(setImmediate);
          }}
          return "it is ready";
        }};
        process.stdout.write(await inTime(load()).catch((error) => error.message));
        process.exit();
    """
    words, environment = ["node", "--input-type=module", "-e", program], pi_environment(os.environ)
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=PATIENCE, env={**environment, "ZOT_EXT_PATIENCE": "0.02"}
    )
    assert (done.stdout, done.stderr) == (told, "")


def test_a_widget_that_cannot_be_drawn_and_a_renderer_that_throws_are_reported(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.registerTool({ name: "look", description: "looks", parameters: { type: "object", properties: {} },
            execute: async () => ({ content: [] }), renderCall: () => { throw new Error("no picture of it"); } });
          pi.on("agent_start", (_, ctx) => {
            ctx.ui.setWidget("w", () => ({ render() { throw new Error("no widget"); }, invalidate() {} }));
          });
        }
    """
    host = bridge(source, NEIGHBOUR)
    host.event("agent_start")
    assert noted(host, "no widget") == "the widget w cannot be drawn: no widget"
    question: dict[str, Any] = {"kind": "tool_call", "name": "look", "item": "c1", "state": "done", "args": {}}
    assert host.intercept("render", width=40, **question).extra.get("lines") is None
    assert goes_on(host)


def test_a_timer_that_outlives_the_session_of_its_extension_cannot_use_the_next_one(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.on("session_start", (event, ctx) => {
            if (event.reason === "startup") setInterval(() => ctx.ui.notify("from the timer"), 20);
          });
        }
    """
    host = bridge(source, NEIGHBOUR)
    host.event("session_start", reason="startup")
    assert noted(host, "from the timer")
    host.event("session_end", reason="session_switch", detail="new")
    host.event("session_start", reason="new", session_id="s2")
    assert "This extension ctx is stale" in noted(host, "outside of its handlers")
    assert goes_on(host)
    count = len([note for note in host.sent(Notify) if note.message == "from the timer"])
    assert goes_on(host, 2)
    assert len([note for note in host.sent(Notify) if note.message == "from the timer"]) == count


def test_an_extension_that_blocks_its_process_holds_up_its_neighbours_until_it_ends(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.on("agent_start", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000));
        }
    """
    host = bridge(source, NEIGHBOUR)
    begun = time.monotonic()
    host.event("agent_start")
    assert goes_on(host)
    assert time.monotonic() - begun > 2
    assert goes_on(host, 2)


def test_the_end_of_the_process_is_refused_at_load_in_a_timer_and_after_the_session(bridge: Bridge) -> None:
    timer = """
        export default function (pi) {
          pi.on("session_shutdown", () => {
            setTimeout(() => { throw new Error("thrown after the session"); }, 20);
            setTimeout(() => process.exit(1), 20);
          });
        }
    """
    host = bridge("process.exit(0);", "export default () => process.exit(0);", timer, NEIGHBOUR)
    refused = "process.exit ends zot's extensions; an extension ends zot with ctx.shutdown()"
    assert noted(host, "extension cannot be used") == f"extension cannot be used: {refused}"
    assert noted(host, "extension1 cannot be used") == f"extension1 cannot be used: {refused}"
    host.event("session_start", reason="startup")
    host.event("session_end", reason="session_switch", detail="new")
    host.event("session_start", reason="new", session_id="s2")
    assert noted(host, "thrown after") == "an extension has failed outside of its handlers: thrown after the session"
    assert noted(host, "outside of its handlers: process.exit").endswith(refused)
    assert goes_on(host)


def test_a_program_that_an_extension_starts_cannot_write_into_the_wire(bridge: Bridge) -> None:
    host = bridge(
        """
        import { spawnSync } from "node:child_process";
        import fs from "node:fs";
        export default function (pi) {
          pi.registerCommand("print", { handler: async () => {
            spawnSync("echo", ["from a program"], { stdio: "inherit" });
            fs.writeSync(1, "from a descriptor\\n");
            process.stdout.write("from the stream\\n");
          } });
        }
        """,
        NEIGHBOUR,
    )
    assert host.command("print").error in ("", None)
    assert goes_on(host)
    assert host.noise == []
