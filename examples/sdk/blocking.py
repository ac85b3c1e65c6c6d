"""No `async`: for scripts and notebooks. Ctrl+C stops the agent and whatever it has running.

uv run examples/sdk/blocking.py
"""

from zot_core import BlockingRuntime, TextDelta

with BlockingRuntime(builtin_tools=["ls", "read"]) as rt:
    for event in rt.prompt("what does this project do?"):
        if isinstance(event, TextDelta):
            print(event.delta, end="", flush=True)
    print()
    names = rt.ask("and which three files should I read first?", returns=list[str])
    print(*names, sep="\n")
