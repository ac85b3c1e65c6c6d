"""The commands and events of sub-agents."""

from pathlib import Path

import pytest
from rpc_client import connect, events_of, types
from rpc_peer import Peer, StartPeer
from tasks import by_task

from zot_agent.client import AgentEntryInfo, RpcError
from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn

GIVE = Turn(calls=[Call("agent", {"task": "look", "agent": "explore"})])
GIVE_ANY = Turn(calls=[Call("agent", {"task": "look"})])
SLEEP = Turn(calls=[Call("bash", {"command": "exec sleep 1000"})])


def test_a_sub_agent_is_seen_in_events_and_listed(peer: Peer, server: ScriptedServer) -> None:
    server.add(*[by_task(main=[GIVE, "all done"], look=[Turn(calls=[Call("ls")]), "found it"])] * 4)
    assert peer.data("agents.list") == {"agents": []}
    peer.send("prompt", message="main")
    seen = peer.until("done")
    (started,) = [each for each in seen if each["type"] == "subagent_start"]
    assert (started["agent_id"], started["name"], started["task"], started["parent"]) == ("1", "explore", "look", "")
    (stopped,) = [each for each in seen if each["type"] == "subagent_stop"]
    assert (stopped["agent_id"], stopped["end"], stopped["steps"]) == ("1", "completed", 2)
    assert [each.get("agent_id", "") for each in seen if each["type"] == "usage"] == ["", "1", "1", ""]
    (agent,) = peer.data("agents.list")["agents"]
    assert (agent["id"], agent["end"], agent["line"]) == ("1", "completed", "found it")
    assert set(agent) == set(AgentEntryInfo.__annotations__)
    messages = peer.data("agents.messages", agent="1")["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "tool", "assistant"]
    assert peer.call("agents.steer", agent="1", message="more")["error"] == "agent 1 has ended"
    assert peer.call("agents.stop", agent="7")["error"] == "there is no agent '7'; the agents are: 1"


async def test_the_client_steers_and_stops_a_sub_agent(server: ScriptedServer) -> None:
    give = Turn(calls=[Call("agent", {"task": "look"})])
    server.add(*[by_task(main=[give, "all done"], look=[SLEEP, "late"])] * 3)
    async with connect(server) as client:
        run = client.prompt("main")
        async for event in run:
            if event["type"] == "subagent_progress":  # its call runs, or is about to
                await client.agents_steer("1", "hurry")
                (agent,) = (await client.agents_list())["agents"]
                assert agent["end"] == ""
                assert (await client.agents_stop("1"))["agent"]["end"] == "aborted"
                break
        assert (await client.agents_messages("1"))["messages"][0]["role"] == "user"


async def test_agents_of_an_earlier_process_are_known(server: ScriptedServer, alone: Path) -> None:
    server.add(*[by_task(first=["no answer", GIVE, "all done"], look=["found it"])] * 3)
    path = str(alone / "s.jsonl")
    session = SessionFile(path, Meta("s", str(alone), "scripted", "openai", "", "1"))
    for role, text in (("user", "first"), ("assistant", "an answer")):
        session.append(Message("user" if role == "user" else "assistant", [TextBlock(text)]))
    session.close()
    async with connect(server, "--session", path) as client:
        assert "subagent_stop" in types(await events_of(client.prompt("main")))
        (before,) = (await client.agents_list())["agents"]
    async with connect(server, "--session", path) as client:
        (after,) = (await client.agents_list())["agents"]
        assert (after["id"], after["name"], after["end"], after["line"]) == ("1", "explore", "completed", "found it")
        assert after["session"] == before["session"]
        assert [each["role"] for each in (await client.agents_messages("1"))["messages"]] == ["user", "assistant"]
        with pytest.raises(RpcError, match="agent 1 has ended"):
            await client.agents_steer("1", "more")


def test_a_question_about_a_call_of_a_sub_agent_names_it_while_the_agent_waits(
    start: StartPeer, server: ScriptedServer
) -> None:
    write = Turn(calls=[Call("write", {"path": "x.txt", "content": "x"})])
    server.add(*[by_task(main=[GIVE_ANY, "all done"], look=[write, write, "tried"])] * 5)
    peer = start("--permission-mode", "ask")
    peer.send("prompt", message="main")
    for answer in ("no", "yes"):
        request = peer.until("permission_request")[-1]
        assert (request["name"], request["agent_id"]) == ("write", "1")
        assert peer.call("permissions.answer", request=request["request"], answer=answer)["success"]
    stopped = [each for each in peer.until("done") if each["type"] == "subagent_stop"]
    assert [each["end"] for each in stopped] == ["completed"]
    results = [each for each in peer.data("agents.messages", agent="1")["messages"] if each["role"] == "tool"]
    assert [each["content"][0]["is_error"] for each in results] == [True, False]
