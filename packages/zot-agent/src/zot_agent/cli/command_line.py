"""`CommandLine`: the arguments of `zot`, parsed."""

from zot_agent.host.options import HostOptions
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field


class CommandLine(Record):
    """The arguments of `zot`: the prompt, what to do with it, and the options of the host.

    `mode` is empty if no flag names one. `list_models` is the search text of `--list-models`, None without that flag.
    """

    prompt: str = ""
    images: list[ImageBlock] = field(default_factory=list)
    mode: str = ""
    stats: bool = False
    debug: bool = False
    list_models: str | None = None
    version: bool = False
    options: HostOptions = field(default_factory=HostOptions)
