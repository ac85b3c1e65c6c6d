"""`Project`: what a folder brings that runs, or replaces something of the person's, and whether it may."""

import os
from collections.abc import Mapping, Sequence

from zot_agent.config.mcp_files import project_files
from zot_agent.config.settings import SETTINGS, Layer, ProjectTrust, Settings, project_layer
from zot_agent.extensions.discover import THEME_FILES, DiscoveredExtension, own_files
from zot_core.prompt.context_files import project_system
from zot_core.skills import Skill, project_skills
from zot_core.templates import TemplateFile, project_templates
from zot_provider.record import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_agent.config.folder_trust import FolderContent
    from zot_agent.host.programs.project_programs import ProjectProgram
    from zot_core.runtime.subagents.definitions import AgentDefinition


SKILLS_CACHE = "skills-cache.json"
"""The metadata of skills, in zot's home folder."""

_NAMED = 50
"""Rules, and programs, that the question names; a person must be able to read it."""


class Project(Record):
    """The resources of the project in `folder`, a real path. `system` is the path of its `SYSTEM.md`, empty without;
    the problems of `settings` are no reason to ask, their errors are."""

    folder: str
    extensions: Sequence[DiscoveredExtension] = ()
    skills: Sequence[Skill] = ()
    system: str = ""
    templates: Sequence[TemplateFile] = ()
    agents: "Sequence[AgentDefinition]" = ()
    settings: Layer = field(default_factory=lambda: Layer(""))
    server_files: Sequence[str] = ()
    """The files that name MCP servers."""
    claude: Sequence[str] = ()
    """The paths of settings of Claude Code, if one of them has hooks, holds something back or cannot be read."""
    problems: Sequence[str] = ()
    """Lines about agents that cannot be used, because what holds them back is not understood."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to ask about."""
        brought = (self.extensions, self.skills, self.system, self.templates, self.agents, self.server_files)
        return self.settings.empty and not any((*brought, self.claude, self.problems))

    @property
    def holds_back(self) -> bool:
        """Whether its settings, also for Claude Code, are there to let less run. Raises `ConfigError`."""
        values = self.settings.values
        if any(SETTINGS[key].confines for key in values if key != Settings.permissions.key):
            return True
        if any(values.get(Settings.permissions.key, {}).get(each) for each in ("ask", "deny", "mode")):
            return True
        return any(each.values for each in self._claude()) or (bool(self.claude) and _has_guards(self.claude))

    def content(self) -> "FolderContent":
        """Return what an answer about the project covers."""
        from zot_agent.config.folder_trust import FolderContent  # noqa: PLC0415  most projects bring nothing

        entries = [path for each in self.extensions for path in own_files(each)]
        entries += [skill.path for skill in self.skills]
        entries += [template.path for template in self.templates]
        entries += [agent.path for agent in self.agents]
        roots = [os.path.realpath(each.directory) for each in self.extensions]
        entries += [self.system] if self.system else []
        entries += [] if self.settings.empty else [self.settings.source]
        entries += dict.fromkeys(path for each in self.programs() for path in (each.path, *each.files))
        more = [*self.server_files, *(each.source for each in self._claude() if each.values)]
        entries += [path for path in more if path not in entries]
        return FolderContent(self.folder, entries, roots)

    def lines(self) -> list[str]:
        """Describe what the project brings, a line for each thing; the texts are the project's own."""
        lines = [line for each in self.extensions for line in _describe(each)]
        if self.skills:
            lines.append(f"skills for the model: {', '.join(skill.name for skill in self.skills)}")
            lines += [
                f"/skill:{each.name} runs without a question: {', '.join(each.allowed_tools)}"
                for each in self.skills
                if each.allowed_tools
            ]
        if self.templates:
            lines.append(f"prompt templates: {', '.join(f'/{each.name}' for each in self.templates)}")
            lines += [line for each in self.templates if (line := _allowance(each))]
        if self.agents:
            lines.append(f"sub-agents for the model: {', '.join(each.name for each in self.agents)}")
        if self.system:
            lines.append(f"instructions in place of zot's own: {os.path.relpath(self.system, self.folder)}")
        for key, value in self.settings.values.items():
            if key == Settings.permissions.key:
                lines += _few(_describe_rules(value))
            elif key != Settings.hooks.key:  # they are among the programs
                lines.append(f"setting {key}: {SETTINGS[key].show(value)}")
        for layer in self._claude():
            lines += [*_few(_describe_rules(layer.values.get(Settings.permissions.key, {}))), *layer.problems]
        lines += [f"settings that cannot be used: {line}" for line in self.settings.errors]
        lines += [f"an agent that cannot be used: {line}" for line in self.problems]
        not_yet = " (zot does not do that yet)"
        return lines + _few([each.line + ("" if each.used else not_yet) for each in self.programs()])

    def programs(self) -> "list[ProjectProgram]":
        """Return what its files declare to be started beside the extensions."""
        from zot_agent.host.programs.project_programs import project_programs  # noqa: PLC0415  most projects bring nothing

        return project_programs(self.folder, self.templates)

    def _claude(self) -> list[Layer]:
        if not self.claude:
            return []
        from zot_agent.hook_programs.claude.rules import claude_layers  # noqa: PLC0415  few projects have such settings

        return claude_layers(self.claude)

    def names(self) -> str:
        """Name what the project brings, in a few words."""
        kinds = {
            "extensions": [each.name for each in self.extensions],
            "skills": [skill.name for skill in self.skills],
            "prompt templates": [f"/{each.name}" for each in self.templates],
            "agents": [each.name for each in self.agents],
            "MCP servers of": [os.path.relpath(path, self.folder) for path in self.server_files],
            "file": [os.path.relpath(self.system, self.folder)] if self.system else [],
            "settings": list(self.settings.values) or (["that cannot be used"] if self.settings.errors else []),
            "settings of Claude Code": [os.path.relpath(path, self.folder) for path in self.claude],
        }
        return "; ".join(f"{kind} {', '.join(names)}" for kind, names in kinds.items() if names)


def _describe(found: DiscoveredExtension) -> list[str]:
    runs = " ".join([found.manifest.exec, *found.manifest.args]).strip()
    theme = any(os.path.isfile(os.path.join(found.directory, name)) for name in THEME_FILES)
    keys = f" (it asks for {', '.join(found.manifest.env)})" if found.manifest.env else ""
    lines = [f"extension {found.name}, which starts: {runs}{keys}"] if runs else []
    if runs and found.manifest.permissions is not None:
        from zot_agent.extensions.permissions.lines import NOTHING, permission_lines  # noqa: PLC0415  few have them

        lines.append(f"    it may {'; '.join(permission_lines(found.manifest)) or NOTHING}")
    lines += [f"theme {found.name}"] if theme else []
    return lines or [f"extension {found.name}, which starts nothing"]


def _allowance(template: TemplateFile) -> str:
    """Return a line about the calls that a template allows; empty if it allows none, or cannot be used."""
    from zot_core.skills.front_matter import FrontMatterError  # noqa: PLC0415  only for a question
    from zot_core.templates.template import read_prompt  # noqa: PLC0415  as above

    try:
        allowed = read_prompt(template.path).allowed_tools
    except (FrontMatterError, OSError):
        return ""
    return f"/{template.name} runs without a question: {', '.join(allowed)}" if allowed else ""


def _describe_rules(permissions: Mapping[str, object]) -> list[str]:
    """Describe rules for tool calls, what they allow first."""
    lines = []
    for action in ("allow", "ask", "deny"):
        rules = permissions.get(action)
        lines += [f"rule for tool calls: {action} {rule}" for rule in rules] if isinstance(rules, list) else []
    return lines


def _few(lines: list[str]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], f"and {more} more of these"] if more > 0 else lines


def find_project(
    cwd: str,
    home: str,
    extensions: Sequence[DiscoveredExtension],
    *,
    skills: bool = True,
    system: bool = True,
    servers: bool = True,
    settings: bool = True,
) -> Project:
    """Find what the project in `cwd` brings beside `extensions`: prompt templates, agents, and skills, a `SYSTEM.md`,
    MCP servers and settings, unless they are not wanted."""
    user_home = os.path.expanduser("~")
    found = project_skills(cwd, home, user_home, cache=os.path.join(home, SKILLS_CACHE)) if skills else []
    path = project_system(cwd, home) if system else ""
    agents, problems = _agents(cwd, home, user_home)
    return Project(
        os.path.realpath(cwd),
        extensions,
        found,
        path if os.path.isfile(path) else "",
        project_templates(cwd, home, user_home),
        agents,
        project_layer(cwd, home) if settings else Layer(""),
        project_files(os.path.realpath(cwd), home) if servers else (),
        find_claude(cwd) if settings else (),
        problems,
    )


def _agents(cwd: str, home: str, user_home: str) -> "tuple[Sequence[AgentDefinition], Sequence[str]]":
    if not any(os.path.isdir(os.path.join(cwd, name, "agents")) for name in (".zot", ".claude")):
        return (), ()
    from zot_core.runtime.subagents.definitions import project_agents  # noqa: PLC0415  most projects bring none

    listing = project_agents(cwd, home, user_home)
    return listing.found, listing.errors


def _has_guards(paths: Sequence[str]) -> bool:
    from zot_agent.hook_programs.claude.events import GUARDS  # noqa: PLC0415  few projects have hooks
    from zot_agent.hook_programs.claude.settings import claude_programs  # noqa: PLC0415  as above

    return any(each.claude in GUARDS for each in claude_programs(paths)[0])


def find_claude(cwd: str) -> list[str]:
    """Return the paths of the settings of Claude Code in the project in `cwd` that count in zot."""
    if not os.path.isdir(os.path.join(cwd, ".claude")):
        return []
    from zot_agent.host.programs.project_programs import claude_settings  # noqa: PLC0415  few projects have any

    return claude_settings(cwd)


def may_use(project: Project, setting: ProjectTrust, home: str, answered_for: str = "") -> bool | None:
    """Return whether what the project brings may be used; None if the person must be asked. `answered_for` is the
    folder of which the project is a worktree: an answer about that holds for the same content."""
    if project.empty or setting != "ask":
        return setting != "off"
    from zot_agent.config.folder_trust import FolderTrust  # noqa: PLC0415  most projects bring nothing

    return FolderTrust(home).decision(project.content(), answered_for)
