"""Members of pi's API that only some extensions use, at a fake host."""

from collections.abc import Callable

import pytest

from zot_ext.protocol.from_extension import Notify
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]


def test_an_extension_hears_that_a_person_is_asked_and_of_another_title(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          const heard = [];
          for (const event of ["ui_prompt_start", "ui_prompt_end", "session_info_changed"]) {
            pi.on(event, ({ type, kind, title, name }, ctx) => {
              heard.push([type, kind, title, name].filter(Boolean).join(" "));
              if (name) ctx.ui.notify(heard.join(", "));
            });
          }
          pi.registerCommand("ask", { handler: async (args, ctx) => { await ctx.ui.confirm("Sure?", "Really?"); } });
        }
    """
    host = bridge(source, calls={"ui.confirm": {"value": True}})
    host.command("ask")
    host.event("session_info_changed", title="tea")
    heard = "ui_prompt_start confirm Sure?, ui_prompt_end confirm Sure?, session_info_changed tea"
    assert host.wait_for(Notify).message == heard


def test_an_extension_is_told_which_events_and_functions_zot_does_not_have(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.on("agent_before_settle", () => ({ continue: true }));
          pi.registerMarkdownTransformer((text) => text);
        }
    """)
    assert host.wait_for(Notify).message == (
        "extension uses what is not there outside of pi: the event agent_before_settle, "
        "registerMarkdownTransformer (zot's own Markdown)"
    )
