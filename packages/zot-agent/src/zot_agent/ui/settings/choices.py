"""`StoredChoices`: what a person chooses on the screen becomes the setting for the next start."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import SETTINGS, Settings
from zot_agent.config.settings_file import change_settings, user_file
from zot_agent.host.host import Host
from zot_core.aio import spawn
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.selection import select


class StoredChoices:
    """Changes settings of the user: at once in `host.settings`, soon after in the file.

    The changes of a moment are one write. `noted` gets a line if they cannot be stored. A host without a
    project, because it was not built from options, has no file either.
    """

    def __init__(self, host: Host, noted: Callable[[str], None]) -> None:
        self._host, self._noted = host, noted
        self._pending: dict[str, object] = {}
        self._writing: asyncio.Task[None] | None = None

    def keep(self, values: Mapping[str, Any]) -> None:
        """Store values of settings by key; None is the default again."""
        self._host.settings = self._host.settings.changed(values)
        if self._host.choice is None:
            return
        self._pending |= {key: None if value is None else SETTINGS[key].json(value) for key, value in values.items()}
        if self._writing is None:
            self._writing = spawn(self._write(), "store settings")

    def keep_model(self, model: Model, reasoning: Reasoning | None = None) -> None:
        """Store the model, unless the next start could not use it: its server or key is that of a flag of this start,
        or its name is unknown. `reasoning` is stored with it."""
        models, options = self._host.models, self._host.options
        given = (options.base_url or options.api_key or options.insecure) and model.provider in models.endpoints
        try:
            select(model.provider, model.id, registry=models)
        except MissingKey:
            pass
        except ConfigError:
            given = True
        values: dict[str, Any] = {} if given else {Settings.provider.key: model.provider, Settings.model.key: model.id}
        self.keep(values | ({} if reasoning is None else {Settings.reasoning.key: reasoning}))

    async def close(self) -> None:
        """Wait until all is stored."""
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        try:
            while self._pending:
                changes, self._pending = self._pending, {}
                await change_settings(zot_home(), user_file(zot_home()), changes)
        except ConfigError as error:
            self._noted(f"not remembered: {error}")
        finally:
            self._writing = None
