"""`zot ext remove NAME`: delete an extension's folder; of a link, the link alone."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.names import pick, title
from zot_agent.cli.ext.terminal import agreed, can_ask, say, word
from zot_agent.cli.parser import Parser
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Remove one extension; 0, or 1 if the person does not want to."""
    parser = Parser(prog="zot ext remove", description="Delete an extension, with what it keeps in its folder.")
    parser.add_argument("name", metavar="NAME", help="its name, or that or the path of its folder")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    asked = parser.parse_args(list(arguments))
    found = pick(asked.name)
    name, directory = word(title(found)), found.directory
    linked = os.readlink(directory) if os.path.islink(directory) else ""
    what = f"the link {directory}" if linked else f"{directory} and all that is in it"
    if not asked.yes:
        if not can_ask():
            raise ConfigError(f"zot ext remove deletes {what}; there is no terminal to ask on, so say --yes")
        if not agreed(f"delete {word(what)}?"):
            say(f"{name} stays")
            return 1
    try:
        if linked:
            os.unlink(directory)
        else:
            with folder.staging(os.path.dirname(directory)) as aside:  # gone at once, whatever happens next
                os.rename(directory, aside)
    except OSError as error:
        raise ConfigError(f"cannot delete {directory}: {error.strerror}") from error
    say(f"{name} is removed" + (f"; {linked} is as it was" if linked else ""))
    return 0
