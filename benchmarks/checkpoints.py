"""Checkpoints: what saving and restoring files costs in a folder of 10,000 files."""

import json
import shutil
from collections.abc import Iterator

from environment import Environment, Figure

FILES, EDITED = 10_000, 1_000

PROGRAM = """
import asyncio, json, os, sys, time
from zot_core import Runtime
from zot_core.checkpoints.watch import Checkpoints
from zot_provider.testing import Call, ScriptedClient, Turn

folder, files, edited = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
work = os.path.join(folder, "work")
for number in range(files):
    name = os.path.join(work, str(number // 100), f"{number}.py")
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w") as file:
        file.write(f"value = {number}\\n" * 50)

def bash(command):
    return Turn(calls=[Call("bash", {"command": command})])

LATER = {"zot_core.checkpoints.store", "zot_core.checkpoints.git_tree"}
SED = f"ls | head -{edited // 100} | while read name; do sed -i s/value/number/ $name/*; done"

async def main():
    figures = {}
    client = ScriptedClient([Turn(calls=[Call("ls")]), "done", bash("true"), "done", bash("echo x > new"), "done",
                             bash(SED), "done"])
    async with Runtime("m", client=client, cwd=work) as rt:
        checkpoints = rt.checkpoints = Checkpoints(os.path.join(folder, "store"), rt.agent)
        checkpoints.attach()

        # The time that the wrapped calls take, in the way of the agent and beside it.
        async def ask():
            waited, before = 0.0, checkpoints.commands.before
            async def timed(entry):
                nonlocal waited
                begin = time.perf_counter()
                found = await before(entry)
                waited += time.perf_counter() - begin
                return found
            checkpoints.commands.before = timed
            ended = []
            after = checkpoints.commands.after
            def timed_after(*given):
                ended.append(time.perf_counter())
                after(*given)
            checkpoints.commands.after = timed_after
            await rt.ask("go")
            await checkpoints.settle()
            beside = time.perf_counter() - ended[-1] if ended else 0.0
            checkpoints.commands.before, checkpoints.commands.after = before, after
            return waited, beside

        await ask()
        assert not LATER & sys.modules.keys(), "a turn without changes loads the store"
        begin = time.perf_counter()
        messages = rt.messages
        for _ in range(1000):
            for message in messages:
                checkpoints._on_message(message)
        figures["idle"] = (time.perf_counter() - begin) / 1000
        figures["first"], _ = await ask()
        figures["before"], figures["after"] = await ask()
        _, figures["edit"] = await ask()
        begin = time.perf_counter()
        moved = await rt.branches.undo()
        figures["undo"] = time.perf_counter() - begin
        assert len(moved.restored) == edited, (len(moved.restored), moved.problems)
    print(json.dumps(figures))

asyncio.run(main())
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Milliseconds and seconds, normalised; the best of three."""
    found = []
    for _ in range(3):
        folder = environment.folder / "checkpoints"
        done = environment.run([environment.python, "-c", PROGRAM, str(folder), str(FILES), str(EDITED)])
        assert done.returncode == 0, done.stderr.decode()
        found.append(json.loads(done.stdout))
        shutil.rmtree(folder)
    best = {name: min(each[name] for each in found) * environment.scale for name in found[0]}
    yield Figure("checkpoint of a turn without bash, edit or write", best["idle"] * 1000, "ms", 1)
    yield Figure("first command in 10,000 files: the wait before it", best["first"], "s", 3)
    yield Figure("later command in 10,000 files: the wait before it", best["before"] * 1000, "ms", 40)
    yield Figure("after a command in 10,000 files, beside the agent", best["after"] * 1000, "ms", 40)
    yield Figure("checkpoint of a command that edits 1,000 files", best["edit"], "s", 1)
    yield Figure("undo of it", best["undo"], "s", 2)
