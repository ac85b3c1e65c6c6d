"""A model that follows a script, under zot's own loop and tools: for the tests of the checks. It costs nothing.

Its `model` is what it does: `solve` makes all edits of the solution, `half` the first one alone, `cheat` removes the
tests, `wrong` makes a call that fails and then solves, `none` only talks.
"""

from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Edit, Task

from zot_core import Runtime, ToolResultEvent, TurnStart
from zot_core.compaction.size import estimate
from zot_core.compaction.tokens import text_tokens
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, Turn


def make_agent(model: str) -> Agent:
    """The agent that does `model`."""

    async def agent(task: Task, folder: Path, seconds: float) -> Use:
        use = Use(cost=0.001)
        calls = script(model, task)
        client = ScriptedClient([*(Turn(calls=[call]) for call in calls), "Done."])
        async with Runtime("scripted", client=client, cwd=folder) as runtime:
            async for event in runtime.prompt(task.prompt):
                use.steps += isinstance(event, TurnStart)
                if isinstance(event, ToolResultEvent) and event.is_error:
                    use.failed_calls += 1
                    use.failed_edits += event.name == "edit"
        use.tokens = sum(map(_tokens, client.requests))
        return use

    return agent


def _tokens(request: Request) -> int:
    """The tokens of a request, estimated."""
    tools = sum(text_tokens(f"{tool.name} {tool.description} {tool.schema}") for tool in request.tools)
    return estimate(request.messages) + round(text_tokens(request.system) + tools)


def script(model: str, task: Task) -> list[Call]:
    """The calls of a model."""
    if model == "cheat":
        return [Call("bash", {"command": "rm -f test.sh; echo 'echo passed' > run.sh"})]
    if model == "wrong":
        return [Call("edit", {"path": "README.md", "edits": []}), *map(_call, task.solution)]
    calls = [_call(each) for each in {"solve": task.solution, "half": task.solution[:1]}.get(model, [])]
    return calls + [Call("bash", {"command": task.command})] * bool(task.command and model == "solve")


def _call(edit: Edit) -> Call:
    if not edit.old:
        return Call("write", {"path": edit.path, "content": edit.new})
    return Call("edit", {"path": edit.path, "edits": [{"oldText": edit.old, "newText": edit.new}]})
