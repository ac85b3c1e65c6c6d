"""Completers of an extension: words with a trigger, and arguments of its commands."""

from collections.abc import Mapping
from typing import Any

import pytest

from zot_ext import CompletionRequest, Extension, HostError, Suggestion
from zot_ext.protocol.from_extension import HostCall
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost
from zot_ext.testing.conformance.screen_rules import answer_fault, questions, registration_problem

GROUPS = ("commands", "autocomplete")


def tracker() -> Extension:
    ext = Extension("tracker")

    @ext.completer("#")
    def issues(asked: CompletionRequest) -> list[Suggestion]:
        return [Suggestion("#29", "#29 it crashes", "open"), Suggestion(f"#{asked.prefix}")]

    @ext.command("deploy")
    def deploy(where: str) -> str:
        return where

    @ext.completer(command="/deploy")
    async def places(asked: CompletionRequest) -> list[str]:
        return [f"{asked.prefix}aging", asked.line]

    return ext


def test_a_completer_is_registered_when_the_host_greets_and_answers_plain_and_async() -> None:
    with FakeHost(tracker(), capabilities=GROUPS) as host:
        registered = [call.params.value for call in host.sent(HostCall) if call.params is not None]
        assert registered == [{"trigger": "#"}, {"command": "deploy"}]
        assert host.complete("#", "2") == [
            {"text": "#29", "label": "#29 it crashes", "description": "open"},
            {"text": "#2"},
        ]
        assert host.complete(command="deploy", prefix="st") == ["staging", "/deploy st"]
        assert host.complete("%", "2") == []


@pytest.mark.parametrize("code", ["unavailable", "denied"])
def test_a_host_without_a_screen_is_no_failure(code: str, capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(_: Mapping[str, Any]) -> Mapping[str, object]:
        raise HostError(code, "no screen")

    with FakeHost(tracker(), capabilities=GROUPS, calls={"completions.register": refuse}) as host:
        assert not host.command("deploy", "x").error
    assert ("no screen" in capfd.readouterr().err) == (code == "denied")


def test_a_host_without_the_group_is_asked_for_nothing() -> None:
    with FakeHost(tracker()) as host:
        assert not host.command("deploy", "x").error
        assert host.sent(HostCall) == []


def test_a_completer_can_be_added_later() -> None:
    ext = Extension("late", capabilities=("autocomplete",))

    @ext.command("more")
    def more(_: str) -> None:
        ext.completer("!?")(lambda asked: [asked.trigger])

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert not host.command("more").error
        assert host.complete("!?") == ["!?"]


def test_a_completer_has_either_a_trigger_or_a_command() -> None:
    for given in ({}, {"trigger": "#", "command": "deploy"}):
        with pytest.raises(ValueError, match="either a trigger or a command"):
            Extension("x").completer(**given)


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"trigger": "#"}, ""),
        ({"command": "deploy"}, ""),
        ({}, "either trigger or command must be given"),
        ({"trigger": "a:"}, "trigger must be 1 to 8 characters without spaces, and no letter or digit first"),
        ({"trigger": "#" * 9}, "trigger must be 1 to 8 characters without spaces, and no letter or digit first"),
        ({"trigger": "@x"}, "words with @ first are completed by zot"),
    ],
)
def test_the_check_finds_what_is_wrong_with_a_registration(params: dict[str, object], problem: str) -> None:
    assert registration_problem("completions.register", params) == problem


def test_the_check_asks_each_completer_twice_and_reads_the_items() -> None:
    call = HostCall("1", "completions.register", RawObject.from_value({"command": "deploy"}))
    assert [members["line"] for _, members in questions(call)] == ["/deploy ", "/deploy zot"]
    assert list(questions(HostCall("1", "completions.register"))) == []
    assert answer_fault("complete", {"items": ["a", {"text": "b"}]}) == ""
    assert answer_fault("complete", {"items": [{"label": "b"}]}) == "items must be strings, or objects with text"
