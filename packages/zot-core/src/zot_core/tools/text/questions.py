"""Recognises output in which a command asks for input, which it cannot get: its standard input is empty; pure."""

import re

_END = 2000
"""Characters at the end of an output that are looked at."""

_ASKS = (
    r"(?:[\[(](?:y|(?:y|yes)/(?:n|no)(?:/[^\])]{1,20})?)[\])]|password(?: for [^\n:]{1,80})?|passphrase[^\n:]{0,80}"
    r"|username(?: for [^\n:]{1,80})?|press (?:any key|enter|return)[^\n]{0,40}|are you sure[^\n]{0,80}\?"
    r"|(?:continue|proceed|overwrite)[^\n]{0,40}\?)[ \t]*[:?>.]{0,3}[ \t]*\Z"
)
"""A question at the end of an output."""
_FAILED = (
    r"EOF when reading a line|EOF while reading|unexpected end of (?:input|file) on stdin|a terminal is required"
    r"|no tty present|must be run from a terminal|stdin (?:is )?not a (?:tty|terminal)|input device is not a TTY"
    r"|/dev/tty: (?:No such device|Device not configured)|could not read (?:Username|Password)"
    r"|terminal prompts disabled"
    r"|Inappropriate ioctl for device|Host key verification failed|Input is not from a terminal|Terminal is dumb"
    r"|\[y/n\] Abort|User force closed the prompt"
)
"""Messages of programs that wanted to ask."""

NOTE = (
    "the command seems to ask for input, and gets none: its standard input is empty. Answer in the command, with an "
    "option such as --yes or with `printf 'y\\n' |`, or use a command that does not ask"
)


def asks_for_input(output: str, *, failed: bool) -> bool:
    """Whether a command asked for input. `failed`: it ended with an error, or not at all."""
    end = output[-_END:]
    if not end or (end[-1] == "\n" and not failed):  # as of most commands, for which no pattern is compiled
        return False
    return _found(_ASKS, end) or (failed and (_found(_FAILED, end) or _found(_ASKS, end.rstrip())))


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
