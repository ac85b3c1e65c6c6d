"""The environment variables that identify an agent to the programs that its tools start."""

from zot_core.runtime.runtime import Runtime


def update_child_env(runtime: Runtime) -> None:
    """Set the variables to the current model and session; the Go zot has the same names.

    Unknown values are empty: a zot inside another must not see the values of the outer one.
    """
    agent, session = runtime.agent, runtime.session
    agent.context.env.update(
        ZOT_PROVIDER=agent.model.provider,
        ZOT_MODEL=agent.model.id,
        ZOT_REASONING_LEVEL=agent.reasoning,
        ZOT_CHILD_SESSION="1",
        ZOT_SESSION_ID=session.meta.session_id if session else "",
        ZOT_SESSION_FILE=session.path if session else "",
    )
