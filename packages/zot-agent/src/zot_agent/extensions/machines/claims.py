"""`MachineClaims`: which extension has zot's own tools, and which machine they use."""

import os
import shutil
import tempfile
from collections.abc import Callable
from typing import TypeAlias

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_agent.extensions.machines.operations import CommandOutputs, MachineOps
from zot_agent.extensions.machines.remote import RemoteFiles, RemoteShell
from zot_agent.extensions.registry import RegistrationError
from zot_core.agent import Agent
from zot_core.conversation.events import ExtensionEvent, Level, Notify
from zot_core.machine.interface import OtherMachine
from zot_core.printable import printable_line
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.groups.tool_ops import TOOL_OPS, OpOutput, RegisterToolOps, UnregisterToolOps, machine_problem

MachineFrame: TypeAlias = RegisterToolOps | UnregisterToolOps | OpOutput

_LONGEST_NAME = 200
_HERE = "the tools use this machine again"


class MachineClaims:
    """The machine of one extension in place of this one.

    The first extension that asks has the tools until it gives them back or ends. While a run is in progress, a change
    waits for the next model call: a call that was allowed for one machine must not run on the other. If the extension
    ends by itself, the tools fail until the person reloads: the model must not continue here what it began there.
    """

    def __init__(
        self,
        agent: Agent,
        limits: ExtensionLimits,
        agent_info: Callable[[], AgentInfo],
        notify: Callable[[ExtensionEvent], None],
    ) -> None:
        """`notify` shows what happens to the person."""
        self._agent, self._limits, self._agent_info, self._notify = agent, limits, agent_info, notify
        self.outputs = CommandOutputs()
        self._owner: Connection | None = None
        self._waiting: list[OtherMachine | None] = []
        self._folder = ""
        self._over = False

    def received(self, member: OwnRegistrations, connection: Connection, frame: MachineFrame) -> None:
        if isinstance(frame, OpOutput):
            self.outputs.received(connection, frame)
            return
        if isinstance(frame, UnregisterToolOps):
            self.release(connection)
            return
        try:
            if "tool_ops" not in connection.granted:
                raise RegistrationError("register_tool_ops needs the group 'tool_ops' in hello.capabilities")
            if not member.permissions.tool_ops:
                raise RegistrationError("the permissions of its manifest do not have tool_ops")
            self.claim(connection, frame)
        except RegistrationError as error:
            why = f"the tools do not use {printable_line(frame.name)[:_LONGEST_NAME]}: {error}"
            member.refuse("machine", frame.name, why)
            self._say(connection.name, "warn", why)
        else:
            member.accept("machine", frame.name)

    def claim(self, connection: Connection, frame: RegisterToolOps) -> None:
        """Let the tools use the machine of an extension. Raises `RegistrationError`."""
        if self._owner is not None and self._owner is not connection and self._owner.state == "running":
            raise RegistrationError(f"they use the machine of extension {self._owner.name}")
        if problem := machine_problem(frame):
            raise RegistrationError(problem)
        self._folder = self._folder or os.path.realpath(tempfile.mkdtemp(prefix="zot-outputs-"))
        ops, self._owner = MachineOps(frame.name, connection, self._limits, self.outputs), connection
        wanted = frame.ops or TOOL_OPS
        files = RemoteFiles(ops, frame.cwd, self._folder) if "files" in wanted else None
        machine = OtherMachine(
            frame.name,
            frame.cwd if files is not None else "",
            (frame.home or "/") if files is not None else "",
            files,
            RemoteShell(ops) if "exec" in wanted else None,
            self._folder,
        )
        self._change(machine)
        where = f": {frame.cwd}" if files is not None else ""
        what = "the tools use" if len(wanted) > 1 else "the file tools use" if files is not None else "commands run on"
        line = f"{what} {frame.name}{where}; /undo does not cover what they change there"
        confined = self._agent_info().sandbox is not None
        outside = "" if not confined else f"; the sandbox confines extension {connection.name}, and not that machine"
        self._say(connection.name, "info", line + outside)

    def release(self, connection: Connection) -> None:
        """Let the tools use this machine again, if the extension has them."""
        if self._owner is connection:
            self._owner = None
            self._change(None)
            self._say(connection.name, "info", _HERE)

    def ended(self, connection: Connection, *, stopped: bool) -> None:
        """An extension has ended; `stopped`: because zot has ended it."""
        if stopped and not self._agent.busy:
            self.release(connection)
        elif self._owner is connection:
            self._owner = None
            self._say(connection.name, "error", "the tools cannot use its machine any more; run /reload-ext")

    def reloaded(self) -> None:
        """All extensions have been started again: a machine that no extension has offered again is over, and the next
        run is one on this machine."""
        self._over = self._owner is None and self._agent.place.machine is not None
        if not self._agent.busy:
            self.apply(1)

    def apply(self, step: int) -> None:
        """Make the change that waits, before the model call `step` of a run."""
        if self._over and step == 1:
            self._over = False
            self._waiting.append(None)
            self._say("zot", "info", _HERE)
        if self._waiting:
            self._agent.use_machine(self._waiting.pop())
            self._waiting.clear()

    def _change(self, machine: OtherMachine | None) -> None:
        self._over = False
        self._waiting.append(machine)
        if not self._agent.busy:
            self.apply(0)

    def _say(self, extension: str, level: Level, line: str) -> None:
        self._notify(Notify(extension, level, line))

    def close(self) -> None:
        """Remove what is on this machine for the other one only."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
