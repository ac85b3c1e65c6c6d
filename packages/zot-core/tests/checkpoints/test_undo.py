"""Undo and redo of files and conversation."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from saved_work import Opens, bash, opens_in, write
from waiting import PATIENCE, until

from zot_core import Conversation, Runtime, ToolContext, tool
from zot_core.checkpoints.store import CheckpointLimits
from zot_core.errors import FilesEdited, SessionError
from zot_core.events import Notice
from zot_provider.testing import Call, Turn


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture(params=["file", "memory"])
def opens(request: pytest.FixtureRequest, tmp_path: Path, work: Path) -> Opens:
    return opens_in(work, session=str(tmp_path / "talk.jsonl") if request.param == "file" else None)


def files(folder: Path) -> dict[str, str]:
    """The files below a folder with their contents, links with their targets."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes().decode("latin-1")
    return found


async def ask(rt: Runtime, text: str) -> str:
    """Ask, and wait until the changes of the last command are found."""
    answer = str(await rt.ask(text))
    assert rt.checkpoints is not None
    await rt.checkpoints.settle()
    return answer


def texts(rt: Runtime) -> list[str]:
    return [message.text for message in rt.messages]


async def test_undo_and_redo_move_files_and_conversation_together(opens: Opens, work: Path) -> None:
    (work / "a").write_text("first")
    edit = Turn(calls=[Call("edit", {"path": "a", "edits": [{"oldText": "first", "newText": "second"}]})])
    async with opens(edit, write("new/b", "b"), "done", write("a", "third"), "done too") as rt:
        await ask(rt, "one")
        assert files(work) == {"a": "second", "new/b": "b"}
        await ask(rt, "two")
        moved = await rt.branches.undo()
        assert moved.message is not None
        assert (moved.message.text, moved.restored, moved.problems) == ("two", [str(work / "a")], [])
        assert files(work) == {"a": "second", "new/b": "b"}
        assert texts(rt) == ["one", "", "", "", "", "done"]
        await rt.branches.undo()
        assert files(work) == {"a": "first"}
        assert not (work / "new").exists()
        assert texts(rt) == []
        with pytest.raises(SessionError, match="no prompt to undo"):
            await rt.branches.undo()
        await rt.branches.redo()
        await rt.branches.redo()
        assert files(work) == {"a": "third", "new/b": "b"}
        assert texts(rt)[-1] == "done too"
        with pytest.raises(SessionError, match="nothing to redo"):
            await rt.branches.redo()


async def test_commands_without_a_pause_are_undone_with_their_own_prompt(opens: Opens, work: Path) -> None:
    limits = CheckpointLimits(pause=600.0)
    first = (bash("echo 1 > a"), bash("echo 2 > b"), write("b", "own"), bash("rm a"), "one")
    async with opens(*first, bash("echo 3 > c"), bash("echo 4 > b"), "two", limits=limits) as rt:
        assert str(await rt.ask("one")) == "one"
        assert str(await rt.ask("two")) == "two"
        assert files(work) == {"b": "4\n", "c": "3\n"}
        await rt.branches.undo()
        assert files(work) == {"b": "own"}
        await rt.branches.undo()
        assert files(work) == {}
        await rt.branches.redo()
        await rt.branches.redo()
        assert files(work) == {"b": "4\n", "c": "3\n"}


async def test_what_a_command_changed_is_undone(opens: Opens, work: Path) -> None:
    (work / "kept").write_text("kept")
    (work / "gone").mkdir()
    (work / "gone" / "file").write_text("in it")
    (work / "text").write_bytes(b"a\r\n\xff\0")
    (work / "link").symlink_to("kept")
    (work / "run").write_text("#!/bin/sh\n")
    (work / ".gitattributes").write_text("* text=auto eol=lf\n")
    before = files(work)
    command = "rm -r gone; echo b > text; ln -sf nowhere link; chmod +x run; mkdir -p d/e; echo n > d/e/n; rm kept"
    command += "; mkdir kept"
    async with opens(bash(command), "done") as rt:
        await ask(rt, "go")
        after = files(work)
        await rt.branches.undo()
        assert files(work) == before
        assert not os.access(work / "run", os.X_OK)
        assert not (work / "d").exists()
        await rt.branches.redo()
        assert files(work) == after
        assert os.access(work / "run", os.X_OK)


async def test_a_file_that_the_person_edited_is_not_overwritten_without_force(opens: Opens, work: Path) -> None:
    (work / "b").write_text("b")
    async with opens(Turn(calls=[Call("write", {"path": "a", "content": "of zot"})]), bash("rm b"), "done") as rt:
        await ask(rt, "one")
        (work / "a").write_text("of the person")
        with pytest.raises(FilesEdited) as caught:
            await rt.branches.undo()
        assert caught.value.paths == [str(work / "a")]
        assert files(work) == {"a": "of the person"}
        assert len(rt.messages) > 1
        await rt.branches.undo(force=True)
        assert files(work) == {"b": "b"}
        await rt.branches.redo()
        assert files(work) == {"a": "of the person"}


async def test_no_summary_is_asked_for_before_it_is_known_that_no_file_was_edited(opens: Opens, work: Path) -> None:
    async with opens(write("a", "1"), "one", "in short") as rt, Conversation(rt) as conversation:
        await ask(rt, "one")
        (work / "a").write_text("by me")
        first = rt.messages[0].id
        with pytest.raises(FilesEdited):
            await conversation.branches.go_back(first, before=True, summarise=True)
        assert len(texts(rt)) == 4
        await conversation.branches.go_back(first, before=True, summarise=True, force=True)
        assert texts(rt)[0].endswith("in short")
        assert files(work) == {}


async def test_work_of_the_person_between_two_prompts_is_asked_about(opens: Opens, work: Path) -> None:
    async with opens(write("a", "1"), "done", write("a", "2"), "done") as rt:
        await ask(rt, "one")
        (work / "a").write_text("of the person")
        await ask(rt, "two")
        first = rt.messages[0].id
        with pytest.raises(FilesEdited):
            await rt.branches.go_back(first, before=True)
        await rt.branches.undo()
        assert files(work) == {"a": "of the person"}
        with pytest.raises(FilesEdited):
            await rt.branches.undo()


async def test_going_to_another_branch_restores_files_alone_conversation_alone_or_both(
    opens: Opens, work: Path
) -> None:
    async with opens(write("a", "1"), "one", write("a", "2"), bash("echo x > x"), "two") as rt:
        await ask(rt, "first")
        await ask(rt, "second")
        last, second = rt.messages[-1].id, next(each.id for each in rt.messages if each.text == "second")
        assert await rt.branches.files_to_restore(second, before=True) == [str(work / "a"), str(work / "x")]
        await rt.branches.go_back(second, before=True, restore="files")
        assert (files(work), texts(rt)[-1]) == ({"a": "1"}, "two")
        await rt.branches.go_back(second, before=True, restore="conversation")
        assert (files(work), texts(rt)[-1]) == ({"a": "1"}, "one")
        await rt.branches.go_back(last)
        assert (files(work), texts(rt)[-1]) == ({"a": "2", "x": "x\n"}, "two")


async def test_ignored_files_are_covered_only_if_a_file_tool_changes_them(opens: Opens, work: Path) -> None:
    (work / ".gitignore").write_text("*.log\n")
    (work / "a.log").write_text("old")
    (work / "b.log").write_text("old")
    async with opens(bash("echo new > a.log"), write("b.log", "new"), "done") as rt:
        await ask(rt, "go")
        await rt.branches.undo()
        assert files(work) == {".gitignore": "*.log\n", "a.log": "new\n", "b.log": "old"}


async def test_without_git_only_the_file_tools_are_covered(
    opens: Opens, work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "sh"):
        (programs / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(programs))
    notices: list[str] = []
    async with opens(bash("echo 1 > a"), write("b", "1"), "done") as rt:
        rt.hooks.event.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
        await ask(rt, "go")
        await rt.branches.undo()
        assert files(work) == {"a": "1\n"}
        assert notices == []


async def test_a_file_above_the_limit_is_named_and_left_as_it_is(opens: Opens, work: Path) -> None:
    (work / "big").write_text("x" * 2000)
    async with opens(bash("echo more >> big; echo y > small"), write("big", "z"), "done",
                     limits=CheckpointLimits(file_bytes=1000)) as rt:  # fmt: skip
        await ask(rt, "go")
        moved = await rt.branches.undo()
        assert moved.problems == [f"{work / 'big'}: too large to be stored"]
        assert files(work) == {"big": "z"}


async def test_a_folder_with_too_many_files_is_reported_once_and_not_covered(opens: Opens, work: Path) -> None:
    for number in range(4):
        (work / str(number)).touch()
    notices: list[str] = []
    async with opens(bash("rm 0"), bash("rm 1"), "done", limits=CheckpointLimits(files=3)) as rt:
        rt.hooks.event.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
        await ask(rt, "go")
        assert notices == ["changes of files cannot be undone: the folder has more than 3 files"]
        assert (await rt.branches.undo()).restored == []
    async with opens(bash("rm 2"), write("a", "1"), "done") as rt:  # it is not tried again on the same day
        rt.hooks.event.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
        await ask(rt, "go")
        assert notices == ["changes of files cannot be undone: the folder has more than 3 files"] * 2
        assert (await rt.branches.undo()).restored == [str(work / "a")]


async def test_a_store_that_cannot_be_written_stops_no_tool(opens: Opens, work: Path, tmp_path: Path) -> None:
    (tmp_path / "checkpoints").write_text("in the way")
    notices: list[str] = []
    async with opens(write("a", "1"), bash("echo 2 > b"), "done") as rt:
        rt.hooks.event.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
        assert await ask(rt, "go") == "done"
        assert notices == ["changes of files cannot be undone: Not a directory"]
        assert (await rt.branches.undo()).restored == []
        assert files(work) == {"a": "1", "b": "2\n"}


async def test_after_somebody_pruned_the_store_undo_says_so_and_later_prompts_are_covered(
    opens: Opens, work: Path, tmp_path: Path
) -> None:
    (work / "a").write_text("0")
    async with opens(bash("echo 1 > a"), "one", bash("echo 2 > a"), "two", bash("echo 3 > a"), "three") as rt:
        await ask(rt, "one")
        for folder in (tmp_path / "checkpoints").glob("*/objects"):
            shutil.rmtree(folder)
        moved = await rt.branches.undo()
        assert (moved.restored, moved.problems) == ([], [f"{work / 'a'}: its content is no longer stored"])
        shutil.rmtree(tmp_path / "checkpoints")
        await ask(rt, "two")
        await rt.branches.undo()
        assert files(work) == {"a": "1\n"}


async def test_undo_in_a_deleted_folder_restores_the_files(opens: Opens, work: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub" / "a").write_text("0")
    async with opens(write("sub/a", "1"), bash("rm -r sub"), "done") as rt:
        await ask(rt, "go")
        await rt.branches.undo()
        assert files(work) == {"sub/a": "0"}


async def test_a_link_put_in_place_of_a_folder_is_not_followed(opens: Opens, work: Path, tmp_path: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub" / "a").write_text("0")
    async with opens(write("sub/a", "1"), "done") as rt:
        await ask(rt, "go")
        (work / "sub").rename(tmp_path / "other")
        (work / "sub").symlink_to(tmp_path / "other")
        moved = await rt.branches.undo()
        assert moved.problems == [f"{work / 'sub' / 'a'}: its folder is now a link"]
        assert (tmp_path / "other" / "a").read_text() == "1"


async def test_a_second_undo_at_the_same_time_is_refused(opens: Opens, work: Path) -> None:
    async with opens(write("a", "1"), "one", write("a", "2"), "two") as rt:
        await ask(rt, "one")
        await ask(rt, "two")
        assert rt.checkpoints is not None
        undos = await asyncio.gather(rt.branches.undo(), rt.branches.undo(), return_exceptions=True)
        assert [type(each).__name__ for each in undos] == ["Moved", "Busy"]
        assert files(work) == {"a": "1"}


async def test_the_repository_of_the_person_is_not_touched(opens: Opens, work: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    hook = work / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    (work / "a").write_text("0")
    (work / "sub").mkdir()
    subprocess.run(["git", "-C", str(work), "add", "."], check=True)
    (tmp_path / "ran").unlink()
    before = {path: path.stat().st_mtime_ns for path in (work / ".git").rglob("*")}
    async with opens(bash("echo 1 > a; echo 2 > b"), "done") as rt:
        await ask(rt, "go")
        await rt.branches.undo()
        assert (work / "a").read_text() == "0"
        assert not (work / "b").exists()
    assert {path: path.stat().st_mtime_ns for path in (work / ".git").rglob("*")} == before
    assert not (tmp_path / "ran").exists()


async def test_commands_of_the_person_are_not_undone(opens: Opens, work: Path) -> None:
    async with opens(bash("echo 1 > a"), "done") as rt:
        await ask(rt, "go")
        context = rt.agent.context
        await context.shell.run("echo person > b", cwd=str(work), env={}, timeout=PATIENCE, output=lambda _: None)
        await context.files.write(str(work / "c"), b"person")
        await rt.branches.undo()
        assert files(work) == {"b": "person\n", "c": "person"}


async def test_what_a_command_changed_is_found_before_a_command_in_another_folder_starts(
    opens: Opens, work: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()

    @tool
    async def move(context: ToolContext) -> str:
        """Run a command here, and one in another folder."""
        for folder in (work, tmp_path / "other"):
            rt.agent.place.change(cwd=str(folder))
            await context.shell.run("echo 1 > a", cwd=str(folder), env={}, timeout=PATIENCE, output=lambda _: None)
        return "done"

    limits = CheckpointLimits(pause=600.0)
    async with opens(Turn(calls=[Call("move", {})]), "done", tools=[move], limits=limits) as rt:
        await ask(rt, "go")
    assert [path.name for path in (tmp_path / "checkpoints").glob("*/index*")] == ["index", "index"]


async def test_commands_that_run_at_the_same_time_are_covered(opens: Opens, work: Path) -> None:
    @tool(parallel=True)
    async def sh(command: str, context: ToolContext) -> str:
        """Run a command."""
        await context.shell.run(command, cwd=context.cwd, env={}, timeout=PATIENCE, output=lambda _: None)
        return "done"

    first, second = "echo 1 > a; echo > pipe; read x < back", "read x < pipe; echo 2 > b; echo > back"
    calls = [Call("sh", {"command": command}) for command in (first, second)]
    for name in ("pipe", "back"):
        os.mkfifo(work / name)
    async with opens(Turn(calls=calls), "done", tools=[sh]) as rt:
        await ask(rt, "go")
        assert (work / "b").exists()
        await rt.branches.undo()
        assert files(work) == {}


async def test_many_files_are_stored_together_and_restored(opens: Opens, work: Path, tmp_path: Path) -> None:
    for number in range(120):
        (work / f"{number}.txt").write_text(f"{number}\n")
    (work / "empty.txt").touch()
    before = files(work)
    async with opens(bash("rm *.txt; echo new > 7.txt"), "done") as rt:
        await ask(rt, "go")
        assert len(list(tmp_path.glob("checkpoints/*/objects/pack/*.pack"))) == 1
        assert sum(1 for _ in tmp_path.glob("checkpoints/*/objects/??/*")) < 10
        moved = await rt.branches.undo()
        assert (len(moved.restored), moved.problems) == (121, [])
        assert files(work) == before


async def test_a_git_that_was_killed_while_it_wrote_the_index_stops_nothing(
    opens: Opens, work: Path, tmp_path: Path
) -> None:
    async with opens(bash("echo 1 > a"), "done", bash("echo 2 > a"), "done") as rt:
        await ask(rt, "one")
        (index,) = tmp_path.glob("checkpoints/*/index-*")
        Path(f"{index}.lock").touch()
        await ask(rt, "two")
        await rt.branches.undo()
        assert files(work) == {"a": "1\n"}


async def test_a_damaged_index_is_replaced(opens: Opens, work: Path, tmp_path: Path) -> None:
    async with opens(bash("echo 1 > a"), "done", bash("echo 2 > a"), "done") as rt:
        await ask(rt, "one")
        (index,) = tmp_path.glob("checkpoints/*/index-*")
        index.write_bytes(b"DIRC damaged")
        await ask(rt, "two")
        await rt.branches.undo()
        assert files(work) == {"a": "1\n"}
    (index,) = tmp_path.glob("checkpoints/*/index")
    index.write_bytes(b"damaged")
    async with opens(bash("echo 3 > a"), "done") as rt:
        await ask(rt, "three")
        await rt.branches.undo()
        assert files(work) == {"a": "1\n"}


async def test_a_file_that_changes_while_git_stores_it_is_no_work_of_the_person(
    opens: Opens, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git, late = tmp_path / "bin" / "git", tmp_path / "late"
    git.parent.mkdir()
    git.write_text(f"""#!/bin/sh
case "$*" in *update-index*) [ ! -e {late} ] || mv {late} {work / "a"} ;; esac
exec {shutil.which("git")} "$@"
""")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    async with opens(bash(f"echo 1 > a; echo 22 > {late}"), "one") as rt:
        await ask(rt, "one")
        assert files(work) == {"a": "22\n"}
        await rt.branches.undo()
        assert files(work) == {}


async def test_a_command_that_is_cancelled_is_covered(opens: Opens, work: Path) -> None:
    async with opens(bash("echo 1 > a; touch ready; exec sleep 60"), "done") as rt:
        run = rt.prompt("go")
        await until((work / "ready").exists)
        rt.cancel()
        await run
        await rt.branches.undo()
        assert files(work) == {}


async def test_what_a_command_changes_in_the_background_is_not_taken_for_the_work_of_later_ones(
    opens: Opens, work: Path
) -> None:
    background = {"command": "read x < pipe; echo $x > late; echo > back", "background": True}
    later = bash("echo now > pipe; read x < back; echo 1 > a")
    for name in ("pipe", "back"):
        os.mkfifo(work / name)
    async with opens(Turn(calls=[Call("bash", background)]), later, bash("echo 2 > b"), "done") as rt:
        await ask(rt, "go")
        (work / "mine").write_text("mine")
        moved = await rt.branches.undo()
        assert moved.message is not None
        assert moved.message.text == "go"
        assert files(work)["mine"] == "mine"
        assert not {"a", "b"} & files(work).keys()
