"""Deferred tools: found by words, in the next request, and still there after resuming and compacting."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_core import Runtime
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_core.tools.tool_search import MOST, NAME, ToolSearch, search, words_of
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


class Deferred(Tool):
    """A tool that waits until it is found."""

    deferred = True

    def __init__(self, name: str, description: str = "", namespace: str = "", *parameters: str) -> None:
        self.name, self.description, self.namespace = name, description, namespace
        self.parameters = parameters

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {each: {"type": "string"} for each in self.parameters}}

    async def run(self, arguments: dict[str, object], context: ToolContext) -> ToolResult:
        return ToolResult.of(f"{self.name} ran")


ISSUES = [
    Deferred("github_create_issue", "Open a new issue in a repository.", "github", "title", "body"),
    Deferred("github_list_issues", "List the issues of a repository.", "github", "state"),
    Deferred("github_merge_pull", "Merge a pull request.", "github", "method"),
    Deferred("jira_create_ticket", "Open a ticket.\nLong words about it.", "jira", "summary"),
    Deferred("mail_send", "Send a message to somebody.", "", "recipient"),
]


def runtime(client: ScriptedClient, tools: list[Deferred], **named: object) -> tuple[Runtime, ToolSearch]:
    made = Runtime("scripted", client=client, tools=tools, builtin_tools=(), **named)  # type: ignore[arg-type]
    found = ToolSearch(made.agent)
    made.agent.tools[NAME] = found
    found.update()
    return made, found


def offered(client: ScriptedClient) -> list[list[str]]:
    return [[spec.name for spec in request.tools] for request in client.requests]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("create an issue", "github_create_issue"),
        ("list issues", "github_list_issues"),
        ("jira", "jira_create_ticket"),
        ("merging", ""),
        ("merg", "github_merge_pull"),
        ("recipients", "mail_send"),
        ("mail_send", "mail_send"),
        ("JIRA_CREATE_TICKET, nothing", "jira_create_ticket"),
        ("weather", ""),
        ("", ""),
    ],
)
def test_tools_are_found_by_words_of_their_names_groups_parameters_and_descriptions(query: str, first: str) -> None:
    found = search(query, ISSUES, 3)
    assert (found[0].name if found else "") == first


def test_a_word_that_few_tools_have_counts_more() -> None:
    assert [each.name for each in search("github create", ISSUES, 2)] == ["github_create_issue", "jira_create_ticket"]


def test_words_have_no_case_and_no_plural() -> None:
    assert words_of("createIssues HTTPServer get_URL2 Zürich class") == [
        "create", "issue", "http", "server", "get", "url", "2", "z", "ü", "rich", "class",
    ]  # fmt: skip


async def test_a_found_tool_is_in_the_next_request_and_can_be_called() -> None:
    client = ScriptedClient(
        [
            Turn(calls=[Call(NAME, {"query": "list issues", "limit": 1})]),
            Turn(calls=[Call("github_list_issues", {})]),
            "done",
        ]
    )
    async with runtime(client, ISSUES)[0] as rt:
        await rt.prompt("go")
        results = [each for message in rt.messages for each in message.content if isinstance(each, ToolResultBlock)]
    assert offered(client) == [[NAME], ["github_list_issues", NAME], ["github_list_issues", NAME]]
    assert [each.content for each in results] == [
        [
            TextBlock(
                "1 of 5 tools, which you can call from your next answer on:\n"
                "- github_list_issues: List the issues of a repository."
            )
        ],
        [TextBlock("github_list_issues ran")],
    ]
    assert (
        "there are 5 that you cannot see yet, of github (3), jira (1), others (1)."
        in client.requests[0].tools[0].description
    )


async def test_a_deferred_tool_that_is_called_by_its_name_is_found() -> None:
    client = ScriptedClient([Turn(calls=[Call("mail_send", {})]), "done"])
    async with runtime(client, ISSUES)[0] as rt:
        await rt.prompt("go")
    assert offered(client) == [[NAME], ["mail_send", NAME]]


async def test_what_was_found_is_there_after_resuming_compacting_and_both(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    client = ScriptedClient([Turn(calls=[Call(NAME, {"query": "jira"})]), "one", "two", "three", "four"])
    async with runtime(client, ISSUES, session=file)[0] as rt:
        await rt.prompt("go")
        for _ in range(2):
            await rt.prompt("more")
    resumed = ScriptedClient(["five", "the summary", "six"])
    async with runtime(resumed, ISSUES, session=file)[0] as rt:
        await rt.prompt("again")
        await rt.compact()
        await rt.prompt("after")
        assert all(not message.tool_calls for message in rt.messages)
    last = ScriptedClient(["seven"])
    async with runtime(last, ISSUES, session=file)[0] as rt:
        await rt.prompt("again")
    for client in (resumed, last):
        assert [names for names in offered(client) if names] == [["jira_create_ticket", NAME]] * (
            2 if client is resumed else 1
        )


async def test_another_conversation_begins_without_found_tools() -> None:
    client = ScriptedClient([Turn(calls=[Call(NAME, {"query": "jira"})]), "one", "two"])
    async with runtime(client, ISSUES)[0] as rt:
        await rt.prompt("go")
        rt.new_session()
        await rt.prompt("again")
    assert offered(client)[-1] == [NAME]


async def test_going_back_before_a_search_goes_back_to_its_tools() -> None:
    client = ScriptedClient([])
    rt, found = runtime(client, ISSUES)
    async with rt:
        result = ToolResultBlock("1", [], details={"activate_tools": ["mail_send", 5]})
        rt.set_messages([Message("user", [TextBlock("a")]), Message("tool", [result])])
        assert "mail_send" not in found.hidden()
        rt.set_messages([Message("user", [TextBlock("a")])])
        assert "mail_send" in found.hidden()
        rt.set_messages([])
        assert "mail_send" in found.hidden()
        del rt.agent.tools[NAME]
        assert len(rt.agent.tools.next) == len(ISSUES)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "query is missing: words for what the tool does"),
        ({"query": "x", "limit": -1}, "limit must be a whole number from 1 on"),
        ({"query": "nothing like it"}, "none of 5 tools matches 'nothing like it'; try other words"),
    ],
)
async def test_a_search_that_finds_nothing_says_so(arguments: dict[str, object], text: str) -> None:
    client = ScriptedClient([Turn(calls=[Call(NAME, arguments)]), "done"])
    async with runtime(client, ISSUES)[0] as rt:
        await rt.prompt("go")
        [result] = [each for message in rt.messages for each in message.content if isinstance(each, ToolResultBlock)]
    assert result.content == [TextBlock(text)]


async def test_two_hundred_tools_add_less_than_2_kb_to_the_request() -> None:
    tools = [
        Deferred(f"server{n % 20}_tool_{n}", "What it does. " * 20, f"server{n % 20}", "a", "b") for n in range(200)
    ]
    client = ScriptedClient([Turn(calls=[Call(NAME, {"query": "tool", "limit": 100})]), "done"])
    async with runtime(client, tools)[0] as rt:
        await rt.prompt("go")
    first, second = client.requests
    assert sum(len(json.dumps([spec.name, spec.description, spec.schema])) for spec in first.tools) <= 2000
    assert len(second.tools) == MOST + 1


async def test_many_groups_are_cut() -> None:
    tools = [Deferred(f"t{n}", "", f"a server with a long name {n}") for n in range(200)]
    _, found = runtime(ScriptedClient([]), tools)
    assert len(found.description) < 1300
    assert "(1) and others. Search" in found.description
