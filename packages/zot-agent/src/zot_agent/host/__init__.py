"""`Host`: what every mode drives. `zot_agent.host.build` is the one place that makes one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zot_core.runtime import Runtime

if TYPE_CHECKING:
    from zot_agent.extensions.running import Extensions, ReloadStats


class Host:
    """An agent with its session, hooks and extensions."""

    def __init__(
        self,
        runtime: Runtime,
        notes: Sequence[str] = (),
        *,
        open_extensions: "Callable[[], Extensions] | None" = None,
        extensions: "Extensions | None" = None,
        hold_text: bool = False,
    ) -> None:
        """`notes` are for the person, one line each: what was found odd while putting the host together.

        `extensions` are None where none were found; `open_extensions` makes them when a reload finds some.
        `hold_text` is the wish of a program that reads events: see `holds_text`.
        """
        self.runtime = runtime
        self.notes = list(notes)
        self.extensions = extensions
        self.hold_text = hold_text
        self._open_extensions = open_extensions

    @property
    def holds_text(self) -> bool:
        """Whether text of the model must not be shown as it comes: an extension may replace it when it is whole."""
        return self.extensions is not None and bool(self.extensions.interceptors("assistant_message"))

    async def reload_extensions(self) -> "ReloadStats":
        """Stop all extensions, look for them anew, start them; the agent has their tools from its next model call."""
        if self.extensions is None:
            if self._open_extensions is None:
                raise RuntimeError("this host was made without extensions")
            self.extensions = self._open_extensions()
        return await self.extensions.reload()

    async def close(self) -> None:
        """Stop what runs and release everything."""
        try:
            await self.runtime.close()
        finally:
            if self.extensions is not None:
                await self.extensions.close()
