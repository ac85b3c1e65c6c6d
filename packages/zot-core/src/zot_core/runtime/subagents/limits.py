"""`AgentLimits`: how far the sub-agents of a runtime may go."""

from zot_provider.errors import ConfigError
from zot_provider.record import Record


class AgentLimits(Record):
    """Limits of sub-agents.

    `steps`: model calls of one, unless its task says otherwise. `seconds`: the time of one, None for no limit. `depth`:
    how deeply they may start others. `running`: how many of one agent run at a time; the others wait. `number`: how
    many the models of a family may start within one run of the agent at its top. `remembered`: how many that have ended
    can still be looked at. `answer`: the characters of an answer that the agent which asked reads. `progress`: the
    least seconds between two reports of one. `git_seconds`: the time of one git command for a worktree.
    """

    steps: int = 100
    seconds: float | None = 1800.0
    depth: int = 3
    running: int = 16
    number: int = 100
    remembered: int = 100
    answer: int = 40_000
    progress: float = 0.25
    git_seconds: float = 120.0

    def check(self) -> None:
        """Raise `ConfigError` if a limit is not above zero."""
        for name in self.__match_args__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"{name} must be greater than 0, got {value}")
