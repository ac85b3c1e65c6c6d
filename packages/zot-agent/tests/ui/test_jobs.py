"""Commands in the background, on the screen."""

from pathlib import Path

from screen import Chats

from zot_provider.testing import Call, Turn

WAIT = "until [ -e go ]; do sleep 0.02; done"


def background(command: str) -> Call:
    return Call("bash", {"command": command, "background": True})


async def test_a_job_is_counted_shown_and_stopped(chats: Chats) -> None:
    async with chats.open([Turn(calls=[background("echo ready; exec sleep 1000")]), "It runs."]) as talk:
        await talk.send("serve")
        assert "1 job" in talk.status
        await talk.send("/jobs")
        await talk.shown("› 1  echo ready; exec sleep 1000")
        assert "running for" in talk.screen()
        await talk.press("<enter>")
        await talk.shown("job 1: running for")
        await talk.shown("ready\n")
        await talk.press("<esc>")
        await talk.shown("› 1  echo ready")
        await talk.press("<ctrl+d>")
        await talk.shown("stop this job?")
        await talk.press("<ctrl+d>")
        await talk.shown("stopped after")
        await talk.press("<esc>")
        await talk.shown("job 1 was stopped: echo ready")
        await talk.until(lambda: "1 job" not in talk.status)


async def test_the_end_of_a_job_is_a_note_and_once_more_in_the_stored_session(chats: Chats) -> None:
    async with chats.open(
        [Turn(calls=[background(f"{WAIT}; exit 2")]), "It runs.", "I see."], session="s.jsonl"
    ) as talk:
        await talk.send("serve")
        Path("go").touch()
        await talk.shown("job 1 has ended with exit code 2: until")
        await talk.send("and?")
        assert any(text.startswith("[in the background, job 1: ended") for text in talk.asked)
        assert "[in the background" not in talk.screen()
        assert talk.screen().count("exit code 2") == 1
    async with chats.open(session="s.jsonl") as talk:
        assert "[in the background" not in talk.screen()
        assert "job 1: ended with exit code 2" in talk.screen()


async def test_without_jobs_the_list_says_so(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/jobs")
        await talk.shown("no commands in the background")
