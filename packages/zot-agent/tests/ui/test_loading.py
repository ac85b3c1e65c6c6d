import subprocess
import sys

from zot_agent.ui.loading import LATER


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_screen_imports_nothing_that_is_loaded_later() -> None:
    loaded = set(run("import sys, zot_agent.modes.interactive; print(*sys.modules)").split())
    assert not loaded & {*LATER, "httpx", "pygments", "pydantic", "yaml", "zot_agent.extensions.host"}
    assert not loaded & {"zot_tui.editor.completion", "zot_provider.providers", "zot_provider.transport.url"}


def test_what_is_loaded_later_is_there_in_the_end_and_the_loop_lives_on_meanwhile() -> None:
    code = (
        "import asyncio, sys, gc, zot_agent.modes.interactive\n"
        "from zot_agent.ui.loading import LATER, load_rest\n"
        "async def main():\n"
        "    task, turns = asyncio.ensure_future(load_rest()), 0\n"
        "    while not task.done():\n"
        "        turns += 1\n"
        "        await asyncio.sleep(0)\n"
        "    await task\n"
        "    return turns\n"
        "print(asyncio.run(main()) > len(LATER), set(LATER) <= set(sys.modules), gc.get_freeze_count() > 0)\n"
    )
    assert run(code).split() == ["True", "True", "True"]
