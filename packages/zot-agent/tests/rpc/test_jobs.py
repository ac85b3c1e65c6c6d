"""The commands on jobs."""

from rpc_client import connect, events_of, types
from rpc_peer import Peer

from zot_provider.testing import Call, ScriptedServer, Turn

COMMAND = "echo ready; exec sleep 1000"
SERVE = Call("bash", {"command": COMMAND, "background": True})


def test_a_job_is_listed_and_stopped(peer: Peer, server: ScriptedServer) -> None:
    server.add(Turn(calls=[SERVE]), "It runs.")
    assert peer.data("jobs.list") == {"jobs": []}
    peer.send("prompt", message="serve")
    seen = peer.until("done")
    assert [each["id"] for each in seen if each["type"] == "job_start"] == ["1"]
    (job,) = peer.data("jobs.list")["jobs"]
    assert (job["id"], job["state"], job["exit_code"]) == ("1", "running", None)
    stopped = peer.data("jobs.stop", job="1")["job"]
    assert stopped["state"] == "stopped"
    assert peer.call("jobs.stop", job="7")["error"] == "there is no job '7'; the jobs are: 1"


async def test_the_client_lists_and_stops_jobs(server: ScriptedServer) -> None:
    server.add(Turn(calls=[SERVE]), "It runs.")
    async with connect(server) as client:
        assert "job_start" in types(await events_of(client.prompt("serve")))
        (job,) = (await client.jobs_list())["jobs"]
        assert job["command"] == COMMAND
        assert (await client.jobs_stop(job["id"]))["job"]["state"] == "stopped"
        assert [each["state"] for each in (await client.jobs_list())["jobs"]] == ["stopped"]
