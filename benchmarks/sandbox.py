"""The sandbox: what a command costs more inside."""

import json
import shutil
from collections.abc import Iterator

from environment import Environment, Figure

ROUNDS, COMMANDS = 5, 20

PROGRAM = """
import asyncio, json, os, statistics, sys, time
from zot_core.machine.shell import LocalShell
from zot_core.sandbox.sandbox import open_sandbox
from zot_core.sandbox.shell import SandboxedShell

folder, rounds, commands = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
project = os.path.join(folder, "project")
os.makedirs(project)
sandbox = open_sandbox(project, zot_home=os.path.join(folder, "home"))

async def run(shell):
    times = []
    for _ in range(commands):
        begin = time.perf_counter()
        ended = await shell.run("true", cwd=project, env={}, timeout=60, output=print)
        times.append(time.perf_counter() - begin)
        assert ended.exit_code == 0, ended
    return statistics.median(times)

async def main():
    bare = LocalShell()
    confined = SandboxedShell(sandbox, bare)
    await run(confined)
    pairs = [(await run(bare), await run(confined)) for _ in range(rounds)]
    print(json.dumps({"bare": min(pair[0] for pair in pairs), "more": min(b - a for a, b in pairs)}))

if problem := sandbox.problem():
    print(json.dumps({"problem": problem}))
else:
    asyncio.run(main())
sandbox.close()
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Milliseconds, normalised; the best of five medians, each beside one of commands without a sandbox."""
    folder = environment.folder / "sandbox"
    done = environment.run([environment.python, "-c", PROGRAM, str(folder), str(ROUNDS), str(COMMANDS)])
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    shutil.rmtree(folder)
    if "problem" in found:
        yield Figure("`true` in the sandbox, beside one without", 0, "ms", note=f"not measured: {found['problem']}")
        return
    scale = environment.scale * 1000
    note = f"{found['bare'] * scale:.1f} ms without"
    yield Figure("`true` in the sandbox, beside one without", found["more"] * scale, "ms", 12, note)
