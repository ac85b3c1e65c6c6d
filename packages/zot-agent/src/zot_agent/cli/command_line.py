"""`CommandLine`: the arguments of `zot`, parsed."""

from zot_agent.host.options import HostOptions
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field


class CommandLine(Record):
    """The arguments of `zot`: the prompt, what to do with it, and the options of the host.

    `mode` is empty if no flag names one. `stdin_wait` is None without that flag. `list_models` is the search text of
    `--list-models`, None without that flag.
    """

    prompt: str = ""
    images: list[ImageBlock] = field(default_factory=list)
    mode: str = ""
    stdin_wait: int | None = None
    stats: bool = False
    debug: bool = False
    list_models: str | None = None
    version: bool = False
    options: HostOptions = field(default_factory=HostOptions)

    def first_of(self, *flags: str) -> str:
        """Return the first of these flags that was given, for commands that take only some of them; empty without any.
        `--mode` is that of any mode, by which it is then called."""
        options = self.options
        given = {
            "--api-key": options.api_key,
            "--session": options.session,
            "--continue": options.continue_latest,
            "--resume": options.resume,
            "--fork": options.fork,
            "--no-session": options.no_session,
            "--json-schema": options.json_schema is not None,
            "--list-models": self.list_models is not None,
            "--stats": self.stats,
            "--version": self.version,
            "--cwd": options.cwd != HostOptions().cwd,
            "--mode": self.mode,
        }
        found = next((flag for flag in flags if given[flag]), "")
        return f"--{self.mode}" if found == "--mode" else found
