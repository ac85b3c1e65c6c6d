"""`LocalServer`: llama.cpp's HTTP server inside this process (package xllamacpp), on the loopback interface.

It speaks the OpenAI wire, so the rest of zot sees a model server like any other.
"""

import asyncio
import os
import secrets
import threading
from importlib.util import find_spec
from typing import Any

from zot_provider.client.http import HttpClient
from zot_provider.errors import ConfigError, ModelError
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.request import Request

_ENGINE = "xllamacpp"


class ServerLimits(Record):
    """Limits: `context` in tokens, `cache` (of prompts, for later requests) in MiB, `load` and `warm_up` in seconds.

    `threads` is 0 for all cores but one: the engine's threads wait for each other in busy loops, so a thread that
    shares its core with another process slows down all of them, by a factor of ten or more.
    """

    context: int = 4096
    threads: int = 0
    cache: int = 128
    load: float = 60.0
    warm_up: float = 60.0


def engine_installed() -> bool:
    """Whether the extra `zot-agent[local]` is installed."""
    return find_spec(_ENGINE) is not None


def require_engine() -> None:
    """Raise `ConfigError` without the extra."""
    if not engine_installed():
        raise ConfigError(
            "no model can run inside zot yet: install zot-agent[local] "
            "(uv tool install 'zot-agent[local]', or pip install 'zot-agent[local]'), "
            "or choose a server with --base-url http://HOST:PORT/v1"
        )


def load_engine() -> Any:
    """Import and return the engine. Raises `ConfigError` without the extra, and where the system lacks a library."""
    require_engine()
    try:
        import xllamacpp  # noqa: PLC0415  an extra; 100 MB
    except ImportError as error:
        raise ConfigError(
            f"llama.cpp, which runs the model, cannot be loaded: {error}; install that library "
            "(Debian, Ubuntu: apt install libgomp1; Fedora: dnf install libgomp), then try again"
        ) from error
    return xllamacpp


class LocalServer:
    """A server for the model at `path`, a GGUF file. `base_url` is known after `start`.

    Each server has a random key, so that other users and web pages on this machine cannot use it.
    """

    def __init__(self, path: str, limits: ServerLimits | None = None, *, frequency_penalty: float = 0.0) -> None:
        """`frequency_penalty` discourages repetition in all answers; its meaning is that of the OpenAI wire."""
        self.path = path
        self.frequency_penalty = frequency_penalty
        self.limits = limits or ServerLimits()
        self.key = secrets.token_urlsafe(16)
        self.base_url = ""
        self._server: Any = None

    async def start(self, provider: Provider) -> None:
        """Load the model and request one token, because the very first request may be slow.

        Raises `ConfigError` without the extra or for a file that is not a model, `ModelError` after a timeout.
        """
        require_engine()
        try:
            async with asyncio.timeout(self.limits.load):
                self._server = await self._load()
        except TimeoutError as error:
            raise ModelError(f"{self.path!r} was not loaded within {self.limits.load:g} s; is it too large?") from error
        self.base_url = f"{self._server.listening_address}/v1"
        try:
            async with asyncio.timeout(self.limits.warm_up):
                await self._warm_up(provider)
        except TimeoutError as error:
            raise ModelError(
                f"the model did not answer within {self.limits.warm_up:g} s; is this machine busy?"
            ) from error

    def stop(self) -> None:
        """Stop serving and free the memory. Stopping twice is harmless."""
        self._server = None  # its destructor stops it

    async def _load(self) -> Any:
        """Load the model in a thread and return the engine's server. Loading holds the interpreter's lock, for about a
        second with the demo model.

        The thread is a daemon, so that the process can exit although loading has not finished.
        """
        loop = asyncio.get_running_loop()
        loaded: asyncio.Future[Any] = loop.create_future()

        def finish(result: Any, error: Exception | None) -> None:
            if loaded.done():
                return
            if error is None:
                loaded.set_result(result)
            else:
                loaded.set_exception(error)

        def load() -> None:
            result, failure = None, None
            try:
                result = _serve(self.path, self.key, self.limits, self.frequency_penalty)
            except ConfigError as error:
                failure = error
            except (OSError, RuntimeError) as error:
                failure = ConfigError(f"{self.path!r} cannot be loaded; is it a complete GGUF file? ({error})")
                failure.__cause__ = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(finish, result, failure)

        threading.Thread(target=load, name="load model", daemon=True).start()
        return await loaded

    async def _warm_up(self, provider: Provider) -> None:
        client = HttpClient(provider, key=self.key, base_url=self.base_url)
        greeting = Message("user", [TextBlock("Hello")])
        try:
            async for _ in client.stream(Request(Model("", provider.id), [greeting], max_tokens=1)):
                pass
        finally:
            await client.close()


def _serve(path: str, key: str, limits: ServerLimits, frequency_penalty: float) -> Any:
    xllamacpp = load_engine()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = limits.threads or max(1, min(8, cores - 1))
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.verbosity = -1  # nothing on our standard error
    params.n_ctx = limits.context
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = 64  # cancelled requests are noticed between two batches
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = limits.cache
    params.sampling.penalty_freq = frequency_penalty
    params.api_keys = [key]
    params.ui = params.endpoint_slots = False
    return xllamacpp.Server(params)
