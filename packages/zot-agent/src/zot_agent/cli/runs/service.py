"""`zot runs service`: writes a service that continues runs after a restart."""

import sys

from zot_agent.cli.ext.terminal import print_line
from zot_agent.runs.service import service, write_service


def print_service(*, print: bool = False) -> int:
    """Write a service of systemd or launchd that continues runs after a restart.

    --print: print the file and write nothing
    """
    found = service()
    if print:
        sys.stdout.write(found.content.decode())
        return 0
    write_service(found)
    print_line(f"written: {found.path}")
    print_line(f"it starts after this command, and with every login: {found.enable}")
    print_line("it has no variables of your shell: keys must be stored with zot auth")
    return 0
