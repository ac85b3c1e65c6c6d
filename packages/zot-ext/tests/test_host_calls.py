from collections.abc import Callable, Mapping
from typing import Any

import pytest

from zot_ext import Extension
from zot_ext.testing import FakeHost

GROUPS = ("session", "storage", "messages", "control", "exec", "model")
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
        ("session.rename", lambda ext: ext.session.rename("t"), {"title": "t"}, {}, None),
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
        ("secret.delete", lambda ext: ext.secrets.delete("a"), {"key": "a"}, {}, None),
        (
            "messages.send",
            lambda ext: ext.messages.send("hi", hidden=True),
            {"text": "hi", "deliver_as": "follow_up", "trigger": True, "hidden": True},
            {"delivered": "queued"},
            "queued",
        ),
        ("control.state", lambda ext: ext.control.state(), {}, {"idle": True}, {"idle": True}),
        ("control.abort", lambda ext: ext.control.abort(), {}, {"stopped": True}, True),
        ("control.compact", lambda ext: ext.control.compact("x"), {"instructions": "x"}, {"end": "ended"}, "ended"),
        ("control.wait_idle", lambda ext: ext.control.wait_idle(), {}, {}, None),
        ("exec.run", lambda ext: ext.programs.run(["ls"]), {"argv": ["ls"]}, {"code": 0}, {"code": 0}),
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
        got.extend(entry["id"] for entry in ext.session.entries(kinds=["message"]))

    with FakeHost(
        ext, capabilities=GROUPS, calls={"session.entries": lambda params: PAGES[params.get("after")]}
    ) as host:
        assert not host.command("go").error
    assert got == ["1", "2", "3"]
