"""`Sandbox`: starts processes so that the operating system confines them to a policy."""

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping
from typing import Any, Literal

from zot_core.machine.shell import Launch
from zot_core.sandbox.limits import SandboxLimits, inside_environment
from zot_core.sandbox.policy import PLACEHOLDERS, SandboxPolicy, make_policy


class Sandbox:
    """Confines processes to `policy` while it is open."""

    def __init__(self, policy: SandboxPolicy, limits: SandboxLimits | None = None) -> None:
        self.policy, self.limits = policy, limits or SandboxLimits()
        self._made: list[str] = []
        self._close = weakref.finalize(self, _remove, policy.scratch, self._made)

    @property
    def state(self) -> Literal["on", "strict"]:
        """What a person sees of it."""
        return "strict" if self.policy.strict else "on"

    def problem(self) -> str:
        """Return why this machine cannot confine, a line for the person; empty if it can."""
        return sandbox_problem(self.policy.root)

    def confine(self, launch: Launch) -> Launch:
        """Return how to start a process inside. Raises OSError, with a line for the person, if that cannot be done.

        The variables of `launch` are passed on; `environment` filters them.
        """
        if why := self.problem():
            raise OSError(why)
        from zot_core.sandbox.bubblewrap import confined  # noqa: PLC0415  not on other systems

        self._make_placeholders()
        return confined(launch, self.policy, self.limits)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of `env` that the inside may have."""
        return inside_environment(env, self.policy.variables)

    def _make_placeholders(self) -> None:
        """Make the folders that must not be made inside: a mount over them needs something to be mounted on."""
        for path, access in self.policy.paths.items():
            if access == "read" and os.path.basename(path) in PLACEHOLDERS and not os.path.lexists(path):
                try:
                    os.mkdir(path)
                except PermissionError:
                    continue  # nor can the inside
                self._made.append(path)

    def close(self) -> None:
        """Remove what is on this machine for the sandbox only."""
        self._close()


def sandbox_problem(inside: str = "") -> str:
    """Return why this machine cannot confine, a line for the person; empty if it can. A program in the folder `inside`,
    which the agent may write, does not count."""
    if sys.platform != "linux":
        return "there is no sandbox for this system"
    from zot_core.sandbox.bubblewrap import problem  # noqa: PLC0415  not on other systems

    return problem(inside)


def open_sandbox(root: str, **more: Any) -> Sandbox:
    """Return a sandbox with a folder for temporary files of its own; the arguments are those of `make_policy`, which
    raises ValueError."""
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="zot-sandbox-"))
    try:
        return Sandbox(make_policy(root, scratch=scratch, **more))
    except BaseException:
        os.rmdir(scratch)
        raise


def _remove(scratch: str, made: list[str]) -> None:
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    for path in made:
        try:
            os.rmdir(path)
        except OSError:
            continue  # someone else has put something there
