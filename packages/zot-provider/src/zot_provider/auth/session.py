"""`SignInSession`: one attempt of a person to sign in, which any front end can drive."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal, TypeAlias

from zot_provider.auth.keys import KeyRefused, add_key
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.steps import AskKey, Mistake, NotSignedIn, SignedIn, SignInProgress, SignInStep
from zot_provider.errors import ZotError
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
        self._agreed = asyncio.Event()
        self._pasted: asyncio.Queue[str] = asyncio.Queue()

    async def steps(self) -> AsyncGenerator[SignInStep, None]:
        """Begin, and yield what to show to the person and what to ask."""
        try:
            async with aclosing(self._key()) as steps:
                async for step in steps:
                    yield step
        except ZotError as error:
            yield NotSignedIn(error)

    def agree(self) -> None:
        """Answer `ConfirmTerms`."""
        self._agreed.set()

    def paste(self, text: str) -> None:
        """Answer `AskKey` or `AskCode` with what the person typed or pasted."""
        self._pasted.put_nowait(text)

    # Internal.

    async def _key(self) -> AsyncGenerator[SignInStep, None]:
        """Ask for a key until the provider accepts one."""
        yield AskKey(self.provider.id)
        while True:
            text = await self._pasted.get()
            yield SignInProgress(f"checking the key with {self.provider.title}")
            try:
                line = await add_key(self.registry, self.keys, self.provider, text)
            except KeyRefused as error:
                yield Mistake(str(error))
            else:
                yield SignedIn(self.provider.id, line)
                return
