"""`make bench`: every scenario in an environment of its own, one line a figure."""

import platform
import sys
from types import ModuleType

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
from environment import Figure

SCENARIOS = (
    startup, streaming, steps, permissions, session, context, housekeeping, checkpoints, agents, subagents, runs, fleet,
    extensions, extension_models, extension_screen, pi_extensions, mcp_servers, sandbox, rpc, screen, serve, install,
)  # fmt: skip


def main() -> int:
    """Build, measure, print; return how many figures are over their budgets. Arguments pick scenarios by name; without
    any all are run.

    A scenario with a figure over its budget is measured again: other work of the machine makes figures worse, and none
    better.
    """
    wanted = [each for each in SCENARIOS if each.__name__ in sys.argv[1:] or len(sys.argv) == 1]
    over: list[Figure] = []
    with environment.built() as place:
        print(f"zot-agent from wheels, compiled, in {platform.python_implementation()} {platform.python_version()}, "
              f"{platform.system()} {platform.machine()}")  # fmt: skip
        print(
            f"CPU figures times {place.scale:.2f}: {environment.REFERENCE_LOOP:g} s over the time of a fixed loop here"
        )
        for scenario in wanted:
            names = {each.name for each in _measured(scenario, place) if each.is_over}
            if names:
                print(f"{scenario.__name__}, again:")
                with environment.built() as fresh:
                    over += [each for each in _measured(scenario, fresh) if each.is_over and each.name in names]
    print(f"{len(over)} figures over their budgets, twice")
    for each in over:
        print(each.line())
    return len(over)


def _measured(scenario: ModuleType, place: environment.Environment) -> list[Figure]:
    """Print each figure of a scenario as soon as it is there."""
    figures: list[Figure] = []
    for figure in scenario.measure(place):
        print(figure.line(), flush=True)
        figures.append(figure)
    return figures


if __name__ == "__main__":
    sys.exit(bool(main()))
