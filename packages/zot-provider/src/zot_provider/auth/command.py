"""`run_key_command`: runs a program that prints an API key, such as a password manager."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress

from zot_provider.auth.entry import KeyCommand
from zot_provider.auth.secrets import remember_secret
from zot_provider.errors import ConfigError

_REAP_SECONDS = 2.0
"""Seconds to wait for a program that was killed."""

MAX_BYTES = 64 << 10
"""The most bytes that the program may print."""


async def run_key_command(command: KeyCommand, provider: str, environ: Mapping[str, str]) -> str:
    """Return the line that the program prints, without spaces at its ends.

    Raises `ConfigError`, which quotes no output, if it cannot be started, fails, takes too long, or prints nothing,
    several lines or more than `MAX_BYTES`. The program and what it started do not outlive the call.
    """
    where = f"the api_key_command of {provider} ({command.program})"
    try:
        process = await asyncio.create_subprocess_exec(
            command.program,
            *command.args,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=os.name == "posix",
        )
    except (OSError, ValueError) as error:
        raise ConfigError(f"{where} cannot be started: {getattr(error, 'strerror', None) or error}") from None
    try:
        async with asyncio.timeout(command.timeout_ms / 1000):
            output = await _read(process.stdout)
            code = await process.wait() if len(output) <= MAX_BYTES else 0
    except TimeoutError:
        raise ConfigError(f"{where} took more than {command.timeout_ms / 1000:g} s") from None
    finally:
        _kill(process)
        await _reap(process)
    if code:
        raise ConfigError(f"{where} failed with exit code {code}; run it in a terminal to see why")
    if len(output) > MAX_BYTES:
        raise ConfigError(f"{where} printed more than {MAX_BYTES >> 10} KiB; it must print the key and nothing else")
    lines = output.decode("utf-8", "replace").strip().splitlines()
    if len(lines) != 1:
        raise ConfigError(f"{where} printed {'nothing' if not lines else 'several lines'}; it must print the key")
    remember_secret(lines[0])
    return lines[0]


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    """Read to the end, or one byte more than the limit."""
    assert stream is not None  # it is a pipe
    data = b""
    while len(data) <= MAX_BYTES and (piece := await stream.read(MAX_BYTES + 1 - len(data))):
        data += piece
    return data


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Wait for a killed program. asyncio reports its end only once its output was read, and what left its process group
    may hold that open for ever."""
    assert process.stdout is not None  # it is a pipe
    with suppress(TimeoutError):
        async with asyncio.timeout(_REAP_SECONDS):
            while await process.stdout.read(MAX_BYTES):
                pass
            await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
