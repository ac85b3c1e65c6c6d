"""`Displays`: what tools have shown, and what extensions show now."""

from collections import OrderedDict

from zot_core.conversation import events
from zot_core.conversation.events import ConversationEvent
from zot_core.events import ToolResultEvent

_KEPT = 100
"""Results whose display is kept as the tool gave it; that of others is made again from the arguments and the text."""

_Key = tuple[type, str, str]


class Displays:
    """Follows the events of a conversation."""

    def __init__(self) -> None:
        self.results: OrderedDict[str, ToolResultEvent] = OrderedDict()
        self._shown: dict[_Key, ConversationEvent] = {}

    @property
    def shown(self) -> list[ConversationEvent]:
        """The events that lead to what extensions show now, oldest first."""
        return list(self._shown.values())

    def note(self, event: ConversationEvent) -> None:
        """Follow an event."""
        match event:
            case ToolResultEvent():
                self.results[event.id] = event
                if len(self.results) > _KEPT:
                    self.results.popitem(last=False)
            case events.WidgetChange():
                self._keep((events.WidgetChange, event.extension, event.key), event, there=bool(event.lines))
            case events.KeyChange():
                self._keep((events.KeyChange, "", event.key), event, there=bool(event.command))
            case events.RendererChange() if event.change != "again":
                what = f"{event.kind} {event.name}"
                self._keep((events.RendererChange, event.extension, what), event, there=event.change == "set")
            case events.ExpandChange():
                self._keep((events.ExpandChange, "", ""), event, there=event.expanded)
            case events.TitleChange():
                self._keep((events.TitleChange, "", ""), event, there=bool(event.text))
            case events.WorkingChange():
                same = event == events.WorkingChange(event.extension)
                self._keep((events.WorkingChange, "", ""), event, there=not same)
            case events.PanelShow():
                self._keep((events.PanelShow, event.extension, event.panel.id), event)
            case events.PanelOpen() | events.PanelRender():
                opened = events.PanelOpen(event.extension, event.panel)
                self._keep((events.PanelOpen, event.extension, event.panel.id), opened)
            case events.PanelClose():
                for kind in (events.PanelShow, events.PanelOpen):
                    self._shown.pop((kind, event.extension, event.panel_id), None)

    def _keep(self, key: _Key, event: ConversationEvent, *, there: bool = True) -> None:
        if there:
            self._shown[key] = event
        else:
            self._shown.pop(key, None)
