"""`Member`: the state of a member of the swarm, as the file `member.json` in its folder has it."""

import os
from typing import Any, Literal, TypeAlias, get_args

from zot_agent.config.paths import worktrees_root
from zot_agent.host.options import HostOptions
from zot_core.machine.worktrees import BRANCHES, Worktree
from zot_provider.errors import ConfigError
from zot_provider.record import Record, field

VERSION = 1
"""The version of the file; a zot reads no newer one."""

MemberState: TypeAlias = Literal["starting", "working", "asking", "done", "failed", "stopped", "interrupted"]

ACTIVE: tuple[MemberState, ...] = ("starting", "working", "asking")
"""The states of a member whose process lives. Without it the member is `interrupted`."""

_OWN = (
    "api_key",
    "session",
    "continue_latest",
    "resume",
    "fork",
    "no_session",
    "ext_trace",
    "json_schema",
    "coalesce_seconds",
    "cwd",
)
"""Options that a member does not take over; a key is never stored here."""

_PATHS = {"extensions", "add_dirs", "mcp_files"}


class Member(Record):
    """A member, from the outside. Times are UTC as in session files; a text that is missing is empty.

    `state` is `done` if the last run was completed, `failed` with an `error` if not, `stopped` after a kill. `line` is
    what it does now. `cwd` is where it works, in `worktree` if it has one, for `folder`, where it was started.
    `worktree` has the fields of `Worktree`. `question` is the call that waits for an answer.
    """

    id: str
    task: str
    folder: str
    cwd: str
    state: MemberState = "starting"
    line: str = ""
    answer: str = ""
    error: str = ""
    worktree: dict[str, Any] | None = None
    session: str = ""
    provider: str = ""
    model: str = ""
    pid: int = 0
    steps: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0
    started: str = ""
    updated: str = ""
    question: dict[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """Return the JSON object of the file."""
        return {"version": VERSION, **{name: getattr(self, name) for name in self.__match_args__}}

    @property
    def active(self) -> bool:
        """Whether its process lives."""
        return self.state in ACTIVE

    @property
    def tree(self) -> Worktree | None:
        """Its worktree; None without one. Raises `ConfigError` if what is stored of it is damaged."""
        stored = self.worktree
        if stored is None:
            return None
        texts = {name: str(stored.get(name, "")) for name in ("folder", "branch", "base", "repository", "git")}
        inside = os.path.normpath(texts["folder"]).startswith(os.path.join(worktrees_root(), ""))
        if not (all(texts.values()) and inside and texts["branch"].startswith(BRANCHES)):
            raise ConfigError(f"what is stored of the worktree of {self.id} is damaged")
        return Worktree(texts["folder"], texts["branch"], texts["base"], texts["repository"], texts["git"])

    @property
    def host_options(self) -> HostOptions:
        """The options of its host. Raises `ConfigError` if the stored ones are damaged."""
        known = {name: value for name, value in self.options.items() if name in HostOptions.__match_args__}
        default = HostOptions()
        for name, value in known.items():
            expected = getattr(default, name)
            if name in _OWN or (expected is not None and type(value) is not type(expected)):
                raise ConfigError(f"the member {self.id} has an option {name} that cannot be used")
        options = HostOptions(**known)
        return options.replace(cwd=self.cwd, session=self.session, project=self.folder if self.worktree else "")


def stored_options(options: HostOptions) -> dict[str, Any]:
    """Return the options that a member takes over, as far as they were chosen. Their paths hold in any directory."""
    default = HostOptions()
    names = [str(name) for name in HostOptions.__match_args__ if name not in (*_OWN, "project")]
    chosen = {name: value for name in names if (value := getattr(options, name)) != getattr(default, name)}
    for name in _PATHS & chosen.keys():
        chosen[name] = [os.path.abspath(os.path.expanduser(path)) for path in chosen[name]]
    return chosen


def read_member(value: Any, path: str) -> Member:
    """Return the member that the file at `path` describes. Raises `ConfigError` for a damaged or newer file."""
    if not isinstance(value, dict) or value.get("version") != VERSION:
        newer = isinstance(value, dict) and isinstance(value.get("version"), int) and value["version"] > VERSION
        raise ConfigError(f"{path} is {'of a newer zot; update zot' if newer else 'damaged'}")
    kinds = {name: type(default) for name, default in Member("", "", "", "").fields().items() if default is not None}
    fields = {name: item for name, item in value.items() if name in Member.__match_args__}
    for name, item in fields.items():
        kind = kinds.get(name, dict)
        fits = isinstance(item, int | float) if kind is float else isinstance(item, kind)
        if not (fits or (item is None and name in ("question", "worktree", "cost_usd"))):
            raise ConfigError(f"{path} is damaged: {name}")
    if not fields.keys() >= {"id", "task", "folder", "cwd"} or fields.get("state", "starting") not in get_args(
        MemberState
    ):
        raise ConfigError(f"{path} is damaged")
    return Member(**fields)
