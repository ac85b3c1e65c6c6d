"""`SignInSession`: one attempt of a person to sign in, which any front end can drive."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Literal, TypeAlias

from zot_provider.auth.keys import KeyRefused, add_key
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.steps import AskKey, Mistake, NotSignedIn, Progress, SignedIn, SignInStep
from zot_provider.errors import ConfigError, ZotError
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry

Method: TypeAlias = Literal["account", "page", "key"]
"""Sign in with an account of the provider; give a key in a form in the browser; give a key to the front end."""


def sign_in_methods(provider: Provider) -> list[Method]:
    """Return the ways to sign in to a provider, the best first; empty if it needs neither a key nor an account."""
    methods: list[Method] = ["account"] if provider.sign_in else []
    return [*methods, "page", "key"] if provider.key_env else methods


class SignInSession:
    """One attempt to sign in.

    ```python
    session = SignInSession(registry, keys, "openai", "key")
    async with aclosing(session.steps()) as steps:
        async for step in steps:
            ...  # show it, as its class says; answer with `agree` and `paste` at any time
    ```

    The last step is `SignedIn` or `NotSignedIn`; no error is raised. Closing the iterator cancels the attempt: servers
    on this machine are closed and nothing is stored. A session is used once. Other requests use the new key at once.
    """

    def __init__(self, registry: ModelRegistry, keys: PersonalKeys, provider: str, method: Method) -> None:
        """`registry` knows the providers and their addresses, `keys` has the store. `provider` is an id."""
        self.registry = registry
        self.keys = keys
        self.provider = registry.provider(provider)
        self.method = method
        self._steps: asyncio.Queue[SignInStep] = asyncio.Queue()
        self._agreed = asyncio.Event()
        self._pasted: asyncio.Queue[str] = asyncio.Queue()

    async def steps(self) -> AsyncGenerator[SignInStep, None]:
        """Begin, and yield what to show to the person and what to ask."""
        task = asyncio.create_task(self._run(), name="sign in")
        try:
            while True:
                step = await self._steps.get()
                yield step
                if isinstance(step, SignedIn | NotSignedIn):
                    return
        finally:
            task.cancel()
            await asyncio.wait([task])

    def agree(self) -> None:
        """Answer `ConfirmTerms`."""
        self._agreed.set()

    def paste(self, text: str) -> None:
        """Answer `AskKey` or `AskCode` with what the person typed or pasted."""
        self._pasted.put_nowait(text)

    # Internal.

    async def _run(self) -> None:
        try:
            line = await self._key()
        except ZotError as error:
            self._steps.put_nowait(NotSignedIn(error))
        except asyncio.CancelledError:
            raise
        except BaseException:
            self._steps.put_nowait(NotSignedIn(ConfigError(f"{self.provider.id}: the sign-in failed; this is a bug")))
            raise
        else:
            self._steps.put_nowait(SignedIn(self.provider.id, line))

    async def _key(self) -> str:
        """Ask for a key until the provider accepts one; return the line for the person."""
        self._steps.put_nowait(AskKey(self.provider.id))
        while True:
            text = await self._pasted.get()
            self._steps.put_nowait(Progress(f"checking the key with {self.provider.title}"))
            try:
                return await add_key(self.registry, self.keys, self.provider, text)
            except KeyRefused as error:
                self._steps.put_nowait(Mistake(str(error)))
