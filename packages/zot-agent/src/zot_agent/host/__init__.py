"""`Host`: what every mode drives. `zot_agent.host.build` is the one place that makes one."""

from zot_core.runtime import Runtime


class Host:
    """An agent with its session, hooks and (later) extensions."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    async def close(self) -> None:
        """Stop what runs and release everything."""
        await self.runtime.close()
