"""`zot ext setup [NAME]`: installs the Python packages that extensions need, where they are missing."""

from zot_agent.cli.ext.folder.names import installed, pick_usable
from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.extensions.declared.bundled import bundled_mcp
from zot_agent.standard_error import print_error
from zot_provider.errors import ZotError


def set_up_packages(name: str = "") -> int:
    """Install the Python packages that extensions need. A manifest or a program names them; they go into an environment
    of the extension's own. Only wheels are installed, which runs none of their code.

    NAME: name of the extension, or name or path of its folder (default: all)
    """
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
