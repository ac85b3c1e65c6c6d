"""The folder of a member: its state, its lock, its inbox."""

import json
import os
from pathlib import Path

import pytest

from zot_agent.config.paths import worktrees_root
from zot_agent.host.options import HostOptions
from zot_agent.swarm.folder import MemberFolder, MemberInUse
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member, read_member, stored_options
from zot_agent.swarm.swarm import Swarm
from zot_agent.swarm.words import question_text, status
from zot_core.machine.worktrees import Worktree
from zot_provider.errors import ConfigError, ZotError


@pytest.fixture
def folder(tmp_path: Path) -> MemberFolder:
    """The folder of a new member."""
    made = MemberFolder(str(tmp_path / "swarm" / "one"), SwarmLimits(messages=2, message_bytes=100))
    (tmp_path / "swarm").mkdir()
    made.create()
    made.write(Member("one", "the task", "/p", "/p", "done"))
    return made


def test_a_state_that_is_written_is_read_again(folder: MemberFolder) -> None:
    question = {"request": "permission-1", "tool": "bash", "args": {"command": "ls"}, "reason": "why"}
    member = Member(
        "one", "ä \ud800 task", "/p", "/q", "failed", error="no", cost_usd=None, question=question, tokens=3
    )
    folder.write(member)
    read = folder.read()
    assert read == member.replace(task="ä \ufffd task")
    assert (status(read), question_text(read)) == ("failed: no", "bash ls (why)")


def test_a_member_whose_process_has_ended_in_its_work_is_interrupted(folder: MemberFolder) -> None:
    folder.write(Member("one", "the task", "/p", "/p", "working", question={"request": "1"}))
    assert (folder.read().state, folder.read().question) == ("interrupted", None)
    with folder.locked():
        assert folder.read().state == "working"
    folder.write(Member("one", "the task", "/p", "/p"))
    assert folder.read().state == "starting"
    folder.limits.start_seconds = 0.0
    assert folder.read().state == "interrupted"


def test_one_process_holds_the_lock_and_others_can_wait_for_it(folder: MemberFolder) -> None:
    with folder.locked():
        with pytest.raises(MemberInUse, match="one works now"), folder.locked():
            pass
        assert not folder.wait_free(0.01)
    assert folder.wait_free(0.0)
    with folder.locked(5.0):
        assert folder.alive
    folder.remove()
    with pytest.raises(ConfigError, match="cannot be opened"), folder.locked():
        pass


def test_messages_wait_in_order_and_are_limited(folder: MemberFolder) -> None:
    names = [folder.put({"text": text}) for text in ("one", "two")]
    assert folder.waiting() == names
    assert folder.message(names[0]) == {"text": "one"}
    with pytest.raises(ConfigError, match="2 messages wait for one already"):
        folder.put({"text": "three"})
    folder.drop(names[0])
    folder.drop(names[0])
    with pytest.raises(ConfigError, match="longer than 100 bytes"):
        folder.put({"text": "x" * 100})
    (Path(folder.inbox) / names[1]).write_text("[")
    assert folder.message(names[1]) == {}


def test_what_cannot_be_written_is_an_error_of_one_line(folder: MemberFolder) -> None:
    os.rmdir(folder.inbox)
    assert folder.waiting() == []
    with pytest.raises(ZotError, match="cannot store the message for one: No such file"):
        folder.put({"text": "one"})


def test_nobody_is_woken_where_nobody_reads(folder: MemberFolder) -> None:
    assert not folder.wake()
    pipe = folder.open_pipe()
    assert folder.wake()
    assert os.read(pipe, 9) == b"!"
    os.close(pipe)
    assert not folder.wake()
    os.unlink(folder.pipe)
    Path(folder.pipe).mkdir()
    assert folder.open_pipe() == -1


GOOD = Member("one", "t", "/p", "/p").fields()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "damaged"),
        (GOOD | {"version": 2}, "of a newer zot"),
        (GOOD | {"version": "x"}, "damaged"),
        (GOOD | {"state": "flying"}, "damaged"),
        (GOOD | {"task": 3}, "damaged: task"),
        (GOOD | {"question": "what?"}, "damaged: question"),
        ({"version": 1, "id": "one"}, "damaged"),
    ],
)
def test_a_damaged_state_is_said_and_hides_no_other(folder: MemberFolder, value: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_member(value, "member.json")
    path = Path(folder.path) / "member.json"
    path.write_text(json.dumps(value))
    swarm = Swarm(os.path.dirname(folder.path))
    other = swarm.folder("one").path.replace("one", "two")
    os.mkdir(other)
    (Path(other) / "member.json").write_text(json.dumps(GOOD | {"id": "two"}))
    (Path(other) / "lock").touch()
    found, problems = swarm.members()
    assert ([each.id for each in found], len(problems)) == (["two"], 1)
    with pytest.raises(ConfigError, match="--discard removes it as it is"):
        swarm.remove("one")
    assert "member.json" in swarm.remove("one", discard=True)
    assert swarm.members()[1] == []


def test_a_state_of_another_member_is_not_taken_for_its_own(folder: MemberFolder) -> None:
    (Path(folder.path) / "member.json").write_text(json.dumps(GOOD | {"id": "two"}))
    with pytest.raises(ConfigError, match="belongs to another member, two"):
        folder.read()


def test_options_are_stored_without_keys_and_checked(folder: MemberFolder) -> None:
    options = HostOptions(model="m", api_key="secret", tools=["read"], session="x", max_steps=3, cwd="/q")
    stored = stored_options(options)
    assert stored == {"model": "m", "tools": ["read"], "max_steps": 3}
    member = Member("one", "t", "/p", "/w", worktree={"folder": "/w"}, options=stored)
    assert member.host_options == HostOptions(model="m", tools=["read"], max_steps=3, cwd="/w", project="/p")
    for wrong in ({"api_key": "x"}, {"model": 3}, {"no_ext": "yes"}):
        with pytest.raises(ConfigError, match="cannot be used"):
            Member("one", "t", "/p", "/w", options=wrong).host_options  # noqa: B018


def test_members_are_found_by_the_beginning_of_their_id(folder: MemberFolder) -> None:
    root = os.path.dirname(folder.path)
    for name in ("fix", "fix-2", ".hidden", "UPPER"):
        os.mkdir(os.path.join(root, name))
    swarm = Swarm(root)
    assert (swarm.folder("o").id, swarm.folder("fix").id, swarm.folder("fix-").id) == ("one", "fix", "fix-2")
    with pytest.raises(ConfigError, match="several members begin with 'f': fix, fix-2"):
        swarm.folder("f")
    for name in ("", ".hidden", "UPPER", "../x"):
        with pytest.raises(ConfigError, match="unknown member"):
            swarm.folder(name)


def test_the_worktree_of_a_state_is_one_of_the_swarm(folder: MemberFolder) -> None:
    own = {"folder": f"{worktrees_root()}/p/one", "branch": "zot/one", "base": "b", "repository": "/p", "git": "/g"}
    assert Member("one", "t", "/p", "/p", worktree=own).tree == Worktree(**own)
    for wrong in ({"folder": "/p"}, {"folder": f"{worktrees_root()}/../p"}, {"branch": "main"}, {"git": ""}):
        with pytest.raises(ConfigError, match="worktree of one is damaged"):
            Member("one", "t", "/p", "/p", worktree={**own, **wrong}).tree  # noqa: B018
