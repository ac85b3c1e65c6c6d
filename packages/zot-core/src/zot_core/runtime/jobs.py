"""The jobs of an agent: their events go to the agent's observers, and the model learns when one has ended."""

from zot_core.agent import Agent, user_message
from zot_provider.messages import Message


def attach_jobs(agent: Agent) -> None:
    """Connect the jobs of the agent's context with its events and its requests."""
    jobs = agent.context.jobs

    def news(_: int) -> list[Message]:
        ended = jobs.news()
        if not ended:
            return []
        from zot_core.tools.background.report import news_of  # noqa: PLC0415  few commands run in the background

        text = "\n\n".join(map(news_of, ended))
        return [user_message(text, hidden="\n".join(job.line for job in ended))]

    jobs.events.add(agent.emit)
    agent.hooks.extra_messages.add(news)
