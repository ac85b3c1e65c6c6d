"""Renderers of an extension: calls and results of tools, and messages."""

import pytest

from zot_ext import Extension, RenderRequest
from zot_ext.protocol.calls import reader
from zot_ext.protocol.calls.screen import RENDERED
from zot_ext.protocol.from_extension import HostCall
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost
from zot_ext.testing.conformance.screen_rules import answer_fault, questions, registration_problem

GROUPS = ("commands", "renderers")


def painter() -> Extension:
    ext = Extension("painter")

    @ext.renderer("tool_call", "bash")
    def call(asked: RenderRequest) -> str:
        return f"{asked.state} {asked.args['command']}\n{asked.width} {asked.expanded}"

    @ext.renderer("tool_result", "*")
    async def result(asked: RenderRequest) -> list[object] | None:
        return [[{"text": asked.name, "bold": True}], asked.text] if asked.text else None

    @ext.renderer("message", "note")
    def note(_: RenderRequest) -> list[str]:
        return []

    @ext.command("fold")
    def fold(_: str) -> str:
        ext.rendering.expand(not ext.rendering.expanded)
        ext.rendering.again("message", "note")
        return "folded"

    return ext


def test_renderers_are_registered_and_answer_with_lines() -> None:
    with FakeHost(painter(), capabilities=GROUPS) as host:
        registered = [call.params.value for call in host.sent(HostCall) if call.params is not None]
        assert [(each["kind"], each["name"]) for each in registered] == [
            ("tool_call", "bash"),
            ("tool_result", "*"),
            ("message", "note"),
        ]
        assert host.render("tool_call", "bash", args={"command": "ls"}) == ["ok ls", "80 False"]
        assert host.render("tool_result", "read", text="a") == [[{"text": "read", "bold": True}], "a"]
        assert host.render("tool_result", "read") is None
        assert host.render("message", "note") == []
        assert host.render("message", "other") is None


def test_what_is_drawn_can_be_expanded_and_drawn_again() -> None:
    sent: list[object] = []
    calls = {
        "renderers.expand": lambda params: sent.append(params) or {"expanded": False},
        "renderers.again": lambda params: sent.append(params) or {},
    }
    with FakeHost(painter(), capabilities=GROUPS, calls=calls) as host:
        assert host.command("fold").display == "folded"
    assert sent == [{}, {"expanded": True}, {"kind": "message", "name": "note"}]


def test_a_renderer_can_be_added_later() -> None:
    ext = Extension("late", capabilities=GROUPS)

    @ext.command("more")
    def more(_: str) -> None:
        ext.renderer("message", "x")(lambda asked: ["x"])

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert not host.command("more").error
        assert host.render("message", "x") == ["x"]


def test_the_check_asks_each_renderer_at_two_widths_and_reads_the_lines() -> None:
    call = HostCall("1", "renderers.register", RawObject.from_value({"kind": "tool_result", "name": "*"}))
    asked = [members for _, members in questions(call)]
    assert [(each["name"], each["width"], each["state"]) for each in asked] == [("bash", 1, "ok"), ("bash", 80, "ok")]
    call = HostCall("1", "renderers.register", RawObject.from_value({"kind": "message", "name": "note"}))
    assert ["state" in members for _, members in questions(call)] == [False, False]
    register = reader("renderers.register")
    assert register.problem({"kind": "picture"}) == f'kind must be one of {", ".join(RENDERED)}, not "picture"'
    assert registration_problem("renderers.register", {"kind": "message"}) == ""


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["a", [{"text": "b"}]], ""),
        (None, ""),
        ("a", 'lines must be an array, not "a"'),
        ([5], "lines must be strings, or lists of spans with text"),
        ([[{"bold": True}]], "lines must be strings, or lists of spans with text"),
    ],
)
def test_the_check_finds_what_is_wrong_with_lines(lines: object, fault: str) -> None:
    assert answer_fault("render", {"lines": lines}) == fault
