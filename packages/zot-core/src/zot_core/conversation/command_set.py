"""`CommandSet`: the slash commands of a conversation."""

import asyncio
import time
from collections.abc import Callable, Container

from zot_core.conversation.commands import (
    SKILL,
    Command,
    CommandAnswer,
    CommandError,
    CommandRefused,
    UnknownCommand,
    names_skill,
    read_command,
)
from zot_core.conversation.events import ConversationEvent, Display, Insert
from zot_core.conversation.extensions import ExtensionCommands
from zot_core.events import Notice
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill, expand
from zot_core.templates import CommandPrompt, PromptTemplate
from zot_core.templates.discover import changed
from zot_provider.errors import UnknownName


class CommandSet:
    """The slash commands of prompt templates, skills and extensions.

    Of one name, a command of an extension comes before a template. Names with `skill:` belong to skills alone.
    """

    def __init__(
        self,
        runtime: Runtime,
        notify: Callable[[ConversationEvent], None],
        extensions: Callable[[], ExtensionCommands | None],
    ) -> None:
        """`notify` gets what commands of extensions show, and once a line about each template that cannot be used.
        `extensions` returns the extensions that there are by then."""
        self._extensions = extensions
        self.reserved: Container[str] = ()
        """Names of the front end's own commands, in lower case, which come before templates."""
        self._runtime = runtime
        self._notify = notify
        self._noted: set[str] = set()
        self._since = time.time()
        self._templates: list[PromptTemplate] = []

    @property
    def all(self) -> list[Command]:
        """The commands that are listed: templates as of the last `list_templates`, skills, and commands of extensions
        known so far."""
        templates = [
            Command("prompts", each.name, each.description, "template", each.arguments, each.path)
            for each in self._templates
        ]
        listed = [each for each in self._of_extensions() if not each.hidden]
        return [*templates, *map(_of_skill, self._runtime.skills), *listed]

    def _of_extensions(self) -> list[Command]:
        return [] if (extensions := self._extensions()) is None else list(extensions.commands)

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
            return Command("prompts", file.name, "", "template", path=file.path)
        return found

    async def ready(self) -> None:
        """Wait until the commands of extensions are known, and read the templates."""
        if (extensions := self._extensions()) is not None:
            await extensions.ready()
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
                self._notify(Notice("warn", note))

    async def prompt_of(self, name: str, args: str) -> CommandPrompt | None:
        """Return the prompt that a skill or a template makes of a command; None for a command of an extension or an
        unknown one. Raises `UnknownName` for an unknown skill, and `ConfigError`."""
        typed = f"/{name} {args}".strip()
        if names_skill(name):
            return self._prompt_of_skill(name[len(SKILL) :], args).replace(shown=typed)
        if (extensions := self._extensions()) is not None:
            await extensions.ready()
        templates = self._runtime.workspace.templates
        if templates is None or self.of_extension(name) is not None:
            return None
        prompt = await asyncio.to_thread(templates.expand, name, args)
        return None if prompt is None else prompt.replace(shown=typed)

    async def run_extension(self, name: str, args: str) -> CommandAnswer:
        """Run a command of an extension, and report what it shows. Raises `CommandError`."""
        if (extensions := self._extensions()) is None:
            raise UnknownCommand(name)
        answer = await extensions.run_command(name, args)
        if answer.action == "insert":
            self._notify(Insert(answer.extension, answer.text))
        elif answer.action == "display":
            self._notify(Display(answer.extension, answer.text))
        return answer

    async def read_prompt(self, given: str | CommandPrompt, *, commands: bool) -> CommandPrompt | None:
        """Return what the model reads in the current run; None for a command that sends no prompt. Without `commands`
        a slash command is sent as text. Raises what `prompt_of` and `run_extension` raise."""
        if not isinstance(given, str):
            return given
        found = read_command(given) if commands else None
        if found is None:
            return CommandPrompt(given)
        written = await self.prompt_of(*found)
        command = self.of_extension(found[0]) if written is None else None
        if command is None:
            return written or CommandPrompt(given)
        run = self._runtime.agent.current
        assert run is not None
        run.open_to_changes = True
        try:
            answer = await self.run_extension(*found)
        except CommandRefused as error:
            raise CommandError(f"/{command.name}: extension {command.source}: {error}") from None
        finally:
            run.open_to_changes = False
        return CommandPrompt(answer.text) if answer.action == "prompt" else None

    def _prompt_of_skill(self, name: str, args: str) -> CommandPrompt:
        """Return the prompt of a skill. It allows calls under the conditions of `PromptTemplates.expand`."""
        skill = next((each for each in self._runtime.skills if each.name.lower() == name.lower()), None)
        if skill is None:
            raise UnknownName.among("skill", name, [each.name for each in self._runtime.skills])
        text = expand(skill, args)  # before the file's time is looked at: a change in between counts, too
        of_extension = skill.name.partition(":")[0] == skill.source
        new = skill.source == "project" and bool(skill.allowed_tools) and changed(skill.path) > self._since
        allowed = [] if of_extension or new else skill.allowed_tools
        return CommandPrompt(text, allowed_tools=allowed, source=f"/{SKILL}{skill.name}")


def _of_skill(skill: Skill) -> Command:
    return Command("skills", f"{SKILL}{skill.name}", skill.description, "skill", path=skill.path)
