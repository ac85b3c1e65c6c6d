"""`make bench`: every scenario in an environment of its own, one line a figure."""

import platform
import shutil
import sys

import agents
import checkpoints
import context
import environment
import extension_models
import extension_screen
import extensions
import fleet
import housekeeping
import install
import mcp_servers
import permissions
import pi_extensions
import rpc
import runs
import sandbox
import screen
import serve
import session
import startup
import steps
import streaming
import subagents

SCENARIOS = (
    startup, streaming, steps, permissions, session, context, housekeeping, checkpoints, agents, subagents, runs, fleet,
    extensions, extension_models, extension_screen, pi_extensions, mcp_servers, sandbox, rpc, screen, serve, install,
)  # fmt: skip


def main() -> None:
    """Build, measure, print. Arguments pick scenarios by name; without any all are run."""
    wanted = [each for each in SCENARIOS if each.__name__ in sys.argv[1:] or len(sys.argv) == 1]
    place = environment.build()
    try:
        print(f"zot-agent from wheels, compiled, in {platform.python_implementation()} {platform.python_version()}, "
              f"{platform.system()} {platform.machine()}")  # fmt: skip
        print(
            f"CPU figures times {place.scale:.2f}: {environment.REFERENCE_LOOP:g} s over the time of a fixed loop here"
        )
        for scenario in wanted:
            for figure in scenario.measure(place):
                print(figure.line(), flush=True)
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
