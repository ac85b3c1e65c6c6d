"""`Workspace`: the working directory of an agent, with its system prompt and skills."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from zot_core.agent import Agent
from zot_core.prompt import PromptPart, machine_parts, system_prompt
from zot_core.skills import SKILL_TOOL, Skill, skill_tool, skills_section
from zot_core.templates import PromptTemplates
from zot_core.tools import AGENT_TOOL, agent_tool
from zot_core.tools.definition.tool import Tool
from zot_provider.record import Record, field

if TYPE_CHECKING:
    from zot_core.runtime.subagents.definitions import AgentDefinition


class Workspace(Record):
    """A working directory (an absolute path) and the instructions for it.

    `system_prompt` replaces zot's own system prompt, None keeps it; `append_system_prompt` is added to it. `skills` are
    the skills that the model may load. `agents` are the sub-agents that it may start besides the built-in ones; None:
    it may start none.
    """

    cwd: str
    system_prompt: str | None = None
    append_system_prompt: Sequence[str | PromptPart] = ()
    skills: Sequence[Skill] = field(default_factory=list)
    templates: PromptTemplates | None = None
    """The prompt templates that a `Conversation` runs as slash commands."""
    agents: "Sequence[AgentDefinition] | None" = None

    def system(self, sent: Mapping[str, str] | None = None) -> str:
        """Return the system prompt for work in this directory, with the parts that were `sent` before."""
        appended = [*self.append_system_prompt, skills_section(self.skills)]
        return system_prompt(self.cwd, replace=self.system_prompt, append=appended, sent=sent)

    def machine_parts(self) -> dict[str, str]:
        """Return the parts of the system prompt that the machine decides, as they are now, by name."""
        return machine_parts(self.cwd, self.append_system_prompt)

    def tools(self) -> list[Tool]:
        """Return the tools `skill`, if there are skills, and `agent`, if the model may start sub-agents."""
        tools: list[Tool] = [skill_tool(self.skills)] if self.skills else []
        return tools if self.agents is None else [*tools, agent_tool([each.line for each in self.agents])]

    def apply_to(self, agent: Agent, known: dict[str, Tool], left_out: Collection[str] = ()) -> None:
        """Move an agent into this workspace; `known` are the tools that `set_tools` can select, `left_out` are those
        that it has not selected."""
        agent.place.change(cwd=self.cwd)
        agent.system = self.system()
        agent.refresh()
        made = {tool.name: tool for tool in self.tools()}
        for tools in (known, agent.tools):
            for name in (SKILL_TOOL, AGENT_TOOL):
                tools.pop(name, None)
        known.update(made)
        agent.tools.update({name: tool for name, tool in made.items() if name not in left_out})
