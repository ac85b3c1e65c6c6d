"""`Workspace`: where an agent works, and what it is told of the place."""

from collections.abc import Sequence

from zot_core.agent import Agent
from zot_core.prompt import system_prompt
from zot_core.skills import SKILL_TOOL, Skill, skill_tool, skills_section
from zot_core.tools.definition.tool import Tool
from zot_provider.record import Record, field, record


@record
class Workspace(Record):
    """A working directory (an absolute path), and what belongs to it.

    `system_prompt` replaces zot's own words, None to keep them; `append_system_prompt` is added to them. `skills` are
    those that the model may look up.
    """

    cwd: str
    system_prompt: str | None = None
    append_system_prompt: Sequence[str] = ()
    skills: Sequence[Skill] = field(default_factory=list)

    def system(self) -> str:
        """The system prompt for work in this place."""
        appended = [*self.append_system_prompt, skills_section(self.skills)]
        return system_prompt(self.cwd, replace=self.system_prompt, append=appended)

    def tools(self) -> list[Tool]:
        """The tool `skill`, if there are skills."""
        return [skill_tool(self.skills)] if self.skills else []

    def apply_to(self, agent: Agent, known: dict[str, Tool]) -> None:
        """Have an agent work here from now on; `known` are the tools that it can be given."""
        agent.context = agent.context.replace(cwd=self.cwd)
        agent.system = self.system()
        for tools in (known, agent.tools):
            tools.pop(SKILL_TOOL, None)
            tools.update({tool.name: tool for tool in self.tools()})
