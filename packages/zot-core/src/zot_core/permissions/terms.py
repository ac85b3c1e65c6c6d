"""`Terms`: tells the model of an agent what it may do, and where: the mode of permissions, the rules that hold
something back, the sandbox.

They are a message in the conversation, because the beginning of a request must stay the same. The message comes before
the first model call, and again when something has changed, or when a compaction has taken it away. An agent that may do
everything gets none, unless a summary comes last: it may name another mode.
"""

from collections.abc import Sequence

from zot_core.agent import Agent, user_message
from zot_core.agent.history import NewMessages
from zot_core.permission_mode import PermissionMode
from zot_core.printable import few
from zot_provider.messages import Message
from zot_provider.record import Record

_SHOWN = "the model knows: mode "
"""How the reason begins why such a message is not shown."""

_EMPTY = "the model knows: the sandbox is new"
_NEW = "[The sandbox is a new one: its folder for temporary files is empty.]"

_RULE_WORDS = 7
"""Words of all rules that are named."""

_RUNS: dict[PermissionMode, str] = {
    "ask": "what only reads in the working directory runs",
    "accept-edits": "what only reads, or changes files with `edit` and `write`, in the working directory runs",
    "plan": "what only reads runs; all else is refused, unless a rule allows it",
    "yolo": "every call runs",
}
_PLAN = "Answer with a plan: what to change where, in what order, how to check it"


class Allowed(Record):
    """The permissions of an agent. `held` are the texts of rules that deny something or ask about it. `alone`: nobody
    can be asked. `is_sub`: it works for another agent, to which its last answer goes."""

    mode: PermissionMode
    held: Sequence[str]
    alone: bool
    is_sub: bool


class Terms:
    """The permissions that the model of one agent knows."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._last = ""  # the last message, as it was before any hook
        self._begun = False
        self._new = NewMessages(agent.history)
        self._known: Message | None = None

    def news(self, now: Allowed) -> list[Message]:
        """Return what the model does not know yet of what it may do `now`, as a message."""
        walls = "" if (sandbox := self._agent.context.walls) is None else sandbox.words
        messages, again = self._new.read()
        said = (each for each in reversed(messages) if each.hidden.startswith(_SHOWN) or _is_summary(each))
        last = next(said, None if again else self._known)
        misled = last is not None and _is_summary(last)
        known = self._known = None if misled else last
        if again:  # the last message may have been taken back
            self._last = ""
        if known is None and now.mode == "yolo" and not now.held and not walls and not misled:
            return []
        text = terms(now, walls)
        place = "in a sandbox" if walls else "no sandbox"
        # The model knows it from another process, whose sandbox is gone.
        other = bool(walls) and known is not None and known.hidden.endswith(place) and not self._begun
        news = [user_message(_NEW, hidden=_EMPTY)] if other else []
        if known is None or text not in (known.text, self._last):  # a hook may have changed the message
            news.insert(0, user_message(text, hidden=f"{_SHOWN}{now.mode}, {place}"))
        self._last, self._begun = text, True
        return news


def _is_summary(message: Message) -> bool:
    return message.summarized_tokens is not None


def terms(now: Allowed, walls: str) -> str:
    """Return the words for what an agent may do, in the sandbox that `walls` describe."""
    parts = [f"Mode {now.mode} from here on: {_RUNS[now.mode]}"]
    if now.mode in ("ask", "accept-edits"):
        others = "other calls are refused, for nobody can be asked" if now.alone else "the user is asked about others"
        parts[0] += f"; {others}, unless a rule allows them"
    elif now.mode == "plan" and not now.is_sub:
        parts.append(_PLAN)
    if now.held:
        parts.append(f"Held back by rules: {few(now.held, _RULE_WORDS)}")
    return f"[{'. '.join([*parts, *filter(None, [walls])])}.]"
