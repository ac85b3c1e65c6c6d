import os
import threading
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_ext import Event, Extension, HelloAck, NotGranted, Response, display, prompt
from zot_ext.protocol.from_extension import (
    ClearNotes,
    Hello,
    Notify,
    Ready,
    RegisterCommand,
    RegisterTool,
    Submit,
    Subscribe,
)
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost


def test_registrations_follow_hello_before_the_host_has_answered() -> None:
    ext = Extension("all", "1.2.0", capabilities=("submit",))
    ext.command("/go", "goes")(lambda args: None)
    ext.command("key", hidden=True)(lambda args: None)
    ext.tool(name="look", description="looks", schema={"type": "object"})(lambda args: None)
    ext.on("turn_end")(lambda event: None)
    ext.on("turn_end")(lambda event: None)
    ext.intercept("turn_start")(lambda turn: None)
    ext.panel("p")
    host = FakeHost(ext)
    host.start()
    host.wait_for(Ready)
    host.close()
    assert host.frames == [
        Hello("all", "1.2.0", ("commands", "tools", "events", "panels", "submit")),
        RegisterCommand("go", "goes"),
        RegisterCommand("key", hidden=True),
        RegisterTool("look", "looks", RawObject('{"type":"object"}')),
        Subscribe(("turn_end",), ("turn_start",)),
        Ready(),
    ]


def test_on_hello_comes_before_ready_and_before_every_request() -> None:
    ext = Extension("late")
    seen: list[str] = []

    @ext.on_hello
    async def hello(ack: HelloAck) -> None:
        assert ack == ext.host
        seen.append(ack.model)
        ext.command("by-model", ack.model)(lambda args: display(" ".join(seen)))
        ext.tool(schema={}, name="t", description="d")(lambda args: None)
        ext.on("turn_end")(lambda event: None)
        ext.intercept("turn_start")(lambda turn: None)
        ext.notify("hello")

    host = FakeHost(ext, model="opus")
    host.start()
    host.send(host.ack)
    assert host.command("by-model").display == "opus"
    host.send(host.ack)
    assert host.command("by-model").display == "opus"
    host.shutdown()
    host.close()
    late = [RegisterCommand("by-model", "opus"), RegisterTool("t", "d", RawObject("{}"))]
    subscriptions = [Subscribe(("turn_end",)), Subscribe((), ("turn_start",))]
    assert host.frames[1:7] == [*late, *subscriptions, Notify("info", "hello"), Ready()]


def test_an_extension_whose_on_hello_returns_false_says_itself_when_it_is_ready() -> None:
    ext = Extension("later")
    ext.on_hello(lambda ack: False)

    @ext.command("now")
    def now(args: str) -> Response:
        ext.send(Ready())
        return display("asked before it was ready")

    host = FakeHost(ext)
    host.start()
    host.send(host.ack)
    assert host.command("now").display == "asked before it was ready"
    host.shutdown()
    host.close()
    assert host.frames.count(Ready()) == 1
    assert host.frames.index(Ready()) > 1


def test_a_host_that_never_introduces_itself_is_served_all_the_same() -> None:
    ext = Extension("late")
    ext.on_hello(lambda ack: ext.notify("never"))
    ext.command("where")(lambda args: display(f"{ext.host.model!r} {ext.data_dir}"))
    host = FakeHost(ext)
    host.start()
    assert host.command("where").display == f"'' {os.getcwd()}"
    host.shutdown()
    host.close()
    assert host.sent(Ready) == [Ready()]
    assert host.sent(Notify) == []


def test_the_host_is_known_to_handlers() -> None:
    ext = Extension("where")
    ext.command("where")(lambda args: display(f"{ext.host.provider} {ext.host.cwd} {ext.data_dir}"))
    with FakeHost(ext, cwd="/work", data_dir="/data", provider="openai") as host:
        assert host.command("where").display == "openai /work /data"


def test_commands_take_their_text_and_may_be_coroutines() -> None:
    ext = Extension("greet")

    @ext.command("ask")
    async def ask(args: str) -> Response:
        return prompt(f"ask {args}")

    with FakeHost(ext) as host:
        assert host.command("ask", "me").prompt == "ask me"
        assert host.command("ask").prompt == "ask "
        assert host.command("other").error == "no command 'other' here"
        assert host.tool("other").is_error


def test_tools_take_their_arguments_by_name() -> None:
    ext = Extension("shop")

    @ext.tool
    def count(title: str, branch: str = "main") -> str:
        """Copies of a book."""
        return f"{title} at {branch}"

    @ext.tool(name="raw", description="As it comes.", schema=RawObject('{"type":"object", "x":1e5}'))
    async def anything(args: dict[str, object]) -> object:
        return args

    assert count("Emma") == "Emma at main"
    with FakeHost(ext) as host:
        assert host.tools["count"].description == "Copies of a book."
        assert host.tools["raw"].schema.text == '{"type":"object", "x":1e5}'
        assert host.tool("count", {"title": "Emma"}).content[0].text == "Emma at main"  # type: ignore[union-attr]
        assert host.tool("count", {"name": "Emma"}).is_error
        assert host.tool("raw", '{"a":[1]}').content[0].text == '{"a":[1]}'  # type: ignore[union-attr]


def test_events_come_in_order_with_fields_of_newer_hosts() -> None:
    ext = Extension("watch")
    steps: list[int] = []
    done = threading.Event()

    @ext.on("turn_start")
    async def step(event: Event) -> None:
        steps.append(event.step)

    @ext.on("session_end")
    def end(event: Event) -> None:
        assert event.extra == {"reason": "shutdown"}
        done.set()

    with FakeHost(ext) as host:
        for number in range(200):
            host.event("turn_start", step=number)
        host.event("unheard_of")
        host.event("session_end", extra={"reason": "shutdown"})
        assert done.wait(PATIENCE)
    assert steps == list(range(200))


def test_notes_have_four_levels() -> None:
    ext = Extension("notes")

    @ext.command("note")
    def note(level: str) -> None:
        ext.clear_notes()
        ext.notify("now", level)

    with FakeHost(ext) as host:
        for level in ("info", "success", "warn", "warning", "error"):
            assert host.command("note", level).action == "noop"
        assert "'loud' is not a level" in host.command("note", "loud").error
    assert [each.level for each in host.sent(Notify)] == ["info", "success", "warn", "warn", "error"]
    assert len(host.sent(ClearNotes)) == 6


def test_submitting_needs_the_grant_of_the_host() -> None:
    ext = Extension("loop", capabilities=("submit",))
    ext.command("again")(lambda args: ext.submit("go on"))
    with FakeHost(ext) as host:
        assert host.command("again").error == "NotGranted: the host does not grant 'submit'"
    with FakeHost(ext, capabilities=["submit"]) as host:
        assert host.command("again").action == "noop"
    assert host.sent(Submit) == [Submit("go on")]


def test_nothing_is_sent_before_the_start() -> None:
    ext = Extension("early")
    with pytest.raises(RuntimeError, match="send in on_hello at the earliest"):
        ext.notify("too early")
    with pytest.raises(NotGranted):
        ext.submit("too early")
    assert ext.host == HelloAck(0, "", "", "", "")
    with pytest.raises(ValueError, match="an extension needs a name"):
        Extension(" ")


def test_the_log_is_standard_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Extension("talk").log("seen", 3, "things")
    assert capsys.readouterr() == ("", "[talk] seen 3 things\n")
