"""`Host`: what every mode drives. `zot_agent.host.build` is the one place that makes one."""

from collections.abc import Sequence

from zot_core.runtime import Runtime


class Host:
    """An agent with its session, hooks and (later) extensions."""

    def __init__(self, runtime: Runtime, notes: Sequence[str] = ()) -> None:
        """`notes` are for the person, one line each: what was found odd while putting the host together."""
        self.runtime = runtime
        self.notes = list(notes)

    async def close(self) -> None:
        """Stop what runs and release everything."""
        await self.runtime.close()
