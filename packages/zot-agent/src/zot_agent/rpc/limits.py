"""`RpcLimits`: what bounds the memory and the patience of a process that serves another program."""

from zot_provider.record import Record, record


@record
class RpcLimits(Record):
    """Sizes in bytes, times in seconds.

    `line`: of a command; a longer one is answered with an error and passed over. `prompts`: prompts and compactions
    that may wait behind the one at hand.

    What the client has not read yet waits in memory. From `pause` bytes on no model is called and no tool is run, from
    `deaf` bytes on no command is read. With more than `most` bytes, or when it has taken nothing for `stall` seconds,
    the client is taken to be stuck: everything is aborted and the process ends. `flush` stands in the place of `stall`
    once the client has closed standard input, `hurry` after a signal. `models`: for a server to list its models.
    """

    line: int = 16 << 20
    prompts: int = 1000
    pause: int = 4 << 20
    deaf: int = 16 << 20
    most: int = 64 << 20
    stall: float = 3600.0
    flush: float = 60.0
    hurry: float = 2.0
    models: float = 5.0


DEFAULT_LIMITS = RpcLimits()
