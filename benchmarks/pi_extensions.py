"""The bridge for extensions written for pi: its start, its memory, and what a question through it costs."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from environment import Environment, Figure
from extension_screen import SECONDS, frames
from screen import PROMPT, open_screen

MODULES = Path(__file__).parents[1] / "tests" / "support" / "pi"
EXTENSION = """
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import { Type } from "typebox";

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: "tool_%(n)d", label: "Tool", description: "a tool", parameters: Type.Object({ text: Type.String() }),
    async execute(_id: string, params: { text: string }) {
      return { content: [{ type: "text", text: params.text }], details: {} };
    },
    renderResult: () => new Text("drawn", 0, 0),
  });
  pi.registerCommand("command-%(n)d", { description: "a command", handler: async () => {} });
  %(guard)s
}
"""
SNAKE = """
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const WIDTH = 40, HEIGHT = 15, LENGTH = 12;
const ROUND = 2 * (WIDTH + HEIGHT) - 4;

/** The cell of the board's edge that the snake reaches after so many steps. */
function cell(step: number): string {
  const at = ((step % ROUND) + ROUND) % ROUND;
  if (at < WIDTH) return `${at},0`;
  if (at < WIDTH + HEIGHT - 1) return `${WIDTH - 1},${at - WIDTH + 1}`;
  if (at < 2 * WIDTH + HEIGHT - 2) return `${2 * WIDTH + HEIGHT - 3 - at},${HEIGHT - 1}`;
  return `0,${ROUND - at}`;
}

export default function (pi: ExtensionAPI) {
  pi.registerCommand("snake", { description: "a snake that goes round", handler: async (_args, ctx) => {
    await ctx.ui.custom((tui) => {
      let step = 0;
      const timer = setInterval(() => { step += 1; tui.requestRender(); }, 1000 / 30);
      return {
        render: () => {
          const snake = new Set(Array.from({ length: LENGTH }, (_, at) => cell(step - at)));
          const rows = Array.from({ length: HEIGHT }, (_, y) => Array.from({ length: WIDTH }, (_, x) =>
            snake.has(`${x},${y}`) ? "\\x1b[32m██\\x1b[0m" : "  ").join(""));
          const edge = "\\x1b[2m│\\x1b[22m";
          return [`frame ${String(step).padStart(6, "0")}`, ...rows.map((row) => `${edge}${row}${edge}`)];
        },
        handleInput: () => {}, invalidate: () => {}, dispose: () => clearInterval(timer),
      };
    });
  } });
}
"""
GUARD = 'pi.on("tool_call", async () => undefined);'
RUNS, ASKED = 7, 500
LOCATE = "from zot_agent.pi.runtime import BRIDGE; print(BRIDGE)"


def measure(environment: Environment) -> Iterator[Figure]:
    """Wall times from `exec` to `ready`, the largest resident memory, and the time of an interception."""
    node = next(MODULES.glob("node_modules/node-*/bin/node"), None)
    if node is None:
        return  # there was no npm
    bridge = environment.run([environment.python, "-c", LOCATE]).stdout.decode().strip()
    files = []
    for number in range(10):
        path = environment.folder / f"pi-{number}.ts"
        path.write_text(EXTENSION % {"n": number, "guard": GUARD if number == 0 else ""})
        files.append(str(path))
    with tempfile.TemporaryDirectory() as cache:
        variables = {**os.environ, "ZOT_PI_MODULES": str(MODULES), "ZOT_PI_CACHE": cache}
        cold = []
        for _ in range(3):
            shutil.rmtree(cache, ignore_errors=True)
            cold.append(_start([str(node), bridge, *files], variables)[0])
        warm = [_start([str(node), bridge, *files], variables) for _ in range(RUNS)]
        bare = statistics.median(_wall([str(node), "-e", ""], variables) for _ in range(RUNS))
        note = f"a bare Node {bare * 1000:.0f} ms"
        yield Figure(
            "ten extensions of pi, ready, warm", statistics.median(each for each, _ in warm) * 1000, "ms", 450, note
        )
        yield Figure("ten extensions of pi, ready, cold", statistics.median(cold) * 1000, "ms", 450)
        yield Figure("ten extensions of pi, memory, warm", statistics.median(each for _, each in warm) / 1e6, "MB", 90)
        median = _ask([str(node), bridge, *files], variables)
        yield Figure("an interception through the bridge, p50", median * 1000, "ms", 1.5)
    yield _snake(environment, node)


def _snake(environment: Environment, node: Path) -> Figure:
    """The CPU of the process of zot while an extension of pi draws a snake on a board of 40 by 15 cells."""
    path = environment.folder / "pi-snake.ts"
    path.write_text(SNAKE)
    variables = environment.variables | {"ZOT_PI_MODULES": str(MODULES)}
    variables["PATH"] = os.pathsep.join([str(node.parent), variables["PATH"]])
    place = Environment(environment.folder, environment.python, environment.zot, variables, environment.scale)
    with open_screen(place, "-e", str(path)) as terminal:
        terminal.wait_for(PROMPT)
        terminal.watch(3)
        terminal.type("/snake\r")
        terminal.wait_for("frame")
        shown, seconds = frames(terminal)
    share = seconds / shown * 30 * environment.scale * 100
    return Figure("a snake of pi at 30 frames/s", share, "% of a core", 10, f"{shown / SECONDS:.0f} frames/s")


def _wall(command: list[str], variables: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=variables, check=True)
    return time.perf_counter() - begin


@contextmanager
def _running(command: list[str], variables: dict[str, str]) -> "Iterator[subprocess.Popen[bytes]]":
    """The bridge, ready; it is ended at the end."""
    process = subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        hello = _read(process, "hello")
        ack = {
            "type": "hello_ack", "protocol_version": 1, "zot_version": "0", "provider": "p", "model": "m",
            "cwd": "/tmp", "capabilities": hello["capabilities"],
        }  # fmt: skip
        _write(process, ack)
        _read(process, "ready")
        yield process
    finally:
        process.kill()
        process.communicate()


def _start(command: list[str], variables: dict[str, str]) -> tuple[float, float]:
    """Return the seconds until the bridge is ready, and the bytes of its largest resident memory."""
    begin = time.perf_counter()
    with _running(command, variables) as process:
        spent = time.perf_counter() - begin
        status = Path(f"/proc/{process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        sizes = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
        return spent, float(sizes.get("VmHWM", sizes.get("VmRSS", "0"))) * 1024


def _ask(command: list[str], variables: dict[str, str]) -> float:
    """Return the median seconds of a question about a tool call."""
    times = []
    with _running(command, variables) as process:
        for number in range(ASKED + 50):
            frame = {
                "type": "event_intercept", "id": str(number), "event": "tool_call", "tool_id": "c", "tool_name": "bash",
                "tool_args": {"command": "true"},
            }  # fmt: skip
            begin = time.perf_counter()
            _write(process, frame)
            _read(process, "event_intercept_response")
            times.append(time.perf_counter() - begin)
    return statistics.median(times[50:])


def _write(process: "subprocess.Popen[bytes]", frame: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(frame).encode() + b"\n")
    process.stdin.flush()


def _read(process: "subprocess.Popen[bytes]", kind: str) -> dict[str, Any]:
    """Return the next frame of a kind."""
    assert process.stdout is not None
    for line in process.stdout:
        frame: dict[str, Any] = json.loads(line)
        if frame["type"] == kind:
            return frame
    raise RuntimeError(f"the bridge has ended before {kind!r}")
