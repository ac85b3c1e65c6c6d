"""The client side of `zot_agent.acp` without a process: an editor and a feed that keep the updates they get."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from zot_agent.acp.feed import UpdateFeed
from zot_core.compaction.window import Window
from zot_core.display import CodeDisplay
from zot_provider.json_text import read_object

Update: TypeAlias = dict[str, Any]


class Editor:
    """Keeps its updates; answers questions with `answer`, forms with `values`."""

    def __init__(
        self, answer: str = "once", *, elicits: bool = False, shows: bool = False, values: Update | None = None
    ) -> None:
        self.elicits, self.shows, self.values = elicits, shows, values
        self.forms: list[Update] = []
        self.updates: list[Update] = []
        self.asked: list[Update] = []
        self.answer = answer

    def update(self, session: str, update: Update) -> None:
        self.updates.append(update)

    async def ask(self, session: str, call: Update, options: list[Update]) -> str:
        self.asked.append(call)
        return self.answer

    async def elicit(self, session: str, message: str, schema: Update) -> Update | None:
        self.forms.append({"message": message, **schema})
        return self.values

    async def room(self) -> None:
        pass

    def of(self, kind: str) -> list[Update]:
        """The updates of a kind."""
        return [each for each in self.updates if each["sessionUpdate"] == kind]

    def said(self, kind: str = "agent_message_chunk") -> str:
        """The texts of the updates of a kind, joined."""
        return text_of(self.updates, kind)


class Writer:
    """A tool that shows the text that it writes."""

    def only_reads(self, arguments: Mapping[str, Any]) -> bool:
        return False

    def received(self, arguments: str) -> Update:
        return read_object(arguments)

    def recall(
        self, arguments: Update, text: str, *, details: Update | None = None, failed: bool = False
    ) -> list[CodeDisplay]:
        return [] if failed else [CodeDisplay(arguments["path"], arguments["content"])]


def feed(window: Window | None = None) -> tuple[UpdateFeed, list[Update]]:
    """A feed in /proj with the tool `write`, and the updates that it sends."""
    sent: list[Update] = []
    made = UpdateFeed(sent.append, lambda: "/proj", tools={"write": Writer()}, window=lambda: window or Window(0))
    return made, sent


def text_of(sent: list[Update], kind: str = "agent_message_chunk") -> str:
    """The texts of the updates of a kind, joined."""
    return "".join(each["content"]["text"] for each in sent if each["sessionUpdate"] == kind)
