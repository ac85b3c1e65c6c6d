"""The options of tools, what they return and report, and the tools of the host."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from zot_ext import Extension, NotGranted, Result, TextBlock, text_result
from zot_ext.protocol.from_extension import RegisterTool
from zot_ext.protocol.groups.tools import CallTool, ShowProgress, UnregisterTool
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost

GROUPS = ("tools2", "call_tool")


def test_a_tool_is_registered_with_its_options_and_asks_for_their_group() -> None:
    ext = Extension("x")

    @ext.tool(snippet="Line.", parallel=True, seconds=1.5, read_only=True, override=True, deferred=True)
    def look(path: str) -> str:
        """Look."""
        return path

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.tools["look"] == RegisterTool(
            "look", "Look.", host.tools["look"].schema, "Line.", "parallel", 1500, True, True, True
        )
        assert host.sent(type(host.frames[0]))[0].capabilities == ("tools", "tools2")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"strict": True}, {"type": "json_schema"}),
        ({"lark": "start: /a+/"}, {"type": "lark", "grammar": "start: /a+/"}),
        ({"regex": "a+"}, {"type": "regex", "grammar": "a+"}),
        ({"strict": False, "lark": ""}, None),
    ],
)
def test_a_tool_says_what_the_model_may_write(options: dict[str, Any], sent: dict[str, str] | None) -> None:
    ext = Extension("written")

    @ext.tool(**options)  # type: ignore[arg-type]
    def patch(input: str) -> str:
        """Patch."""
        return input

    with FakeHost(ext, capabilities=("tools2",)) as host:
        given = host.tools["patch"].constrained_sampling
        assert (given and given.value) == sent
        assert host.tool("patch", {"input": "aa"}).content == (TextBlock("aa"),)


def test_a_tool_without_options_asks_for_no_group() -> None:
    ext = Extension("x")
    ext.tool(lambda args: "", name="plain", description="", schema={"type": "object"})
    assert [*ext._registrations.capabilities()] == ["tools"]


def test_a_result_has_details_structured_content_and_the_end_of_the_turn() -> None:
    ext = Extension("x")

    @ext.tool
    def rich() -> Result:
        """R."""
        return text_result("*a*", markdown=True, details={"n": 1}, structured={"a": []}, terminate=True)

    @ext.tool
    def more() -> Result:
        """M."""
        return Result((TextBlock("found"),), activate_tools=("rich",))

    with FakeHost(ext, capabilities=GROUPS) as host:
        answer, other = host.tool("rich"), host.tool("more")
    assert answer.content == (TextBlock("*a*", "markdown"),)
    assert (answer.details, answer.structured_content) == (RawObject('{"n":1}'), RawObject('{"a":[]}'))
    assert answer.terminate
    assert other.activate_tools == ("rich",)


def test_details_that_are_too_large_are_an_error_of_the_tool() -> None:
    ext = Extension("x")
    ext.tool(
        lambda _: text_result("x", details={"a": "b" * 70000}), name="big", description="", schema={"type": "object"}
    )
    with FakeHost(ext, capabilities=GROUPS) as host:
        answer = host.tool("big")
    assert answer.is_error
    assert "at most 65536 bytes as JSON" in str(answer.content)


@pytest.mark.parametrize("asynchronous", [True, False])
def test_progress_belongs_to_the_call_whose_handler_reports_it(*, asynchronous: bool) -> None:
    ext = Extension("x", capabilities=("tools2",))

    def work(args: Mapping[str, Any]) -> str:
        ext.tools.progress("half")
        return "done"

    async def work_soon(args: Mapping[str, Any]) -> str:
        await asyncio.sleep(0)
        ext.tools.progress("half")
        return "done"

    ext.tool(work_soon if asynchronous else work, name="work", description="", schema={"type": "object"})
    with FakeHost(ext, capabilities=GROUPS) as host:
        answer = host.tool("work")
        assert host.sent(ShowProgress) == [ShowProgress(answer.id, "half")]


def test_arguments_are_prepared_by_the_function_of_the_tool() -> None:
    ext = Extension("x")

    def prepare(args: dict[str, Any]) -> object:
        return {"a": str(args["a"])} if "a" in args else args.get("b")

    ext.tool(lambda args: "", name="t", description="", schema={"type": "object"}, prepare=prepare)
    ext.tool(lambda args: "", name="u", description="", schema={"type": "object"})
    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.prepare("t", {"a": 1}) == {"a": "1"}
        assert host.prepare("t", {}) is None
        assert host.prepare("t", {"b": [1]}) is None  # it raises, and the arguments stay as they are
        assert host.prepare("u", {"a": 1}) is None
        assert host.prepare("gone", {"a": 1}) is None


def test_a_tool_is_taken_back_once() -> None:
    ext = Extension("x", capabilities=("tools2",))
    ext.tool(lambda args: "", name="t", description="", schema={"type": "object"})
    ext.command("drop")(lambda _: ext.remove_tool("t"))
    with FakeHost(ext, capabilities=GROUPS) as host:
        assert "t" in host.tools
        host.command("drop")
        host.command("drop")
        assert host.sent(UnregisterTool) == [UnregisterTool("t")]
        assert host.tools == {}
        assert host.tool("t").is_error


def test_an_extension_calls_the_tools_of_the_host_in_any_handler() -> None:
    ext = Extension("x", capabilities=GROUPS)

    @ext.tool
    async def twice(text: str) -> str:
        """T."""
        first = await ext.soon(ext.tools.call, "echo", text=text)
        second = ext.tools.call_with("echo", {"text": first.text}, builtin=True)
        return f"{second.text} {second.is_error}"

    @ext.command("gone")
    def gone(_: str) -> str:
        answer = ext.tools.call("gone")
        return f"{answer.is_error} {answer.text}"

    with FakeHost(ext, capabilities=GROUPS, host_tools={"echo": lambda args: args["text"] * 2}) as host:
        answer = host.tool("twice", {"text": "a"})
        assert answer.content == (TextBlock("aaaa False"),)
        first, second = host.sent(CallTool)
        assert (first.parent_id, first.builtin, second.parent_id, second.builtin) == (answer.id, False, answer.id, True)
        assert host.command("gone").display == "True the model has no tool with the name 'gone'"


def test_without_the_group_nothing_is_sent() -> None:
    ext = Extension("x", capabilities=GROUPS)
    refused: list[str] = []

    @ext.command("try")
    def attempt(_: str) -> None:
        for act in (lambda: ext.tools.progress("x"), lambda: ext.tools.call("bash"), ext.tools.list):
            try:
                act()
            except NotGranted as error:
                refused.append(str(error))

    with FakeHost(ext) as host:
        host.command("try")
        assert host.sent(ShowProgress) == []
        assert host.sent(CallTool) == []
    assert refused == [f"the host does not grant '{group}'" for group in ("tools2", "call_tool", "tools2")]
