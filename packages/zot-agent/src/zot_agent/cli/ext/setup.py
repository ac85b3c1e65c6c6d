"""`zot ext setup [NAME]`: installs the Python packages that extensions need, where they are missing."""

from collections.abc import Sequence

from zot_agent.cli.ext.folder.names import NAME_HELP, installed, pick_usable
from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.parser import Parser
from zot_agent.extensions.declared.bundled import bundled_mcp
from zot_agent.standard_error import print_error
from zot_provider.errors import ZotError


def run(arguments: Sequence[str]) -> int:
    """Set up one extension, or all that run; return 0, or 2 if packages cannot be installed."""
    parser = Parser(
        prog="zot ext setup",
        description="Install the Python packages that an extension names in its manifest or its program, in an "
        "environment of its own. Only wheels are installed, which runs none of their code.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help=f"{NAME_HELP} (default: all)")
    name = parser.parse_args(list(arguments)).name
    if name:
        bundled = name == "mcp" and all(each.name != name for each in installed().found)
        found = bundled_mcp([]) if bundled else pick_usable(name)
        if not set_up(found):
            print_line(f"{inline(found.name)} needs nothing more")
        return 0
    code, missing = 0, False
    for found in installed().active():
        try:
            missing = set_up(found) or missing
        except ZotError as error:
            print_error(str(error))
            code = error.exit_code
    if not missing and code == 0:
        print_line("no extension needs anything more")
    return code
