"""The jobs of an agent: their events are those of the agent, and the model learns when one has ended."""

from zot_core.agent import Agent, user_message
from zot_provider.messages import Message


def attach_jobs(agent: Agent) -> None:
    """Connect the jobs of the agent's context with its events and its requests."""
    jobs = agent.context.jobs

    def news(_: int) -> list[Message]:
        ended = [job.line for job in jobs.news()]
        if not ended:
            return []
        text = "\n".join(f"[in the background, {line}; the tool `job` has its output]" for line in ended)
        return [user_message(text, hidden="\n".join(ended))]

    jobs.events.add(agent.emit)
    agent.hooks.extra_messages.add(news)
