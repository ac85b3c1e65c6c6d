"""`CommandSet`: the slash commands of a conversation."""

import asyncio
from collections.abc import Callable, Container

from zot_core.conversation.commands import SKILL, Command, names_skill
from zot_core.conversation.extensions import ExtensionCommands
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill, expand
from zot_core.templates import CommandPrompt, PromptTemplate
from zot_provider.errors import UnknownName


class CommandSet:
    """The slash commands of prompt templates, skills and extensions.

    Of one name, a command of an extension comes before a template. Names with `skill:` are those of skills alone.
    """

    def __init__(self, runtime: Runtime, note: Callable[[str], None]) -> None:
        """`note` is called with each line about a template that cannot be used, once."""
        self.extensions: ExtensionCommands | None = None
        self.reserved: Container[str] = ()
        """Names of the front end's own commands, in lower case, which come before templates."""
        self._runtime = runtime
        self._note = note
        self._noted: set[str] = set()
        self._templates: list[PromptTemplate] = []

    @property
    def all(self) -> list[Command]:
        """All commands: templates as of the last `list_templates`, skills, and those of extensions known so far."""
        templates = [
            Command("prompts", each.name, each.description, "template", each.arguments) for each in self._templates
        ]
        return [*templates, *map(_of_skill, self._runtime.skills), *self._of_extensions()]

    def _of_extensions(self) -> list[Command]:
        return list(self.extensions.commands) if self.extensions is not None else []

    def of_extension(self, name: str) -> Command | None:
        """Find a command of an extension by name, ignoring case."""
        return next((each for each in self._of_extensions() if each.name.lower() == name.lower()), None)

    def find(self, name: str) -> Command | None:
        """Find a command by name, ignoring case; None if it does not exist. A template is looked for in the folders;
        its command is returned without a description."""
        if names_skill(name):
            skills = map(_of_skill, self._runtime.skills)
            return next((each for each in skills if each.name.lower() == name.lower()), None)
        found, templates = self.of_extension(name), self._runtime.workspace.templates
        if found is None and templates is not None and (file := templates.find(name)) is not None:
            return Command("prompts", file.name, "", "template")
        return found

    async def ready(self) -> None:
        """Wait until the commands of extensions are known, and read the templates."""
        if self.extensions is not None:
            await self.extensions.ready()
        await self.list_templates()

    async def list_templates(self) -> None:
        """Read the templates, in a thread. Those hidden by another command, or unusable, are left out with a note."""
        templates = self._runtime.workspace.templates
        if templates is None:
            return
        listing = await asyncio.to_thread(templates.listing)
        owners = {each.name.lower(): f"extension {each.source}" for each in self._of_extensions()}
        notes, self._templates = list(listing.notes), []
        for template in listing.found:
            owner = "a skill" if names_skill(template.name) else owners.get(template.name.lower(), "")
            owner = owner or ("zot" if template.name.lower() in self.reserved else "")
            if not owner:
                self._templates.append(template)
            elif template.source != "builtin":
                notes.append(f"{template.path}: /{template.name} is a command of {owner}; it is left out")
        for note in notes:
            if note not in self._noted:
                self._noted.add(note)
                self._note(note)

    async def prompt_of(self, name: str, args: str) -> CommandPrompt | None:
        """Return the prompt that a skill or a template makes of a command; None for a command of an extension or an
        unknown one. Raises `UnknownName` for an unknown skill, and `ConfigError`."""
        typed = f"/{name} {args}".strip()
        if names_skill(name):
            return CommandPrompt(self._text_of_skill(name[len(SKILL) :], args), shown=typed)
        if self.extensions is not None:
            await self.extensions.ready()
        templates = self._runtime.workspace.templates
        if templates is None or self.of_extension(name) is not None:
            return None
        prompt = await asyncio.to_thread(templates.expand, name, args)
        return None if prompt is None else prompt.replace(shown=typed)

    def _text_of_skill(self, name: str, args: str) -> str:
        skill = next((each for each in self._runtime.skills if each.name.lower() == name.lower()), None)
        if skill is None:
            raise UnknownName.among("skill", name, [each.name for each in self._runtime.skills])
        return expand(skill, args)


def _of_skill(skill: Skill) -> Command:
    return Command("skills", f"{SKILL}{skill.name}", skill.description, "skill")
