"""The workspace of an agent: instructions, skills, prompt templates and sub-agents, as the person, the project and
extensions bring them."""

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import Settings, load_settings
from zot_agent.config.skill_pins import SkillPins
from zot_agent.extensions.discover import Discovery
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_agent.host.project import SKILLS_CACHE
from zot_core.events import Notice
from zot_core.prompt import PromptPart
from zot_core.prompt.context_files import find_context, find_system
from zot_core.prompt.surroundings import surroundings
from zot_core.runtime.workspace import Workspace
from zot_core.skills import SKILL_TOOL, ExtensionSkills, Skill, Skills, find_skills, pinned_section
from zot_core.templates import ExtensionPrompts, PromptTemplates
from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from zot_core.conversation.driver import Conversation
    from zot_core.runtime.subagents.definitions import AgentDefinition


class ExtensionResources:
    """Reads the workspace again, in a thread, when what extensions bring has changed, and uses it as soon as nothing
    runs, or with the first model call of the next run. Templates and themes are looked for when they are needed."""

    def __init__(self, conversation: "Conversation", read: Callable[[str], tuple[Workspace, list[str]]]) -> None:
        """`read` returns the workspace of a folder as it is now, and lines for the person."""
        self._conversation, self._read = conversation, read
        self._next: Workspace | None = None
        self._one_by_one = asyncio.Lock()
        self._said: set[str] = set()

    async def changed(self) -> None:
        """Return when what extensions bring now was read."""
        async with self._one_by_one:
            try:
                self._next, notes = await asyncio.to_thread(self._read, self._conversation.runtime.cwd)
            except ConfigError as error:
                notes = [f"{error}; what extensions bring stays as it was"]
        for note in notes:
            if note not in self._said:
                self._said.add(note)
                self._conversation.events.notify(Notice("warn", note))
        if not self._conversation.runtime.busy:
            self.use()

    def use(self) -> None:
        """Use what was read; called before the first model call of a run, too."""
        workspace, self._next = self._next, None
        runtime = self._conversation.runtime
        if workspace is not None and workspace.cwd == runtime.cwd:
            runtime.set_workspace(workspace, in_run=True)
            self._conversation.extensions_changed()


def read_workspace(
    options: HostOptions, choice: ProjectChoice, started_in: str, here: str
) -> tuple[Settings, Workspace, list[str]]:
    """Read the settings and the workspace in `here` again; `choice` is about `started_in`. Return also lines for the
    person."""
    home, project = zot_home(), choice
    if here != started_in:  # another session was opened meanwhile
        project = ProjectChoice(options, load_settings(home, ignore=options.ignore_settings), here)
        project.find()
    settings = project.load()
    return settings, *open_workspace(options, settings, here, choice, trusted=project.trusted)


def open_workspace(
    options: HostOptions, settings: Settings, cwd: str, extensions: ProjectChoice, *, trusted: bool
) -> tuple[Workspace, list[str]]:
    """Return the agent's view of the directory `cwd` (instructions, skills, prompt templates), and lines for the
    person.

    `trusted`: the skills, the templates, the agents and the `SYSTEM.md` of the project in `cwd` are used.
    """
    home = zot_home()
    replace, append, notes = instructions(options, settings, cwd, home, trusted=trusted)
    skills = choose_skills(options, extensions.found, cwd, home, trusted=trusted)
    pinned, problems = pin_skills(options, skills.found, cwd, home)
    templates = PromptTemplates(
        cwd, home, os.path.expanduser("~"), project=trusted, extensions=partial(extension_prompts, extensions)
    )
    agents, more = choose_agents(settings, cwd, home, trusted=trusted)
    workspace = Workspace(cwd, replace, [*append, pinned], skills.found, templates, agents)
    return workspace, [*notes, *skills.notes, *problems, *more]


def extension_prompts(extensions: ProjectChoice) -> list[ExtensionPrompts]:
    """Return the prompt templates of the extensions that are active now."""
    active = extensions.found.active()
    return [ExtensionPrompts(each.name, each.directory, each.resources.prompts) for each in active]


def choose_skills(options: HostOptions, extensions: Discovery, cwd: str, home: str, *, trusted: bool) -> Skills:
    """Find the skills to offer, including extensions' skills and, if it is `trusted`, of the project in `cwd`."""
    if options.no_skills:
        return Skills()
    bringing = [each for each in extensions.active() if each.resources.skills]
    of_extensions = [ExtensionSkills(each.name, each.directory, each.resources.skills) for each in bringing]
    user_home, cache = os.path.expanduser("~"), os.path.join(home, SKILLS_CACHE)
    return find_skills(cwd, home, user_home, of_extensions, project=trusted, cache=cache)


def choose_agents(
    settings: Settings, cwd: str, home: str, *, trusted: bool
) -> "tuple[Sequence[AgentDefinition] | None, list[str]]":
    """Find the sub-agents to offer besides the built-in ones, including, if it is `trusted`, the ones of the project in
    `cwd`; None if the model may start none. Return also lines for the person. Raises `ConfigError` for a file whose
    agent may do less, but how is not understood."""
    if settings.agents == "off":
        return None, []
    folders = [home, os.path.expanduser("~/.claude"), *(os.path.join(cwd, name) for name in (".zot", ".claude"))]
    if not any(os.path.isdir(os.path.join(folder, "agents")) for folder in folders):
        return (), []
    from zot_core.runtime.subagents.definitions import agent_places, find_agents  # noqa: PLC0415  few people have any

    found = find_agents(agent_places(cwd, home, os.path.expanduser("~"), project=trusted))
    if found.errors:
        raise ConfigError(found.errors[0])
    return found.found, found.notes


def pin_skills(options: HostOptions, skills: Sequence[Skill], cwd: str, home: str) -> tuple[str, list[str]]:
    """Return the texts of the skills that the person has pinned, for the system prompt, and lines for the person."""
    if options.no_skills or (options.tools is not None and SKILL_TOOL not in options.tools):
        return "", []
    try:
        return pinned_section(skills, SkillPins(home).read(cwd).names)
    except ConfigError as error:
        return "", [f"{error}; no skill is pinned"]


def instructions(
    options: HostOptions, settings: Settings, cwd: str, home: str, *, trusted: bool
) -> tuple[str | None, list[str | PromptPart], list[str]]:
    """Return the text that replaces zot's system prompt, the texts appended to it (instructions, and facts about the
    directory), and notes for the person about omitted files."""
    if options.no_context_files:
        return options.system_prompt, [*options.append_system_prompt], []
    context = find_context(cwd, home, claude=settings.claude_md == "on")
    replace = options.system_prompt
    if replace is None and (system := find_system(cwd, home, context.notes, project=trusted)):
        replace = system.text
    files = PromptPart("instructions", "\n\n".join(context.sections()))
    around = [PromptPart("surroundings", surroundings(cwd))] if settings.surroundings == "on" else []
    return replace, [files, *options.append_system_prompt, *around], context.notes
