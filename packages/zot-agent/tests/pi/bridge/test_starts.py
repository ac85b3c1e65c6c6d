"""pi goes on only after the handlers of an event, and asks every handler of `message_end`: so does the bridge."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

from zot_ext.protocol.from_extension import CallTool, Notify, Ready, RegisterTool, Subscribe
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]

SLOW = """
    import fs from "node:fs";
    const until = async (file) => { while (!fs.existsSync(file)) await new Promise((done) => setTimeout(done, 10)); };
    let ready = "not ready";
    export default function (pi) {
      pi.on("session_start", async () => { await until("gate"); ready = "ready"; });
      pi.registerTool({ name: "look", description: "looks", parameters: { type: "object", properties: {} },
        execute: async () => ({ content: [{ type: "text", text: ready }] }) });
      pi.registerCommand("look", { handler: async (_, ctx) => { ctx.ui.notify(ready); } });
      pi.on("user_bash", () => ({ result: { output: ready, exitCode: 0 } }));
    }
"""
"""Its session begins when there is a file `gate`."""


def soon(folder: Path) -> None:
    """Make the gate a little later, while the bridge holds an answer."""
    threading.Timer(0.2, (folder / "gate").touch).start()


def test_what_is_asked_waits_for_the_beginning_of_the_session(bridge: Bridge, tmp_path: Path) -> None:
    host = bridge(SLOW)
    host.event("session_start", reason="startup")
    soon(tmp_path)
    assert host.intercept("user_bash", command="ls", cwd=str(tmp_path)).extra["output"] == "ready"
    (block,) = host.tool("look", {}).content
    assert block.text == "ready"
    host.command("look")
    assert host.wait_for(Notify).message == "ready"


def test_a_guard_that_is_added_while_the_session_begins_is_asked_about_the_first_call(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.on("session_start", async () => {
            await new Promise((done) => setTimeout(done, 50));
            pi.on("tool_call", () => ({ block: true, reason: "not that" }));
          });
        }
    """)
    (first,) = [each for each in host.sent(Subscribe) if "tool_call" in each.intercept]
    assert first.intercept_options is not None
    assert (
        "tool_call" not in first.intercept_options.value
    )  # nobody guards yet, so the end of the process refuses nothing
    host.event("session_start", reason="startup")
    assert host.intercept_call("bash", {"command": "ls"}).reason == "not that"
    assert host.wait_for(
        Subscribe, lambda frame: "tool_call" in (frame.intercept_options or first.intercept_options).value
    )


def test_a_session_that_never_begins_refuses_what_is_guarded_and_runs_no_tool(bridge: Bridge) -> None:
    host = bridge(SLOW, 'export default (pi) => pi.on("tool_call", () => ({}));')
    host.event("session_start", reason="startup")
    why = "extension has not ended its session_start after 15 s"
    assert host.intercept_call("bash", {"command": "ls"}).reason == why
    answer = host.tool("look", {})
    assert answer.is_error
    assert answer.content[0].text == f"look has not run: {why}"
    assert host.intercept("tool_result", tool_id="c", tool_name="ls", content=[], is_error=False).block is False


def test_what_is_asked_waits_for_the_handlers_of_every_earlier_event(bridge: Bridge) -> None:
    host = bridge("""
        let seen = "nothing";
        export default function (pi) {
          pi.on("agent_start", async () => {
            await new Promise((done) => setTimeout(done, 50));
            seen = "the start";
          });
          pi.on("tool_call", () => ({ block: true, reason: seen }));
        }
    """)
    host.event("agent_start")
    assert host.intercept_call("bash", {"command": "ls"}).reason == "the start"


def test_a_handler_that_calls_a_tool_of_its_own_process_does_not_wait_for_itself(bridge: Bridge) -> None:
    asked: list[str] = []

    def read(args: dict[str, Any]) -> str:
        id = f"pi-{started[0].sent(CallTool)[-1].id}"
        answer = started[0].intercept("tool_call", tool_id=id, tool_name="read", tool_args=args)
        asked.append(answer.reason)
        return "text"

    started = [
        bridge(
            """
            import { createReadTool } from "@earendil-works/pi-coding-agent";
            export default function (pi) {
              pi.on("session_start", async (_, ctx) => {
                const { content } = await createReadTool("/").execute("c", { path: "x" });
                ctx.ui.notify(`read ${content[0].text}`);
              });
              pi.on("tool_call", () => ({ block: true, reason: "asked" }));
            }
            """,
            tools={"read": read},
        )
    ]
    started[0].event("session_start", reason="startup")
    assert started[0].wait_for(Notify).message == "read text"
    assert asked == ["asked"]  # and not refused after 15 s


def test_another_call_waits_for_a_session_that_begins_with_a_tool(bridge: Bridge, tmp_path: Path) -> None:
    answers: list[str] = []

    def read(args: dict[str, Any]) -> str:
        asking = threading.Thread(target=lambda: answers.append(started[0].intercept_call("bash", args).reason))
        asking.start()
        asking.join(0.3)  # long enough for an answer that does not wait
        return "text"

    started = [
        bridge(
            """
            import { createReadTool } from "@earendil-works/pi-coding-agent";
            export default function (pi) {
              pi.on("session_start", async (_, ctx) => {
                await createReadTool("/").execute("c", { path: "x" });
                pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
                ctx.ui.notify("begun");
              });
            }
            """,
            tools={"read": read},
        )
    ]
    started[0].event("session_start", reason="startup")
    assert started[0].wait_for(Notify).message == "begun"
    wait_until(lambda: answers == ["guarded"])


LATE = """
    import fs from "node:fs";
    export default function (pi) {
      pi.on("session_start", async () => {
        if (fs.existsSync("broken")) throw new Error("no such sandbox");
        pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
      });
    }
"""
"""Adds its guard when the session begins."""


def test_a_guard_that_a_session_adds_is_not_forgotten_by_a_process_that_ends_before(
    bridge: Bridge, tmp_path: Path
) -> None:
    host = bridge(LATE)
    host.event("session_start", reason="startup")
    assert host.intercept_call("bash", {}).reason == "guarded"
    host = bridge(LATE)  # its session does not begin
    (options,) = [each.intercept_options for each in host.sent(Subscribe) if "tool_call" in each.intercept]
    assert options is not None
    assert options.value["tool_call"]["on_exit"] == "block"
    host = bridge("export default () => { throw new Error('broken'); };")
    assert host.intercept_call("bash", {}).reason == "extension, which guards this, cannot be used: broken"


def test_what_was_guarded_is_refused_where_the_session_does_not_begin(bridge: Bridge, tmp_path: Path) -> None:
    host = bridge(LATE)
    host.event("session_start", reason="startup")
    assert host.intercept_call("bash", {}).reason == "guarded"
    (tmp_path / "broken").touch()
    for _ in range(2):
        host = bridge(LATE)
        host.event("session_start", reason="startup")
        why = "extension, which guards this, cannot be used: its session_start failed: no such sandbox"
        assert host.intercept_call("bash", {}).reason == why
    (tmp_path / "broken").unlink()
    host = bridge(LATE)
    host.event("session_start", reason="startup")
    assert host.intercept_call("bash", {}).reason == "guarded"


REDACTORS = {
    "a statement": "({ message }) => { return { message: clean(message) }; }",
    "an expression": "({ message }) => ({ message: clean(message) })",
    "a variable": "({ message }) => { const answer = { message: clean(message) }; return answer; }",
    "a function of another name": "redact",
    "a bound function": "redact.bind(null)",
    "a method": "new (class { answer(event) { return redact(event); } })().answer",
    "a promise": "async (event) => redact(event)",
    "a proxy": "new Proxy(redact, {})",
    "a change in place": "({ message }) => { Object.assign(message, clean(message)); }",
    "text alone": "({ message }) => redact({ message: { ...message, content: text(message) } })",
}


@pytest.mark.parametrize("handler", REDACTORS.values(), ids=REDACTORS)
def test_every_handler_of_message_end_is_asked_however_it_is_written(bridge: Bridge, handler: str) -> None:
    host = bridge(
        """
        const text = ({ content }) => (
          typeof content === "string" ? content : content.map((each) => each.text).join(""));
        const clean = (message) => (
          { ...message, content: [{ type: "text", text: text(message).replaceAll("SECRET", "***") }] });
        function redact({ message }) { const made = clean(message); return { message: made }; }
        export default (pi) => pi.on("message_end", HANDLER);
        """.replace("HANDLER", handler)
    )
    assert any("message_end" in each.intercept and "tool_result" in each.intercept for each in host.sent(Subscribe))
    content = [{"type": "text", "text": "a SECRET"}]
    answer = host.intercept("message_end", message={"role": "assistant", "id": "1", "content": content})
    assert answer.extra["message"]["content"] == [{"type": "text", "text": "a ***"}]
    result = host.intercept("tool_result", tool_id="c", tool_name="ls", tool_args={}, content=content, is_error=False)
    assert result.extra["content"] == [{"type": "text", "text": "a ***"}]


def test_a_handler_of_message_end_that_only_looks_changes_nothing(bridge: Bridge) -> None:
    host = bridge('export default (pi) => pi.on("message_end", ({ message }) => message);')
    content = [{"type": "text", "text": "hello"}]
    answer = host.intercept("message_end", message={"role": "assistant", "id": "1", "content": content})
    assert answer.extra == {}
    result = host.intercept("tool_result", tool_id="c", tool_name="ls", tool_args={}, content=content, is_error=False)
    assert result.extra == {}


def test_a_message_without_content_is_an_empty_one(bridge: Bridge) -> None:
    host = bridge("""
        export default (pi) => pi.on("message_end", ({ message }) => ({ message: { ...message, content: null } }));
    """)
    content = [{"type": "text", "text": "a SECRET"}]
    answer = host.intercept("message_end", message={"role": "assistant", "id": "1", "content": content})
    assert answer.extra["message"]["content"] == [{"type": "text", "text": ""}]


GUARD = 'export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "not that" }));'


def test_a_guard_that_cannot_be_loaded_any_more_refuses_and_its_neighbours_go_on(
    bridge: Bridge, tmp_path: Path
) -> None:
    neighbour = 'export default (pi) => pi.registerCommand("n", { handler: async (_, ctx) => ctx.ui.notify("n") });'
    host = bridge(GUARD, neighbour)
    assert host.sent(Ready) == [Ready()]
    host = bridge("export default () => { throw new Error('broken'); };", neighbour)
    (ready,) = host.sent(Ready)
    assert ready.missing == ("extension cannot be used: broken",)
    answer = host.intercept_call("bash", {"command": "ls"})
    assert answer.block
    assert answer.reason == "extension, which guards this, cannot be used: broken"
    host.command("n")
    assert host.wait_for(Notify, lambda note: note.message == "n")
    host = bridge("export default () => {};", neighbour)
    assert host.sent(Ready) == [Ready()]
    assert not any("tool_call" in each.intercept for each in host.sent(Subscribe))
    host = bridge("export default () => { throw new Error('broken'); };", neighbour)
    assert not any("tool_call" in each.intercept for each in host.sent(Subscribe))


def test_an_extension_that_guarded_nothing_refuses_nothing_when_it_cannot_be_loaded(bridge: Bridge) -> None:
    host = bridge("export default () => { throw new Error('broken'); };", GUARD)
    assert host.intercept_call("bash", {"command": "ls"}).reason == "not that"


ADDS = """
    export default function (pi) {
      pi.on("session_start", async () => {
        await new Promise((done) => setTimeout(done, 50));
        pi.registerTool({ name: "added", description: "is added", parameters: { type: "object", properties: {} },
          execute: async () => ({ content: [] }) });
      });
    }
"""


def registers_input(host: FakeHost) -> bool:
    return any("input" in each.intercept for each in host.sent(Subscribe))


def test_a_prompt_waits_for_tools_that_a_session_adds_also_the_next_time(bridge: Bridge) -> None:
    for _ in ("new", "known"):
        host = bridge(ADDS)
        assert registers_input(host)
        host.event("session_start", reason="startup")
        host.intercept("input", text="go", source="user")
        assert [each.name for each in host.sent(RegisterTool)] == ["added"]


def test_a_prompt_waits_once_for_a_session_that_adds_no_tools(bridge: Bridge) -> None:
    source = 'export default (pi) => pi.on("session_start", async () => { globalThis.adds = "nothing"; });'
    host = bridge(source)
    assert registers_input(host)
    host.event("session_start", reason="startup")
    host.intercept("input", text="go", source="user")
    assert not registers_input(bridge(source))
