"""Text that must not be shown yet: an extension may replace or hide it once it is whole."""

from zot_agent.host import Host
from zot_core.events import AgentEvent, AssistantStart, TextDelta


class HeldText:
    """Follows a run; says of each event whether it is text to hold back until `assistant_message`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.held = False
        """Whether the text of the answer at hand is held back."""

    def holds(self, event: AgentEvent) -> bool:
        """Whether to leave `event` out."""
        if isinstance(event, AssistantStart):
            self.held = self._host.holds_text
        return self.held and isinstance(event, TextDelta)
