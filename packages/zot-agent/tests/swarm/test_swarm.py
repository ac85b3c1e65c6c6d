"""Members of the swarm, as real processes that talk to a scripted server."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import Repository
from waiting import wait_until

from zot_agent.host.detached import NotStarted
from zot_agent.host.options import HostOptions
from zot_agent.swarm.folder import MemberInUse
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member, MemberState
from zot_agent.swarm.swarm import Swarm
from zot_core.clock import timestamp
from zot_core.machine.worktrees import WorktreeError
from zot_core.permission_mode import PermissionMode
from zot_core.sessions.file import SessionFile, load
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

WAITS = Turn(calls=[Call("bash", {"command": "echo ready; exec sleep 1000"})])


class World:
    """A swarm, the project of its members, and the server that they ask."""

    def __init__(self, repository: Repository, server: ScriptedServer) -> None:
        self.repository, self.server, self.swarm = repository, server, Swarm()

    def options(self, mode: PermissionMode = "yolo", cwd: "str | Path" = "") -> HostOptions:
        """The options of a member."""
        return HostOptions(
            provider="openai", model="scripted", base_url=self.server.base_url("openai-chat"), permission_mode=mode,
            cwd=str(cwd or self.repository.path),
        )  # fmt: skip

    def new(self, task: str, *answers: "str | Turn", mode: PermissionMode = "yolo") -> Member:
        """Start a member on a task; the server has these answers for it."""
        self.server.add(*answers)
        return self.swarm.new(task, self.options(mode))[0]

    def until(self, id: str, *states: MemberState) -> Member:
        """Wait until a member is in one of these states, and its process has ended unless that is one of work."""
        wait_until(lambda: self.swarm.find(id).state in states)
        if not self.swarm.find(id).active:
            wait_until(lambda: not self.swarm.folder(id).alive)
        return self.swarm.find(id)

    def asked(self, number: int) -> list[str]:
        """The texts of the user's messages in a request, without what is told of the folder below them."""
        texts = [each["content"] for each in self.server.requests[number].body["messages"] if each["role"] == "user"]
        return [text.partition("\nThis has changed since")[0] for text in texts]


@pytest.fixture
def world(repository: Repository, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A swarm whose members have all ended after the test."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    world = World(repository, server)
    yield world
    for each in world.swarm.members()[0]:
        if each.active:
            world.swarm.kill(each.id)


def test_a_member_works_in_a_worktree_and_ends(world: World) -> None:
    (world.repository.path / "mine.txt").write_text("not committed")
    world.server.add(Turn(calls=[Call("write", {"path": "b.txt", "content": "two"})]), "Written.\nAll good.")
    member, notes = world.swarm.new("Write the file b.txt, now", world.options())
    assert notes == ["your changes to 1 file are in no commit, so the agent does not see them"]
    tree = member.tree
    assert tree is not None
    assert (member.id, tree.branch) == ("write-the-file-b", "zot/write-the-file-b")
    member = world.until(member.id, "done")
    assert (member.answer, member.steps, member.tokens, member.pid) == ("Written.\nAll good.", 2, 30, 0)
    assert (member.provider, member.model, member.error) == ("openai", "scripted", "")
    assert (Path(member.cwd) / "b.txt").read_text() == "two"
    assert not (world.repository.path / "b.txt").exists()
    assert world.swarm.left(member) == "1 changed file"
    folder = Path(world.swarm.root) / member.id
    state = json.loads((folder / "member.json").read_text())
    assert (state["version"], state["state"], state["folder"]) == (1, "done", str(world.repository.path))
    assert "k" not in state["options"].values()
    for path in (folder / "member.json", folder / "log", folder / "lock", folder / "wake"):
        assert path.stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert Path(member.session).exists()


def test_a_message_goes_to_the_next_model_call_or_starts_it_again(world: World) -> None:
    (world.repository.path / ".gitignore").write_text("pipe\n")
    member = world.new("go", Turn(calls=[Call("bash", {"command": "mkfifo pipe; cat pipe"})]), "One.", "Two.")
    pipe = Path(member.cwd) / "pipe"
    wait_until(pipe.exists)
    assert world.swarm.send("go", "and hurry").state == "working"
    wait_until(lambda: not world.swarm.folder("go").waiting() or world.swarm.folder("go").wake())
    pipe.write_text("on")
    world.until("go", "done")
    assert world.asked(1) == ["go", "and hurry"]
    world.swarm.send("go", "once more")
    wait_until(lambda: world.swarm.find("go").answer == "Two.")
    assert world.until("go", "done").steps == 3
    assert world.asked(2) == ["go", "and hurry", "once more"]
    assert world.swarm.folder("go").waiting() == []


def test_kill_stops_the_work_and_resume_goes_on_with_it(world: World) -> None:
    world.new("go", WAITS, "Finished.")
    wait_until(lambda: "bash: echo ready" in world.swarm.find("go").line)
    with pytest.raises(MemberInUse, match="go works now"):
        world.swarm.remove("go", discard=True)
    with pytest.raises(ConfigError, match="works now"):
        world.swarm.resume("go")
    assert world.swarm.kill("go").state == "stopped"
    with pytest.raises(ConfigError, match="does not work; it is stopped"):
        world.swarm.kill("go")
    world.swarm.resume("go")
    assert world.until("go", "done").answer == "Finished."
    assert world.asked(1) == ["go"]
    assert world.server.requests[1].body["messages"][-1]["role"] == "tool"
    with pytest.raises(ConfigError, match="go is done; send it a message"):
        world.swarm.resume("go")


def test_a_killed_process_is_noticed_and_loses_nothing(world: World) -> None:
    member = world.new("go", WAITS, "Finished.")
    wait_until(lambda: "bash: echo ready" in world.swarm.find("go").line)
    os.kill(world.swarm.find("go").pid, signal.SIGKILL)
    assert world.until("go", "interrupted").question is None
    (Path(member.cwd) / "left.txt").write_text("work")
    world.swarm.resume("go", "what is left?")
    assert world.until("go", "done").answer == "Finished."
    assert world.asked(1) == ["go", "what is left?"]
    assert world.swarm.remove("go") == "its work (1 commit) is on the branch zot/go; to take it: git merge zot/go"
    assert world.repository.git("show", "zot/go:left.txt") == "work"
    assert world.swarm.members() == ([], [])
    assert not Path(member.cwd).exists()


def test_a_message_that_the_session_has_is_not_read_again(world: World) -> None:
    finished(world)
    folder, session = world.swarm.folder("go"), world.swarm.find("go").session
    name = folder.put({"text": "said"})
    stored = load(session)
    file = SessionFile(session, stored.meta, resume=stored)  # as a process that was killed before it removed the file
    file.append(Message("user", [TextBlock("said")], timestamp(int(name[:20]) / 1e9)))
    file.close()
    folder.put({"text": "new"})
    world.swarm.resume("go")
    world.until("go", "done")
    assert "\n".join(world.asked(1)).split("\n") == ["go", "said", "new"]


def test_a_member_that_was_killed_before_the_first_row_of_its_session_works_on(world: World) -> None:
    finished(world)
    os.truncate(world.swarm.find("go").session, 0)
    world.swarm.send("go", "again")
    wait_until(lambda: world.swarm.find("go").answer == "Two.")
    world.until("go", "done")
    assert (world.asked(1), world.swarm.folder("go").waiting()) == (["again"], [])


def test_a_process_that_does_not_end_is_killed(world: World) -> None:
    world.new("go", WAITS)
    wait_until(lambda: "bash: echo ready" in world.swarm.find("go").line)
    pid = world.swarm.find("go").pid
    os.kill(pid, signal.SIGSTOP)
    hurried = Swarm(limits=SwarmLimits(stop_seconds=0.1))
    assert hurried.kill("go").state == "stopped"
    assert not hurried.folder("go").alive


def test_a_signal_stops_it_and_keeps_what_it_has_not_read(world: World) -> None:
    world.new("go", WAITS, "Both.")
    wait_until(lambda: "bash: echo ready" in world.swarm.find("go").line)
    world.swarm.send("go", "later")
    os.kill(world.swarm.find("go").pid, signal.SIGTERM)
    world.until("go", "stopped")
    assert len(world.swarm.folder("go").waiting()) == 1
    world.swarm.resume("go")
    world.until("go", "done")
    assert "later" in world.asked(1)


def test_a_question_waits_in_the_state_until_somebody_answers(world: World) -> None:
    call = Turn(calls=[Call("bash", {"command": "touch made.txt"})])
    member = world.new("go", call, "Made.", mode="ask")
    asking = world.until("go", "asking")
    assert asking.question is not None
    assert (asking.question["tool"], asking.question["args"]) == ("bash", {"command": "touch made.txt"})
    world.swarm.answer("go", "yes")
    assert world.until("go", "done").question is None
    assert (Path(member.cwd) / "made.txt").exists()
    with pytest.raises(ConfigError, match="does not ask anything"):
        world.swarm.answer("go", "no")


def test_two_messages_at_once_start_one_process_and_are_both_read(world: World) -> None:
    world.new("go", "One.", "Two.", "Three.")
    world.until("go", "done")
    senders = [threading.Thread(target=world.swarm.send, args=("go", text)) for text in ("left", "right")]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    wait_until(lambda: not world.swarm.folder("go").waiting() and not world.swarm.folder("go").alive)
    assert world.swarm.find("go").state == "done"
    assert sorted("\n".join(world.asked(-1)).split("\n")) == ["go", "left", "right"]


def test_a_member_that_only_plans_has_no_worktree(world: World) -> None:
    member = world.new("look around", "Seen.", mode="plan")
    assert (member.worktree, member.cwd) == (None, str(world.repository.path))
    world.until("look-around", "done")
    with pytest.raises(ConfigError, match="has no worktree"):
        world.swarm.merge("look-around")
    assert world.swarm.remove("look") == ""
    assert world.swarm.members() == ([], [])


def test_a_failure_is_its_state_and_resume_tries_again(world: World) -> None:
    world.new("go", Turn(fault=Fault(status=400, body="no such thing")), "Now.")
    failed = world.until("go", "failed")
    assert "no such thing" in failed.error
    world.swarm.resume("go")
    assert world.until("go", "done").answer == "Now."
    assert world.asked(1) == ["go"]


def test_one_that_cannot_begin_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(NotStarted, match="OPENAI_API_KEY"):
        world.swarm.new("go", world.options().replace(base_url="", model="gpt-4o"))
    assert os.listdir(world.swarm.root) == []
    assert world.repository.git("branch", "--format=%(refname:short)") == "main"
    assert world.repository.git("worktree", "list").count("\n") == 0


def finished(world: World) -> Path:
    """A member `go` that is done, and its worktree."""
    member = world.new("go", "One.", "Two.")
    world.until("go", "done")
    return Path(member.cwd)


def test_a_worktree_that_is_gone_is_said_and_the_message_is_kept(world: World) -> None:
    folder = finished(world)
    world.repository.git("worktree", "remove", "--force", str(folder))
    with pytest.raises(NotStarted, match=r"its worktree .* is gone; what was committed is on the branch zot/go"):
        world.swarm.send("go", "again")
    world.repository.git("worktree", "add", str(folder), "zot/go")
    world.swarm.resume("go")
    wait_until(lambda: world.swarm.find("go").answer == "Two.")
    assert world.asked(1) == ["go", "again"]
    world.until("go", "done")


def test_the_work_is_committed_and_merged_and_its_branch_goes_with_it(world: World) -> None:
    (finished(world) / "new.txt").write_text("work")
    assert world.swarm.merge("go") == "1 file changed, 1 insertion(+)"
    assert (world.repository.path / "new.txt").read_text() == "work"
    assert world.repository.git("log", "-1", "--format=%s", "zot/go") == "go: go"
    assert world.swarm.merge("go") == "nothing to merge"
    assert world.swarm.left(world.swarm.find("go")) == ""
    assert world.swarm.remove("go") == ""
    assert world.repository.git("branch", "--format=%(refname:short)") == "main"


def test_a_conflict_changes_nothing_and_the_member_stays(world: World) -> None:
    (finished(world) / "a.txt").write_text("theirs")
    before = world.repository.commit("a.txt", "mine")
    with pytest.raises(WorktreeError, match=r"zot/go conflicts with a\.txt; to solve that: git merge zot/go"):
        world.swarm.merge("go")
    assert (world.repository.git("rev-parse", "HEAD"), world.repository.git("status", "--porcelain")) == (before, "")
    assert world.swarm.left(world.swarm.find("go")) == "1 commit"


def test_dropped_work_can_be_brought_back(world: World) -> None:
    (finished(world) / "new.txt").write_text("work")
    commit = world.swarm.remove("go", discard=True).split()[3]
    assert world.repository.git("branch", "--format=%(refname:short)") == "main"
    assert world.repository.git("show", f"{commit}:new.txt") == "work"


def test_a_worktree_that_the_person_has_deleted_leaves_its_branch(world: World) -> None:
    folder = finished(world)
    world.repository.commit("new.txt", "work", cwd=folder)
    shutil.rmtree(folder)
    assert world.swarm.left(world.swarm.find("go")) == "1 commit"
    assert world.swarm.merge("go") == "1 file changed, 1 insertion(+)"
    assert world.swarm.remove("go") == ""
    assert world.repository.git("worktree", "list").count("\n") == 0
    assert world.new("go", "Again.").id == "go"
    world.until("go", "done")


def test_work_that_cannot_be_committed_is_kept_until_it_is_dropped(world: World) -> None:
    folder = finished(world)
    (folder / "new.txt").write_text("work")
    world.repository.git("switch", "--quiet", "-c", "elsewhere", cwd=folder)
    with pytest.raises(ConfigError, match=r"of go is kept: its branch is no longer zot/go; --discard"):
        world.swarm.remove("go")
    assert (folder / "new.txt").read_text() == "work"
    with pytest.raises(WorktreeError, match="its branch is no longer"):
        world.swarm.merge("go")
    world.swarm.remove("go", discard=True)
    assert not folder.exists()
    assert world.repository.git("show", "elsewhere:new.txt") == "work"


def test_a_repository_that_is_gone_is_said_and_is_no_obstacle(world: World) -> None:
    folder = finished(world)
    shutil.rmtree(world.repository.path)
    assert "gone" in world.swarm.left(world.swarm.find("go"))
    with pytest.raises(ConfigError, match="is kept"):
        world.swarm.remove("go")
    world.swarm.remove("go", discard=True)
    assert not folder.exists()


def test_names_tasks_and_places_that_cannot_be_are_refused(world: World, tmp_path: Path) -> None:
    swarm, options = world.swarm, world.options()
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.raises(ConfigError, match="is in no git repository"):
        swarm.new("go", world.options(cwd=outside))
    with pytest.raises(ConfigError, match="needs a task"):
        swarm.new("  ", options)
    with pytest.raises(ConfigError, match="cannot be a name"):
        swarm.new("go", options, name="../x")
    os.makedirs(os.path.join(swarm.root, "taken"))
    with pytest.raises(ConfigError, match="there is a member taken already"):
        swarm.new("go", options, name="taken")
    os.rmdir(os.path.join(swarm.root, "taken"))
    with pytest.raises(ConfigError, match="there are 0 members already"):
        Swarm(limits=SwarmLimits(members=0)).new("go", options)
    with pytest.raises(ConfigError, match="0 members work already"):
        Swarm(limits=SwarmLimits(working=0)).new("go", options)
    with pytest.raises(UnknownName, match="unknown member of the swarm 'none'"):
        swarm.find("none")
    assert swarm.members() == ([], [])
