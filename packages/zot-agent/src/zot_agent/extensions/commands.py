"""`run_command`: runs a slash command of an extension."""

import itertools

from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
from zot_agent.extensions.managed import ManagedExtension
from zot_agent.extensions.panels.panels import Panels
from zot_core.conversation.commands import Command, CommandAnswer, CommandError, CommandRefused, CommandSilent
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse
from zot_ext.protocol.from_host import CommandInvoked

_ids = itertools.count(1)


async def run_command(
    connection: Connection, member: ManagedExtension, command: Command, args: str, seconds: float, panels: Panels
) -> CommandAnswer:
    """Return the answer, which may take `seconds`; a panel in it is opened. Raises `CommandError`."""
    call = CommandInvoked(f"command-{next(_ids)}", command.name, args.strip())
    try:
        answer = await connection.request(call, CommandResponse, seconds)
    except TimedOut:
        raise CommandSilent(f"/{command.name}: extension {connection.name} did not answer in {seconds:g} s") from None
    except ExtensionEnded as error:
        failed = CommandError(f"/{command.name}: {error}")
        failed.reported = bool(member.failure)
        raise failed from None
    except FrameError as error:
        raise CommandError(f"/{command.name}: extension {connection.name}: {error}") from None
    if answer.error:
        raise CommandRefused(answer.error)
    if answer.action == "prompt" and not member.found.permissions.submit:
        raise CommandError(f"/{command.name}: extension {connection.name} may not submit prompts")
    return _read(command, connection, answer, panels)


def _read(command: Command, connection: Connection, answer: CommandResponse, panels: Panels) -> CommandAnswer:
    name = command.source
    match answer.action:
        case "prompt":
            return CommandAnswer(name, "prompt", answer.prompt)
        case "insert":
            return CommandAnswer(name, "insert", answer.insert)
        case "display":
            return CommandAnswer(name, "display", answer.display)
        case "open_panel" if answer.open_panel is not None:
            panels.open(connection, answer.open_panel)
            return CommandAnswer(name, "open_panel")
        case "" | "noop":
            return CommandAnswer(name, "noop")
        case "open_panel":
            raise CommandError(f"/{command.name}: the answer of extension {name} has no panel to open")
        case unknown:
            raise CommandError(f"/{command.name}: extension {name} wants {unknown!r}, which zot does not know")
