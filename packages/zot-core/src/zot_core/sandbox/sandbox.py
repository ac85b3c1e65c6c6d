"""`Sandbox`: starts processes so that the operating system confines them to a policy."""

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zot_core.machine.interface import Walls
from zot_core.machine.network import NetworkAccess
from zot_core.machine.shell import Launch
from zot_core.permission_mode import SandboxState
from zot_core.printable import few
from zot_core.sandbox import bubblewrap, landlock, seatbelt
from zot_core.sandbox.limits import NO_RETRIES, SandboxLimits, inside_environment
from zot_core.sandbox.placeholders import Placeholders
from zot_core.sandbox.policy import PLACEHOLDERS, SandboxPolicy, make_policy

if TYPE_CHECKING:
    from zot_core.machine.hosts import HostPattern
    from zot_core.sandbox.network import SandboxNetwork

_FOLDER_WORDS, _HOST_WORDS = 3, 4
"""Words for them in what a model reads."""


class Sandbox:
    """Confines processes to `policy` while it is open."""

    def __init__(self, policy: SandboxPolicy, limits: SandboxLimits | None = None) -> None:
        """Raises ValueError for a wrong pattern of a host."""
        self.policy, self.limits = policy, limits or SandboxLimits()
        self.network = _network(policy.hosts)
        self._placeholders = Placeholders(
            path for path, access in policy.paths.items() if access == "read" and os.path.basename(path) in PLACEHOLDERS
        )
        self._homes: list[str] = []
        self._close = weakref.finalize(self, _remove, policy.scratch, self._homes, self._placeholders)

    @property
    def state(self) -> SandboxState:
        """A description for a person."""
        return "strict" if self.policy.strict else "lesser" if self._is_lesser() else "on"

    def note(self) -> str:
        """Return what the person should know of it, a line; empty if there is nothing."""
        if not self._is_lesser():
            return ""
        return f"a lesser sandbox, which does not protect .git, is in use: {self._missing()}"

    def walls(self, folders: Sequence[str] = ()) -> Walls:
        """Return what the model must know: what can be written, which `folders` are among it, what `/tmp` is, and what
        can be reached."""
        policy = self.policy
        more = f", {few(folders, _FOLDER_WORDS)}" if folders else ""
        own_tmp = sys.platform == "linux" and not self._is_lesser()
        temporary = "/tmp" if own_tmp else "$TMPDIR"
        git = " (not .git)" if policy.git == "ask" else ""
        network = f"only {few(policy.hosts, _HOST_WORDS)}" if policy.hosts else "none"
        apart = "per command: own home, processes, localhost" if own_tmp else "homes are hidden"
        words = (
            f"Sandbox: writable are the working directory{git}{more} and {temporary} (private, until zot ends); "
            f"{apart}; network: {network}"
        )
        return Walls(words, policy.is_temporary)

    def _missing(self) -> str:
        """Return why the whole sandbox is not possible here."""
        return sandbox_problem(bubblewrap.writable_folders(self.policy))

    def _is_lesser(self) -> bool:
        return sys.platform == "linux" and bool(self._missing())

    def problem(self) -> str:
        """Return why this machine cannot confine, a line for the person; empty if it can."""
        why = self._missing()
        if why and not self.policy.strict and not self.policy.hosts and not landlock.problem():
            return ""
        return why

    def make_home(self) -> str:
        """Return a new folder to be the home of one command; empty where commands see the home, and may not write it.
        A folder that commands share would let one lead the mounts of the next astray, by links."""
        if sys.platform != "linux" or self._is_lesser():
            return ""
        if not self._homes:
            self._homes.append(tempfile.mkdtemp(prefix="zot-homes-"))
        return tempfile.mkdtemp(dir=self._homes[0])

    def confine(self, launch: Launch, home: str = "") -> Launch:
        """Return how to start a process inside, with the folder `home` of `make_home` as its home. Raises OSError, with
        a line for the person, if that cannot be done.

        With hosts in the policy, an event loop must run. The variables of `launch` are passed on: see `environment`.
        """
        if why := self.problem():
            raise OSError(why)
        network = None if self.policy.open_network else self.network
        if sys.platform == "darwin":
            port, launch = (0, launch) if network is None else network.listen(launch)
            return seatbelt.confined(launch, self.policy, self.limits, port)
        if self._is_lesser():
            return landlock.confined(launch, self.policy, self.limits)
        self._placeholders.make()
        more: list[str] = []
        if network is not None:
            more, launch = network.join(launch)
        return bubblewrap.confined(launch, self.policy, self.limits, more, home=home)

    @property
    def access(self) -> NetworkAccess:
        """The paths that a tool of this process may reach, as the inside may. Rules judge its calls before that."""
        return self.network.proxy.access.replace(denied=()) if self.network is not None else NetworkAccess(hosts=())

    def allow(self, hosts: Sequence[str], denied: "Sequence[HostPattern]" = ()) -> None:
        """Replace the allowed hosts, and the hosts that are denied although they are among them, also for what runs. A
        sandbox without hosts at its start has no network. ValueError for a wrong pattern."""
        if self.network is not None:
            self.network.allow(hosts, denied)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of `env` that the inside may have."""
        kept = inside_environment(env, self.policy.variables)
        return kept if self.policy.hosts or self.policy.open_network else NO_RETRIES | kept

    def close(self) -> None:
        """Remove what is on this machine for the sandbox only. What runs inside reaches no host from now on."""
        if self.network is not None:
            self.network.close()
        self._close()


def _network(hosts: Sequence[str]) -> "SandboxNetwork | None":
    if not hosts:
        return None
    from zot_core.sandbox.network import SandboxNetwork  # noqa: PLC0415  only where hosts are allowed

    return SandboxNetwork(hosts)


def sandbox_problem(inside: Iterable[str] = ()) -> str:
    """Return why this machine cannot confine, a line for the person; empty if it can. A program in the folders
    `inside`, which the agent may write, does not count."""
    if sys.platform == "darwin":
        return seatbelt.problem()
    return bubblewrap.problem(inside) if sys.platform == "linux" else "there is no sandbox for this system"


def open_sandbox(root: str, scratch: str = "", **more: Any) -> Sandbox:
    """Return a sandbox with a folder for temporary files, `scratch` of an earlier one or a new one; the arguments are
    passed to `make_policy`, which raises ValueError, as a wrong pattern of a host does."""
    made = "" if scratch else os.path.realpath(tempfile.mkdtemp(prefix="zot-sandbox-"))
    try:
        return Sandbox(make_policy(root, scratch=scratch or made, **more))
    except BaseException:
        if made:
            os.rmdir(made)
        raise


def _remove(scratch: str, homes: Sequence[str], placeholders: Placeholders) -> None:
    for folder in (scratch, *homes):
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    placeholders.remove()
