"""Which events and intercepts hook programs can be named for."""

from zot_agent.extensions.hooks import intercepts
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_ext.protocol.from_host import EVENTS

OBSERVED = dict.fromkeys((*EVENTS, *OBSERVABLE))
"""The events of which a program can be notified."""

INTERCEPTED = {row.name: row for row in intercepts.INTERCEPTED}
"""The events about which a program can be asked."""

KNOWN = dict.fromkeys((*INTERCEPTED, *OBSERVED))
"""All of them."""
