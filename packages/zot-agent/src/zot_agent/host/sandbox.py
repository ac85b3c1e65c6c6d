"""`SandboxSwitch`: turns the sandbox of a conversation on and off."""

import os
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from zot_agent.config.paths import worktrees_root, zot_home
from zot_agent.config.settings import Settings
from zot_agent.host.options import HostOptions
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed
from zot_core.events import Notice
from zot_core.machine.files import LocalFiles
from zot_core.machine.network import NetworkAccess
from zot_core.machine.shell import LocalShell
from zot_core.permission_mode import SANDBOX_MODES, SandboxMode
from zot_provider.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from zot_core.permissions.rule import Rule
    from zot_core.sandbox.policy import SandboxPolicy
    from zot_core.sandbox.sandbox import Sandbox


class SandboxSwitch:
    """The sandbox of a conversation's commands and file tools; nothing of it is imported while it is off."""

    def __init__(
        self, conversation: Conversation, options: HostOptions, settings: Settings, removed_env: Collection[str]
    ) -> None:
        """`removed_env` are variables that commands do not get, in a sandbox or not."""
        self._conversation, self._options, self.settings = conversation, options, settings
        self._removed_env = removed_env
        self.sandbox: Sandbox | None = None
        self._opened: list[Sandbox] = []  # a job may run in an earlier one

    @property
    def policy(self) -> "SandboxPolicy | None":
        """The permissions of the inside; None while it is off."""
        return None if self.sandbox is None else self.sandbox.policy

    def start(self) -> list[str]:
        """Turn it on if the options or settings say so; return lines for the person. Raises `ConfigError` if this
        machine cannot do it."""
        mode = self._options.sandbox or self.settings.sandbox
        if mode == "off":
            return []
        self.set(mode)
        return [note] if self.sandbox is not None and (note := self.sandbox.note()) else []

    def choose(self, name: str) -> None:
        """Do what `set` does, for a name of a mode. Raises `UnknownName` too."""
        mode = next((each for each in SANDBOX_MODES if each == name), None)
        if mode is None:
            raise UnknownName.among("mode", name, SANDBOX_MODES)
        self.set(mode)

    def set(self, mode: SandboxMode) -> None:
        """Confine the next commands; running ones keep what they have. Raises `ConfigError`, and nothing has
        changed, if this machine cannot do it."""
        self.sandbox = opened = None if mode == "off" else self._open(strict=mode == "strict")
        conversation, runtime = self._conversation, self._conversation.runtime
        shell = LocalShell(removed_env=self._removed_env)
        agent = runtime.agent
        if opened is None:
            agent.place.change(files=LocalFiles(), shell=shell, temporary="", walls=None, network=NetworkAccess())
        else:
            from zot_core.sandbox.files import SandboxedFiles  # noqa: PLC0415  not while it is off
            from zot_core.sandbox.shell import SandboxedShell  # noqa: PLC0415  as above

            agent.place.change(
                files=SandboxedFiles(opened.policy),
                shell=SandboxedShell(
                    opened, shell, conversation.permissions.offer, lambda text: agent.emit(Notice("warn", text))
                ),
                temporary=opened.policy.scratch,
                walls=opened.walls(self._folders()),
                network=opened.access,
            )
        if runtime.checkpoints is not None:
            runtime.checkpoints.watch()
        conversation.sandbox = "off" if opened is None else opened.state
        conversation.events.notify(Changed("settings"))

    def follow(self, settings: Settings) -> None:
        """Confine to the working directory as it is now, with these settings, which can turn it on but not off. Raises
        `ConfigError`."""
        before, self.settings = self.settings, settings
        mode: SandboxMode = "off" if self.policy is None else "strict" if self.policy.strict else "on"
        if settings.sandbox != before.sandbox and self._options.sandbox is None:
            mode = max(mode, settings.sandbox, key=SANDBOX_MODES.index)
        if mode != "off":
            self.set(mode)

    def _folders(self) -> list[str]:
        """Return the folders to work in besides the working directory."""
        return [os.path.expanduser(each) for each in (*self.settings.sandbox_folders, *self._options.add_dirs)]

    def _open(self, *, strict: bool) -> "Sandbox":
        from zot_core.machine.hosts import HostPattern  # noqa: PLC0415  as above
        from zot_core.machine.worktrees import worktrees_folder  # noqa: PLC0415  as above
        from zot_core.sandbox.policy import repository_around  # noqa: PLC0415  as above
        from zot_core.sandbox.sandbox import open_sandbox  # noqa: PLC0415  as above

        settings, runtime = self.settings, self._conversation.runtime
        try:
            sandbox = open_sandbox(
                runtime.cwd,
                self._scratch(os.path.realpath(runtime.cwd)),
                zot_home=zot_home(),
                worktrees=worktrees_folder(worktrees_root(), runtime.cwd),
                writable=self._folders(),
                readable=[*repository_around(runtime.cwd), *{skill.folder for skill in runtime.skills}],
                hidden=denied_paths(self._conversation.permissions.rules, runtime.cwd),
                hosts=settings.sandbox_hosts,
                variables=settings.sandbox_variables,
                git=settings.sandbox_git,
                strict=strict,
            )
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if why := sandbox.problem():
            if not self._opened:  # an earlier one may have the same folder
                sandbox.close()
            raise ConfigError(f"{why}; without a sandbox: --sandbox off")
        self._opened.append(sandbox)
        rules = self._conversation.permissions.rules
        # Nobody can be asked about a connection of a command.
        denied = [each.pattern for each in rules if each.action != "allow" and isinstance(each.pattern, HostPattern)]
        for each in self._opened:
            each.allow(settings.sandbox_hosts, denied)
        return sandbox

    def _scratch(self, root: str) -> str:
        """Return the folder for temporary files of an earlier sandbox for the folder `root`, empty without one: the
        model reads in its prompt that they stay, and outputs of commands are among them."""
        return next((each.policy.scratch for each in self._opened if each.policy.root == root), "")

    def close(self) -> None:
        """Remove what is on this machine for the sandbox only."""
        for each in self._opened:
            each.close()


def denied_paths(rules: "Iterable[Rule]", cwd: str) -> list[str]:
    """Return the paths that rules deny to be read, as far as they name them: `keys`, `keys/**`, `**/.env` of `cwd`."""
    found = []
    for rule in rules:
        name = rule.text.partition("(")[2].removesuffix(")").strip()
        path = name.removesuffix("/**").removeprefix("**/")
        if rule.action == "deny" and rule.tool.casefold() == "read" and path and not set(path) & set("*?\\"):
            found.append(os.path.join(cwd, os.path.expanduser(path)))
    return found
