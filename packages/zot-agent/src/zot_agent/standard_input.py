"""Reads what is piped into zot."""

import os
import select
import sys
from math import inf

from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError
from zot_provider.json_text import without_surrogates

STDIN_BYTES = 8 << 20
"""The most bytes of piped text, twice what the largest context windows hold."""

NOTE_SECONDS = 3.0
"""Seconds of silence after which a line says that zot waits."""


def read_stdin(*, has_prompt: bool, wait: int | None) -> str:
    """Read piped text to its end; empty for a terminal or a closed standard input. Text that is not UTF-8 is read as
    `encoding.read_text` does, with a note; escape sequences and control characters are left out. Raises `ConfigError`
    for more than `STDIN_BYTES`.

    With `has_prompt` the first byte must come within `wait` seconds (None: the setting `stdin_wait`; 0: without a
    limit): programs that run zot often leave a pipe open. What has begun is read to its end, however long it takes.
    """
    if sys.stdin.isatty():
        return ""
    try:
        # Settings cost a file, and most pipes have something, or have ended, when zot starts.
        limit = inf if not has_prompt or _readable(0) else _limit(wait)
        data = _read(limit)
    except OSError:  # e.g. it is open for writing only
        return ""
    if len(data) > STDIN_BYTES:
        raise ConfigError(
            f"standard input is larger than {STDIN_BYTES / 1_000_000:.1f} MB; "
            "write it to a file and mention its path in the prompt"
        )
    if not data:
        return ""
    from locale import getencoding  # noqa: PLC0415  as below

    from zot_core.tools.text.encoding import BROKEN_UTF_8, UTF_8, NoText, codec_of, read_text  # noqa: PLC0415  as below
    from zot_core.tools.text.fold import plain_text  # noqa: PLC0415  only for piped text

    try:
        text, encoding = read_text(data, codec_of(getencoding()))
    except NoText:
        text = data.decode("utf-8", "replace")
        encoding = BROKEN_UTF_8 if "\ufffd" in text else UTF_8
    if note := encoding.about("standard input"):
        print_error(note)
    return plain_text(without_surrogates(text))


def _limit(wait: int | None) -> float:
    if wait is None:
        from zot_agent.config.paths import zot_home  # noqa: PLC0415  see `read_stdin`
        from zot_agent.config.settings import load_settings  # noqa: PLC0415  see `read_stdin`

        wait = load_settings(zot_home()).stdin_wait
    return wait or inf


def _read(limit: float) -> bytes:
    """Read to the end, or until there is too much; empty, with a note, if no byte comes within `limit` seconds."""
    data, noted = bytearray(), False
    while len(data) <= STDIN_BYTES:
        if not noted and not _readable(NOTE_SECONDS if data else min(limit, NOTE_SECONDS)):
            noted = True
            if data or limit > NOTE_SECONDS:
                most = f", for {limit:.0f} seconds at most" if not data and limit < inf else ""
                part = "end" if data else "begin"
                print_error(f"waiting for standard input to {part}{most} (use </dev/null if there is no input)")
        if not data and not _readable(limit - NOTE_SECONDS if noted else limit):
            print_error(f"no input came from standard input in {limit:.0f} s; working without it (see --stdin-wait)")
            break
        piece = os.read(sys.stdin.fileno(), 1 << 16)
        if not piece:
            break
        data += piece
    return bytes(data)


def _readable(seconds: float) -> bool:
    """Whether there is something to read, or the end, within `seconds`. Windows cannot say it of a pipe."""
    if os.name != "posix":
        return True
    return bool(select.select([sys.stdin], [], [], None if seconds == inf else max(0.0, seconds))[0])
