"""Where the `zot` command starts. It imports nothing but `sys`, so that `zot --version` costs a bare interpreter."""

import sys


def main() -> int:
    """Run `zot` with the arguments of this process; the exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-v"]):
        from zot_agent.version import __version__  # noqa: PLC0415  see the module's docstring

        sys.stdout.write(f"zot {__version__}\n")
        return 0
    try:
        from zot_agent.cli.main import run  # noqa: PLC0415  see the module's docstring

        return run(arguments)
    except KeyboardInterrupt:  # before there is a turn to stop
        return 130
