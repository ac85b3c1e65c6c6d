"""Reads the key of `--api-key -` and `--api-key-file`: other users of the machine can see arguments, but not these."""

import sys

from zot_provider.errors import ConfigError

_MAX_BYTES = 64 << 10


def read_key(given: str, path: str, *, standard_input: bool) -> str:
    """Return the key: `given`, or the line in the file `path`, or, if `given` is `-`, the line on standard input, which
    is asked for on a terminal. Raises `ConfigError`.

    Without `standard_input`, that is taken: another program sends commands there.
    """
    if path:
        if given:
            raise ConfigError("--api-key and --api-key-file cannot be used together")
        try:
            with open(path, "rb") as file:
                data = file.read(_MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--api-key-file: cannot read {path}: {getattr(error, 'strerror', error)}") from error
        return _line(data, path)
    if given != "-":
        return given
    if not standard_input:
        raise ConfigError("--api-key - reads standard input, which has commands here; use --api-key-file")
    if sys.stdin.isatty():
        from getpass import getpass  # noqa: PLC0415  rarely wanted

        try:
            return _line(getpass("API key: ").encode("utf-8", "surrogateescape"), "standard input")
        except EOFError:
            return _line(b"", "standard input")
    with ConfigError.of_system("--api-key -: cannot read standard input"):
        return _line(sys.stdin.buffer.read(_MAX_BYTES + 1), "standard input")


def _line(data: bytes, where: str) -> str:
    """Return the only line of `data` without spaces at its ends."""
    try:
        key = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ConfigError(f"{where} is not UTF-8 text; it must contain the API key") from None
    if not key or len(key.split()) > 1 or len(data) > _MAX_BYTES:
        raise ConfigError(f"{where} must contain the API key, one line and nothing else")
    return key
