"""What an extension asks of the host: each function of the SDK as a call."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from zot_ext import Extension, HostError
from zot_ext.calls.session import Session
from zot_ext.protocol.from_extension import CancelCall, HostCall
from zot_ext.protocol.from_host import HostProgress, HostResult
from zot_ext.testing import FakeHost

GROUPS = (
    *("resources", "session", "storage", "messages", "control", "exec", "model", "tools2"),
    *("ui", "widgets", "editor", "keys"),
)
COMPACT, MODEL = {"instructions": "x", "wait": True}, {"model": "m"}
SPAN = {"text": "ok", "style": "success"}
PAGES = {None: {"entries": [{"id": "1"}, {"id": "2"}], "more": True}, "2": {"entries": [{"id": "3"}], "more": False}}


@pytest.mark.parametrize(
    ("method", "call", "params", "result", "returned"),
    [
        ("session.info", lambda ext: ext.session.info(), {}, {"id": "s"}, {"id": "s"}),
        ("session.entry", lambda ext: ext.session.entry("1"), {"entry": "1"}, {"id": "1"}, {"id": "1"}),
        (
            "session.append",
            lambda ext: ext.session.append("mark", [1]),
            {"custom_type": "mark", "data": [1]},
            {"id": "4"},
            "4",
        ),
        ("session.label", lambda ext: ext.session.label("1", "a"), {"entry": "1", "label": "a"}, {}, None),
        ("session.rename", lambda ext: ext.session.rename("t"), {"title": "t"}, {"title": "t"}, {"title": "t"}),
        (
            "session.new",
            lambda ext: ext.session.new(["a", {"text": "b", "role": "assistant"}], parent=True),
            {"messages": [{"text": "a"}, {"text": "b", "role": "assistant"}], "parent": True},
            {"session_id": "s"},
            {"session_id": "s"},
        ),
        ("session.open", lambda ext: ext.session.open("s"), {"session": "s"}, {"entry": "1"}, {"entry": "1"}),
        (
            "session.fork",
            lambda ext: ext.session.fork("1", position="before"),
            {"entry": "1", "position": "before"},
            {"entry": "1"},
            {"entry": "1"},
        ),
        ("session.fork", lambda ext: ext.session.fork(), {}, {"entry": "1"}, {"entry": "1"}),
        (
            "session.navigate",
            lambda ext: ext.session.navigate("1", summarise=True, instructions="x", label="y"),
            {"entry": "1", "summarise": True, "instructions": "x", "label": "y"},
            {"entry": "1"},
            {"entry": "1"},
        ),
        ("kv.get", lambda ext: ext.kv.get("a"), {"key": "a", "scope": "global"}, {"value": 1}, 1),
        ("kv.get", lambda ext: ext.kv.get("a", 2), {"key": "a", "scope": "global"}, {"value": None}, 2),
        (
            "kv.set",
            lambda ext: ext.kv.set("a", 1, scope="session"),
            {"key": "a", "value": 1, "scope": "session"},
            {},
            None,
        ),
        ("kv.delete", lambda ext: ext.kv.delete("a"), {"key": "a", "scope": "global"}, {}, None),
        ("kv.keys", lambda ext: ext.kv.keys(), {"scope": "global"}, {"keys": ["a"]}, ["a"]),
        ("secret.get", lambda ext: ext.secrets.get("a"), {"key": "a"}, {"value": "x"}, "x"),
        ("secret.get", lambda ext: ext.secrets.get("a"), {"key": "a"}, {"value": None}, None),
        ("secret.set", lambda ext: ext.secrets.set("a", "x"), {"key": "a", "value": "x"}, {}, None),
        (
            "auth.authorize",
            lambda ext: ext.secrets.authorize("a", "https://a/token", device_url="https://a/device", ports=[80]),
            {
                "key": "a",
                "token_url": "https://a/token",
                "ask": True,
                "device_url": "https://a/device",
                "flow": "device",
                "ports": [80],
            },
            {"value": "t", "expires": None, "scope": ""},
            "t",
        ),
        ("secret.delete", lambda ext: ext.secrets.delete("a"), {"key": "a"}, {}, None),
        (
            "messages.send",
            lambda ext: ext.messages.send("hi", hidden=True),
            {"text": "hi", "deliver_as": "follow_up", "trigger": True, "hidden": True},
            {"delivered": "queued"},
            "queued",
        ),
        ("control.state", lambda ext: ext.control.state(), {}, {"busy": True}, {"busy": True}),
        (
            "resources.set",
            lambda ext: ext.resources.set(skills=["a"]),
            {"skills": ["a"], "prompts": [], "themes": []},
            {},
            None,
        ),
        ("control.abort", lambda ext: ext.control.abort(), {}, {}, None),
        ("control.compact", lambda ext: ext.control.compact("x"), COMPACT, {"end": "ended"}, "ended"),
        (
            "messages.send",
            lambda ext: ext.messages.send("", images=(b"abc", "ZGVm"), wait=True),
            {
                "text": "",
                "deliver_as": "follow_up",
                "trigger": True,
                "images": [{"data": "YWJj"}, {"data": "ZGVm"}],
                "wait": True,
            },
            {"delivered": "read"},
            "read",
        ),
        ("control.wait_idle", lambda ext: ext.control.wait_idle(), {}, {}, None),
        ("tools.list", lambda ext: ext.tools.list(), {}, {"tools": []}, {"tools": []}),
        ("tools.active", lambda ext: ext.tools.active(), {}, {"names": ["a"]}, {"names": ["a"]}),
        (
            "tools.set_active",
            lambda ext: ext.tools.set_active(("a", "b")),
            {"names": ["a", "b"]},
            {"names": ["a"]},
            {"names": ["a"]},
        ),
        ("control.system_prompt", lambda ext: ext.control.system_prompt(), {}, {"text": "a"}, {"text": "a"}),
        ("control.commands", lambda ext: ext.control.commands(), {}, {"commands": []}, {"commands": []}),
        ("control.skills", lambda ext: ext.control.skills(), {}, {"skills": []}, {"skills": []}),
        ("control.reload", lambda ext: ext.control.reload(), {}, {}, None),
        ("control.shutdown", lambda ext: ext.control.shutdown(), {}, {}, None),
        (
            "model.list",
            lambda ext: ext.model.list(scope="all"),
            {"scope": "all"},
            {"models": [{"id": "m"}]},
            {"models": [{"id": "m"}]},
        ),
        ("model.reasoning", lambda ext: ext.model.reasoning("low"), {"reasoning": "low"}, MODEL, MODEL),
        (
            "model.complete",
            lambda ext: ext.model.complete(
                messages=[{"role": "user", "text": "a", "images": [b"abc"]}, {"role": "user", "text": "b"}]
            ),
            {"messages": [{"role": "user", "text": "a", "images": [{"data": "YWJj"}]}, {"role": "user", "text": "b"}]},
            {"text": "c"},
            "c",
        ),
        ("exec.run", lambda ext: ext.programs.run(["ls"]), {"argv": ["ls"]}, {"code": 0}, {"code": 0}),
        (
            "exec.run",
            lambda ext: ext.programs.run(["vi"], foreground=True),
            {"argv": ["vi"], "foreground": True},
            {"code": 0},
            {"code": 0},
        ),
        (
            "widgets.set",
            lambda ext: ext.widgets.set("a", "one", [SPAN], place="footer", priority=2),
            {"key": "a", "lines": ["one", [SPAN]], "place": "footer", "priority": 2},
            {},
            None,
        ),
        ("widgets.set", lambda ext: ext.widgets.remove("a"), {"key": "a"}, {}, None),
        (
            "widgets.set",
            lambda ext: ext.widgets.status("a", "busy"),
            {"key": "a", "lines": ["busy"], "place": "status"},
            {},
            None,
        ),
        ("widgets.alert", lambda ext: ext.widgets.alert("t"), {"text": "t"}, {}, None),
        ("widgets.title", lambda ext: ext.widgets.title("t"), {"text": "t"}, {}, None),
        (
            "widgets.working",
            lambda ext: ext.widgets.working("m", frames="ab", interval_ms=50),
            {"message": "m", "frames": ["a", "b"], "interval_ms": 50},
            {},
            None,
        ),
        ("theme.get", lambda ext: ext.widgets.theme, {}, {"name": "dark"}, "dark"),
        ("theme.list", lambda ext: ext.widgets.themes, {}, {"names": ["dark"]}, ["dark"]),
        ("theme.set", lambda ext: ext.widgets.use_theme("light"), {"name": "light"}, {}, None),
        ("editor.get", lambda ext: ext.editor.text, {}, {"text": "typed", "cursor": 2}, "typed"),
        ("editor.get", lambda ext: ext.editor.cursor, {}, {"text": "typed", "cursor": 2}, 2),
        (
            "editor.set",
            lambda ext: ext.editor.set("new", cursor=1, expected="old"),
            {"text": "new", "cursor": 1, "expected": "old"},
            {},
            None,
        ),
        ("editor.paste", lambda ext: ext.editor.paste("x"), {"text": "x"}, {}, None),
        ("keys.bind", lambda ext: ext.keys.bind("f6", "go"), {"key": "f6", "command": "go"}, {}, None),
        ("keys.unbind", lambda ext: ext.keys.unbind("f6"), {"key": "f6"}, {}, None),
        (
            "ui.select",
            lambda ext: ext.ui.select("Which?", ["a", "b"]),
            {"title": "Which?", "options": ["a", "b"]},
            {"value": "b"},
            "b",
        ),
        (
            "ui.input",
            lambda ext: ext.ui.input("Name", placeholder="p", secret=True),
            {"title": "Name", "placeholder": "p", "secret": True},
            {"value": "x"},
            "x",
        ),
        (
            "ui.editor",
            lambda ext: ext.ui.editor("Text", "before"),
            {"title": "Text", "prefill": "before"},
            {"closed": "user"},
            None,
        ),
        (
            "ui.form",
            lambda ext: ext.ui.form("Set up", [{"name": "port"}]),
            {"title": "Set up", "fields": [{"name": "port"}]},
            {"value": {"port": 1}},
            {"port": 1},
        ),
        (
            "ui.pick",
            lambda ext: ext.ui.pick("Rows", [{"id": "1"}], multi=True),
            {"title": "Rows", "rows": [{"id": "1"}], "multi": True},
            {"value": ["1"]},
            ["1"],
        ),
    ],
)
def test_a_function_sends_its_call_and_returns_what_the_result_says(
    method: str,
    call: Callable[[Extension], object],
    params: Mapping[str, object],
    result: Mapping[str, object],
    returned: object,
) -> None:
    ext, got = Extension("caller", capabilities=GROUPS), list[object]()

    @ext.command("go")
    def go(_: str) -> None:
        got.append(call(ext))

    def answer(given: Mapping[str, Any]) -> Mapping[str, object]:
        got.append(given)
        return result

    with FakeHost(ext, capabilities=GROUPS, calls={method: answer}) as host:
        assert not host.command("go").error
    assert got == [params, returned]


def test_entries_are_read_page_by_page() -> None:
    ext, got = Extension("caller", capabilities=GROUPS), list[str]()

    @ext.command("go")
    def go(_: str) -> None:
        got.extend(entry["id"] for entry in ext.session.entries(kinds=["user"]))

    with FakeHost(
        ext, capabilities=GROUPS, calls={"session.entries": lambda params: PAGES[params.get("after")]}
    ) as host:
        assert not host.command("go").error
    assert got == ["1", "2", "3"]


def test_sessions_and_their_entries_are_listed_page_by_page() -> None:
    ext, got = Extension("caller", capabilities=GROUPS), list[object]()

    @ext.command("go")
    def go(_: str) -> None:
        got.extend(each["id"] for each in ext.session.list(scope="all"))
        got.extend(each["id"] for each in ext.session.read("s", content=True))

    listed = {None: {"sessions": [{"id": "s"}], "next": "p"}, "p": {"sessions": [{"id": "t"}], "next": ""}}
    calls: dict[str, Callable[[Mapping[str, Any]], Mapping[str, object]]] = {
        "session.list": lambda params: listed[params.get("after")],
        "session.read": lambda params: PAGES[params.get("after")],
    }
    with FakeHost(ext, capabilities=GROUPS, calls=calls) as host:
        assert not host.command("go").error
    assert got == ["s", "t", "1", "2", "3"]


def test_the_session_changes_only_in_a_command_and_not_for_a_session_that_is_not_open() -> None:
    ext, got = Extension("caller", capabilities=GROUPS), list[str]()

    def codes() -> None:
        for act in (ext.session.fork, ext.session.info):
            try:
                act()
                got.append("")
            except HostError as error:
                got.append(error.code)

    @ext.command("go")
    async def go(_: str) -> None:
        codes()
        with ext.session.only("other"):
            await ext.soon(codes)
        with ext.session.only("mine"):
            ext.session.info()

    ext.tool(name="work", schema={"type": "object"})(lambda args: codes())
    calls = {"session.fork": {}, "session.info": {}}
    with FakeHost(ext, session_id="mine", capabilities=GROUPS, calls=calls) as host:
        assert not host.command("go").error
        host.tool("work")
    assert got == ["", "", "stale_session", "stale_session", "denied", ""]


def test_a_task_that_a_handler_has_started_calls_for_itself_once_the_handler_has_answered() -> None:
    ext, answered = Extension("caller", capabilities=GROUPS), threading.Event()
    tasks: list[asyncio.Task[None]] = []

    async def later() -> None:
        await ext.soon(answered.wait)
        await ext.soon(ext.session.info)

    @ext.command("go")
    async def go(_: str) -> None:
        await ext.soon(ext.session.info)
        tasks.append(asyncio.create_task(later()))

    with FakeHost(ext, capabilities=GROUPS, calls={"session.info": {}}) as host:
        assert not host.command("go").error
        assert host.wait_for(HostCall).parent_id
        answered.set()
        assert host.wait_for(HostCall, lambda call: not call.parent_id)


def test_a_method_that_has_another_name_is_told_with_it() -> None:
    ext = Extension("caller", capabilities=GROUPS)
    ext.command("call")(lambda name: ext.call(name))
    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.command("call", "abort").error == "HostError: unsupported: abort is called control.abort now"
        assert host.command("call", "none").error == "HostError: unsupported: unknown operation 'none'"
        for name in ("session.delete", "delete_session"):
            assert host.command("call", name).error == "HostError: denied: extensions may not do session.delete"


class StreamingHost(FakeHost):
    """Sends two parts before each result."""

    def _result(self, call: HostCall) -> HostResult:
        for part in ("a", "b"):
            self.send(HostProgress(call.id, part))
        return super()._result(call)


def test_what_takes_the_parts_of_an_answer_may_call_the_host_and_fail() -> None:
    ext, shown = Extension("caller", capabilities=GROUPS), list[str]()

    def show(text: str) -> None:
        ext.widgets.status("text", text)
        shown.append(text)

    def fail(text: str) -> None:
        raise ValueError(f"not {text}")

    ext.command("show")(lambda _: ext.model.complete("?", progress=show))
    ext.command("fail")(lambda _: ext.model.complete("?", progress=fail))
    calls = {"model.complete": {"text": "ab"}, "widgets.set": {}}
    with StreamingHost(ext, capabilities=GROUPS, calls=calls) as host:
        assert host.command("fail").error == "ValueError: not a"
        assert host.wait_for(CancelCall).id
        assert host.command("show").display == "ab"
    assert shown == ["a", "b"]


def test_a_field_that_an_operation_does_not_have_is_a_type_error_and_nothing_is_called() -> None:
    called: list[str] = []
    session = Session(lambda method, **fields: called.append(method))
    for wrong in (
        lambda: session.fork(mistake=1),  # type: ignore[call-arg]
        lambda: session.fork("entry", "at"),  # type: ignore[misc]
        lambda: session.label("entry", entry="another"),  # type: ignore[call-arg, misc]
    ):
        with pytest.raises(
            TypeError, match=r"session\.(fork takes entry, \*, position|label takes entry, label); got "
        ):
            wrong()
    with pytest.raises(AttributeError):
        session.nothing()  # type: ignore[attr-defined]
    assert called == []
