"""The answers of `zot rpc` as typed dictionaries: sessions, runs, jobs, sub-agents and settings."""

from typing import Any, Literal, TypeAlias, TypedDict

from zot_ext.protocol.answers import StoredSessionInfo

JobState: TypeAlias = Literal["running", "ended", "stopped", "failed"]


class WrittenFile(TypedDict):
    """The file that was written."""

    path: str


class AddedSession(TypedDict):
    """The session that was added."""

    session: StoredSessionInfo


class SettingInfo(TypedDict):
    """A setting. `source` is the file or the variable that the value comes from, empty for the default; `values` says
    what it can be. `changeable`: a program may change it; `at_once`: the open conversation follows."""

    key: str
    value: Any
    default: Any
    source: str
    help: str
    values: str
    choices: list[str]
    changeable: bool
    at_once: bool


class SettingList(TypedDict):
    """All settings."""

    settings: list[SettingInfo]


class ChangedSetting(TypedDict):
    """The setting with the value in effect, which a variable or the project may decide."""

    setting: SettingInfo


class RunQuestionInfo(TypedDict):
    """What a run asks a person: the call, why it needs an answer, and the rules that the answer "always" adds."""

    call: str
    reason: str
    always: list[str]


class RunInfo(TypedDict):
    """A durable run. `pid` is None while no process has it; `question` is None unless it waits for an answer."""

    id: str
    state: str
    task: str
    steps: int
    tries: int
    end: str
    reason: str
    started: str
    changed: str
    cwd: str
    pid: int | None
    parked: bool
    question: RunQuestionInfo | None
    session: str


class RunList(TypedDict):
    """The durable runs, last changed first."""

    runs: list[RunInfo]


class ChangedRun(TypedDict):
    """The run after the change."""

    run: RunInfo


class JobInfo(TypedDict):
    """A command in the background. `exit_code` is None unless it ended by itself. `output` is the end of what it has
    printed, `output_path` a file with more of it, empty while it is short."""

    id: str
    command: str
    state: JobState
    exit_code: int | None
    seconds: float
    bytes: int
    output: str
    output_path: str


class JobList(TypedDict):
    """The jobs that run, and the latest that have ended."""

    jobs: list[JobInfo]


class ChangedJob(TypedDict):
    """The job after the change."""

    job: JobInfo


class AgentEntryInfo(TypedDict):
    """A sub-agent. `end` is empty while it works, else as the `reason` of `done`, or interrupted if its process ended
    first; `line` is what it does, or the end of its answer; `parent` is the agent that started it, empty for the agent
    itself. `branch` and `worktree` are empty unless it works in a worktree."""

    id: str
    name: str
    task: str
    parent: str
    model: str
    end: str
    error: str
    line: str
    steps: int
    tokens: int
    cost_usd: float | None
    session: str
    branch: str
    worktree: str
    seconds: float


class AgentList(TypedDict):
    """The sub-agents of the session, oldest first."""

    agents: list[AgentEntryInfo]


class ChangedAgent(TypedDict):
    """The sub-agent after the change."""

    agent: AgentEntryInfo
