"""`zot swarm VERB`: agents that live on beside the conversation, in their own processes."""

from collections.abc import Sequence

from zot_agent.cli.verb import VerbTable


class SwarmVerbs(VerbTable):
    """The verbs of a person, and `work ID`, which zot itself starts."""

    def run(self, arguments: Sequence[str]) -> int:
        if len(arguments) == 2 and arguments[0] == "work":
            from zot_agent.swarm.process import run as work  # noqa: PLC0415  it loads an agent

            return work(arguments[1])
        return super().run(arguments)


run = SwarmVerbs(
    "zot swarm",
    "Start agents that work on beside the conversation, each in its own git worktree, and see, steer and end them.",
    {
        "new": "zot_agent.cli.swarm.new:start",
        "list": "zot_agent.cli.swarm.verbs:print_members",
        "show": "zot_agent.cli.swarm.verbs:show",
        "logs": "zot_agent.cli.swarm.verbs:logs",
        "send": "zot_agent.cli.swarm.verbs:send",
        "answer": "zot_agent.cli.swarm.verbs:answer",
        "resume": "zot_agent.cli.swarm.verbs:resume",
        "kill": "zot_agent.cli.swarm.verbs:kill",
        "merge": "zot_agent.cli.swarm.verbs:merge",
        "remove": "zot_agent.cli.swarm.verbs:remove",
    },
    "exit codes: 0 done, 1 failed, 2 usage, no such member, or work that would be lost, 130 Ctrl+C.",
)
