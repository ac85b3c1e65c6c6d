"""The parts of a sub-agent: its model, its tools, its instructions, its session, its first message."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from zot_core.agent import Agent
from zot_core.agent.calls import run_call
from zot_core.runtime import resolve
from zot_core.runtime.subagents.definitions import AgentDefinition
from zot_core.runtime.subagents.limits import AgentLimits
from zot_core.runtime.subagents.subagent import AgentRuntime
from zot_core.sessions.branch import new_child
from zot_core.sessions.rows import Meta
from zot_core.skills import SKILL_TOOL, skills_section
from zot_core.tools import AGENT_TOOL, BUILTIN_TOOLS
from zot_core.tools.definition.agent_task import AgentTask
from zot_core.tools.definition.tool import Tool
from zot_core.tools.tool_search import ToolSearch
from zot_core.version import __version__
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.messages import TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.request import Reasoning

_SKILL = "skill:"

_WORDS = """Another agent has given you the task below. You see nothing of its conversation, and nobody answers \
questions. Your last message is all that it gets: begin with the result, then say what is left or doubtful."""


def make_child(
    parent: AgentRuntime, make: Callable[..., Any], task: AgentTask, definition: AgentDefinition | None,
    limits: AgentLimits, id: str, *, deepest: bool,
) -> tuple[Any, list[str]]:  # fmt: skip
    """Make the runtime of a sub-agent with `make`, which is `Runtime`; return it with lines for the person. `deepest`:
    it may start no others. Raises `ConfigError`."""
    agent, workspace = parent.agent, parent.workspace
    model, reasoning, notes = _model(agent, task.model, definition.model if definition is not None else "")
    tools = _tools(agent, task.tools, definition.tools if definition is not None else None, deepest=deepest)
    if definition is not None and definition.without:
        notes += _of_no_tool(definition, agent.tools.values())
        tools = _without(tools, definition.without)
    own = definition.instructions if definition is not None else ""
    skills = skills_section(workspace.skills) if any(tool.name == SKILL_TOOL for tool in tools) else ""
    session = None
    if parent.session is not None:
        meta = Meta("", workspace.cwd, model.id, model.provider, "", __version__)
        session = new_child(parent.session, meta, {"id": id, "name": task.agent, "task": task.task[:1000]})
    context = agent.context
    runtime = make(
        model,
        client=agent.client,
        cwd=workspace.cwd,
        tools=tools,
        builtin_tools=[],
        system_prompt=own or workspace.system_prompt,
        append_system_prompt=[*workspace.append_system_prompt, skills, "" if own else _WORDS],
        reasoning=reasoning,
        session=session,
        max_steps=_steps(task, definition, limits),
        deadline=limits.seconds,
        auto_compact=parent.compaction_limits,
        files=context.files,
        shell=context.shell,
    )
    chosen = task.tools is not None or (definition is not None and definition.tools is not None)
    runtime.agent.tools.named = [tool.name for tool in tools if chosen or tool.name not in agent.tools.unnamed]
    own_context = runtime.agent.context
    below = None if deepest else lambda: runtime.agents
    own_context = context.replace(jobs=own_context.jobs, seen_files=own_context.seen_files, agents=below)
    runtime.agent.place.inherit(own_context, agent.place.machine)
    return runtime, notes


def _model(agent: Agent, wanted: str, defined: str) -> tuple[Model, Reasoning, list[str]]:
    """Return the model of a sub-agent, which belongs to the same provider as that of `agent`; a line says so if the one
    of its definition cannot be used."""
    for name, raises in ((wanted, True), (defined, False)):
        if not name:
            continue
        try:
            model, _, level = resolve.other_model(agent.client, agent.model, name, "")
            if model.provider != agent.model.provider:
                raise ConfigError(f"it is a model of {model.provider}; agents use models of {agent.model.provider}")
        except ConfigError as error:
            if raises:
                raise ConfigError(f"the model {name} cannot be used: {error}") from error
            return agent.model, agent.reasoning, [f"{agent.model.id} works in place of {name}: {error}"]
        return model, level or agent.reasoning, []
    return agent.model, agent.reasoning, []


def _steps(task: AgentTask, definition: AgentDefinition | None, limits: AgentLimits) -> int:
    steps = task.max_steps or limits.steps
    return min(steps, definition.steps) if definition is not None and definition.steps else steps


def _tools(agent: Agent, wanted: Sequence[str] | None, defined: Sequence[str] | None, *, deepest: bool) -> list[Tool]:
    """Return the tools of a sub-agent, all of which the agent that asks has. Tools of a definition that it lacks are
    left out, and so are deferred tools that nobody has found or named. Raises `UnknownName` for others."""
    present = {name: tool for name, tool in agent.tools.active.items() if not isinstance(tool, ToolSearch)}
    names = _names(present)
    allowed = [tool.name for tool in agent.tools.next if tool.name in present]
    allowed += sorted(agent.tools.unnamed & present.keys())  # they are on demand there, too
    if defined is not None:
        allowed = [names[each] for each in map(_plain, defined) if each in names]
    if wanted is not None:
        possible = allowed if defined is not None else list(present)
        for each in wanted:
            if names.get(_plain(each)) not in possible:
                raise UnknownName.among("tool", each, possible)
        allowed = [names[_plain(each)] for each in wanted]
    return [present[name] for name in dict.fromkeys(allowed) if not (deepest and name == AGENT_TOOL)]


def _names(tools: Mapping[str, Tool]) -> dict[str, str]:
    """Return the tool that each name means, also the names of other programs; letters are small."""
    return {other.casefold(): name for name, tool in tools.items() for other in (name, *tool.other_names)}


def patterns_of(agent: Agent, defined: Sequence[str]) -> dict[str, list[str]]:
    """Return the tools that a definition names with a pattern only, each with rules that cover the calls it means."""
    names = _names(agent.tools)
    found: dict[str, list[str]] = {}
    whole = {names.get(_plain(each)) for each in defined if "(" not in each}
    for each in defined:
        name, _, pattern = each.partition("(")
        tool = names.get(_plain(name))
        if pattern and tool is not None and tool not in whole:
            found.setdefault(tool, []).append(f"{tool}({pattern}")
    return found


def _without(tools: Sequence[Tool], left_out: Sequence[str]) -> list[Tool]:
    return [tool for tool in tools if not any(_means(each, (tool.name, *tool.other_names)) for each in left_out)]


def _of_no_tool(definition: AgentDefinition, tools: Iterable[Tool]) -> list[str]:
    """Return a line for each tool that the agent is not to have and that neither zot nor anything here has."""
    known = [(tool.name, *tool.other_names) for tool in (*BUILTIN_TOOLS, *tools)]
    missing = [each for each in definition.without if not any(_means(each, names) for names in known)]
    return [f"disallowedTools: there is no tool {each!r:.60} now" for each in missing]


def _means(written: str, names: Iterable[str]) -> bool:
    """Whether a name in a definition, in which `*` is any text, is one of the names of a tool."""
    return any(fnmatchcase(name.casefold(), _plain(written)) for name in names)


def _plain(name: str) -> str:
    """Return the name of a tool without a pattern behind it: Claude Code writes `Bash(git:*)`."""
    return name.partition("(")[0].strip().casefold()


async def first_message(agent: Agent, task: AgentTask) -> str:
    """Return the task with the files that it names. The agent reads them with its own tools, so that the guards of its
    calls see these too."""
    parts = [task.task]
    for number, name in enumerate(task.files, 1):
        skill = name.startswith(_SKILL)
        tool = SKILL_TOOL if skill else "read"
        arguments = {"name": name.removeprefix(_SKILL)} if skill else {"path": name}
        result = await run_call(agent, ToolCallBlock(f"first-{number}", tool, json.dumps(arguments)))
        if result.seen is not None:
            agent.context.seen_files.take(result.seen)
        text = "\n".join(block.text if isinstance(block, TextBlock) else "" for block in result.content)
        parts.append(f'<file name="{name}">\n{text.rstrip()}\n</file>')
    return "\n\n".join(parts)
