"""The instructions of a folder below the working directory come with the first result that touches it."""

from pathlib import Path

import pytest

from zot_core.display import DisplayBlock, TerminalDisplay, recalled_display
from zot_core.events import AgentEvent, ToolResultEvent
from zot_core.prompt.nearest_files import NearestInstructions, NearestLimits
from zot_core.runtime.runtime import Runtime
from zot_core.runtime.subagents.inherit import inherit
from zot_core.tools.definition.attached_files import written
from zot_provider.messages import ToolCallBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "AGENTS.md").write_text("of the top")
    for folder, text in (("api", "use tabs"), ("api/v2", "use blanks"), ("web", "no jquery")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "AGENTS.md").write_text(f"{text}\n")
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    return tmp_path


async def results(project: Path, *calls: Call, trusted: bool = True, limits: NearestLimits | None = None) -> list[str]:
    """The texts of the results of these calls, one a turn."""
    client = ScriptedClient([*(Turn(calls=[call]) for call in calls), "done"])
    async with Runtime("any", client=client, cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: trusted, limits=limits).attach()
        await runtime.ask("go")
        blocks = [block for message in runtime.messages if message.role == "tool" for block in message.content]
    return ["\n".join(each.text for each in block.content) for block in blocks]  # type: ignore[union-attr]


API = "[Instructions from api/AGENTS.md, for work in api:]\nuse tabs"
V2 = "[Instructions from api/v2/AGENTS.md, for work in api/v2:]\nuse blanks"


async def test_the_first_result_in_a_folder_has_its_instructions_the_nearest_last(project: Path) -> None:
    first, again, other = await results(
        project,
        Call("read", {"path": "api/v2/a.py"}),
        Call("edit", {"path": "api/v2/a.py", "edits": [{"oldText": "1", "newText": "2"}]}),
        Call("read", {"path": "AGENTS.md"}),
    )
    assert first == f"x = 1\n\n{API}\n{V2}"
    assert "Instructions" not in again
    assert other == "of the top\n"


@pytest.mark.parametrize(
    "call",
    [
        Call("grep", {"pattern": "x ="}),
        Call("ls", {"path": "api"}),
        Call("bash", {"command": "cd api && true"}),
        Call("write", {"path": "api/new.py", "content": "y"}),
        Call("write", {"path": "api/a.py", "content": "y"}),  # refused: it was never read
        Call("edit", {"path": "api/a.py", "edits": [{"oldText": "gone", "newText": "y"}]}),
    ],
)
async def test_a_search_a_listing_a_command_and_a_new_file_touch_a_folder(project: Path, call: Call) -> None:
    (text,) = await results(project, call)
    assert API in text


async def test_what_is_not_there_or_not_trusted_brings_no_instructions(project: Path) -> None:
    calls = [Call("read", {"path": "api/gone.py"}), Call("bash", {"command": "cd gone && false"})]
    assert all("Instructions" not in text for text in await results(project, *calls))
    assert await results(project, Call("read", {"path": "api/a.py"}), trusted=False) == ["x = 1\n"]
    assert await results(project, Call("read", {"path": "api/AGENTS.md"})) == ["use tabs\n"]


async def test_instructions_are_bounded_and_a_link_that_leads_out_is_not_followed(project: Path) -> None:
    (project / "api" / "AGENTS.md").write_text("é" * 100)
    (project / "secret.txt").write_text("a secret")
    inner = project / "web"
    (inner / "sub").mkdir()
    (inner / "sub" / "AGENTS.md").symlink_to(project / "secret.txt")
    (inner / "sub" / "a.py").write_text("x\n")
    limits = NearestLimits(bytes=20)
    (text,) = await results(project, Call("read", {"path": "api/a.py"}), limits=limits)
    assert text.endswith("ééé\n... [only its first 20 bytes]")
    (text,) = await results(inner, Call("read", {"path": "sub/a.py"}))
    assert text == "x\n"


async def test_after_a_compaction_they_come_again(project: Path) -> None:
    read = Turn(calls=[Call("read", {"path": "api/a.py"})])
    client = ScriptedClient([read, "one", "two", "three", "## Goal\n\nnone", read, "four"])
    async with Runtime("any", client=client, cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        await runtime.ask("go")
        await runtime.ask("more")
        await runtime.ask("still more")
        await runtime.compact()
        await runtime.ask("again")
        (result,) = runtime.messages[-2].content
        assert [each.text for each in result.content][1:] == [API]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "call",
    [
        Call("read", {"path": "api/a.py"}),
        Call("write", {"path": "api/new.py", "content": "y\n"}),
        Call("edit", {"path": "api/a.py", "edits": [{"oldText": "x = 1", "newText": "x = 2"}]}),
        Call("read", {"path": "api/old.txt"}),
        Call("bash", {"command": "cd api && echo '[note: it is said]'"}),
    ],
)
async def test_a_stored_result_with_additions_for_the_model_is_shown_as_it_was_at_first(
    project: Path, call: Call
) -> None:
    (project / "api" / "old.txt").write_bytes(b"caf\xe9\n")  # a note says in which encoding it is
    client = ScriptedClient([Turn(calls=[call]), "done"])
    async with Runtime("any", client=client, cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        events: list[AgentEvent] = []
        runtime.agent.hooks.event.add(events.append)
        await runtime.ask("go")
        blocks = [block for message in runtime.messages for block in message.content]
        (made,) = (block for block in blocks if isinstance(block, ToolCallBlock))
        (result,) = (block for block in blocks if isinstance(block, ToolResultBlock))
        assert API in [each.text for each in result.content]  # type: ignore[union-attr]
        (first,) = (event for event in events if isinstance(event, ToolResultEvent))
        again = recalled_display(made, result, runtime.agent.tools)
    assert [_to_a_tenth(each) for each in again] == [_to_a_tenth(each) for each in first.display]


def _to_a_tenth(block: DisplayBlock) -> DisplayBlock:
    return block.replace(duration=round(block.duration, 1)) if isinstance(block, TerminalDisplay) else block


@pytest.mark.parametrize(
    "command",
    [
        "cd api && false",
        "(cd api && ls)",
        "cd 'api' && ls",
        'echo a; cd "api"',
        "cd api 2>/dev/null && ls",
        "cd api || exit",
        "cd -- api",
        "true ./api/...",
        "# Let's look\nls api # that's it",
        "pushd api >/dev/null",
        "git -C api status",
        "make -Capi",
        "make --directory=api",
        "cat api/a.py",
        "sed -n 1p < api/a.py",
        "python3 -c 'print(open(\"api/a.py\").read())'",
        "for each in api/*.py; do wc $each; done",
        'cat "$PWD/api/a.py"; cat "api"/a.py',
        'cd "$PWD/api" && ls',
        "cat $(pwd)/api/a.py",
        "bash -c 'cd api; ls'",
        "grep -rn 'x =' . | grep -v web",
        "grep -n 'x =' */a.py",
        "grep -rl 'x =' . | grep -v web",
        "grep -n x -r --files-with-matches --include='*.py' .",
        "grep -rn x api",
        "/usr/bin/env LC_ALL=C ls -la api",
        "ls -d -- 'api' web/a.py",
        "true --prefix api",
        "cat $HOME/api/a.py",
        'cat "${HOME}/api/a.py"',
        "cd ~/api",
        "printf '%s:1: bad\\n' a*/a.py",
    ],
)
async def test_a_command_touches_the_folders_that_it_names_and_those_of_the_rows_that_it_prints(
    project: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    (result,) = await results(project, Call("bash", {"command": command}))
    assert API in result


async def test_what_a_command_names_or_prints_may_begin_in_a_folder_that_it_goes_to(project: Path) -> None:
    (project / "my api").mkdir()
    (project / "my api" / "AGENTS.md").write_text("mind the gap")
    calls = ["cd api && cat v2/a.py", "git -C api grep --no-index -n x -- v2", "cat my\\ api/AGENTS.md >/dev/null"]
    first, second, third = [await results(project, Call("bash", {"command": each})) for each in calls]
    assert f"{API}\n{V2}" in first[0]
    assert f"{API}\n{V2}" in second[0]
    assert "for work in my api:]\nmind the gap" in third[0]


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "printf '10:30:11 done\\nnothing:3: bad\\n'",
        "true -m 'docs: say what the api and web do'",
        "true -m 'docs: say more\n\nIt is about the api\nand ls web'",
        "true test api",
        "API=api true --for api",
        "ls; true api",
        "true # see api/a.py",
        "grep -n api AGENTS.md",
        "grep -rn 'web' AGENTS.md",
        "true -lapi api",
        "ls AGENTS.md; true -mapi",
        "cat ../api/a.py /etc/hostname",
        "ls -a . ..",
        'echo $api "$api"',
    ],
)
async def test_a_command_that_names_nothing_below_touches_nothing(project: Path, command: str) -> None:
    (result,) = await results(project, Call("bash", {"command": command}))
    assert "Instructions" not in result


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (Call("bash", {"command": "cat api/AGENTS.md"}), False),
        (Call("write", {"path": "api/AGENTS.md", "content": "use blanks\n"}), False),
        (Call("bash", {"command": "wc -l api/AGENTS.md"}), True),
        (Call("grep", {"pattern": "tabs", "path": "api"}), True),
    ],
)
async def test_instructions_that_the_call_itself_has_shown_do_not_come_twice(
    project: Path, call: Call, told: bool
) -> None:
    (project / "api" / "AGENTS.md").write_text("use tabs\nand no semicolons\n")
    (result,) = await results(project, call)
    assert ("Instructions" in result) == told


async def test_the_words_and_rows_that_are_looked_at_are_bounded(project: Path) -> None:
    limits = NearestLimits(words=3, hits=1)
    many = await results(project, Call("bash", {"command": "ls -d 1/ 2/ 3/ api"}), limits=limits)
    rows = await results(project, Call("bash", {"command": "printf '%s:1: x\\n' x/x a*/a.py"}), limits=limits)
    assert "Instructions" not in many[0] + rows[0]


async def test_where_not_all_fit_the_nearest_ones_come_first(project: Path) -> None:
    limits = NearestLimits(files=1)
    first, second = await results(
        project, *[Call("read", {"path": f"api/v2/{name}"}) for name in ("a.py", "")], limits=limits
    )
    assert first == f"x = 1\n\n{V2}"
    assert second.endswith(API)


async def test_a_sub_agent_gets_them_once_and_after_a_compaction_again(project: Path) -> None:
    async def read(runtime: Runtime) -> str:
        await runtime.ask("go")
        (result,) = runtime.messages[-2].content
        return "\n".join(each.text for each in result.content)  # type: ignore[union-attr]

    turns = [Turn(calls=[Call("read", {"path": "api/a.py"})]), Turn("done")]
    below = ScriptedClient([*turns, *turns, *turns, "## Goal\n\nnone", *turns])
    async with (
        Runtime("any", client=ScriptedClient(turns), cwd=project) as above,
        Runtime("any", client=below, cwd=project) as runtime,
    ):
        NearestInstructions(above.agent, lambda: True).attach()
        inherit(runtime.agent, above.agent, "1")
        assert API in await read(above)
        assert API in await read(runtime)
        assert API not in await read(runtime)
        await read(runtime)
        await runtime.compact()
        assert API in await read(runtime)
        assert len((await above.branches.tree()).path()) == len(above.messages)  # its session is not compacted


async def test_a_conversation_that_has_lost_them_gets_them_again_and_one_that_goes_on_does_not(project: Path) -> None:
    async def read(runtime: Runtime) -> str:
        await runtime.ask("go")
        (result,) = runtime.messages[-2].content
        return "\n".join(each.text for each in result.content)  # type: ignore[union-attr]

    def client() -> ScriptedClient:
        return ScriptedClient([Turn(calls=[Call("read", {"path": "api/a.py"})]), Turn("done")], repeat=True)

    async with Runtime("any", client=client(), cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        assert API in await read(runtime)
        runtime.clear()
        assert API in await read(runtime)
        assert API not in await read(runtime)
        messages = runtime.messages
    async with Runtime("any", client=client(), cwd=project, messages=messages) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        assert API not in await read(runtime)


async def test_a_file_that_a_prompt_has_brings_the_instructions_behind_the_prompt_once(project: Path) -> None:
    async def asked(runtime: Runtime, prompt: str) -> list[str]:
        before = len(runtime.messages)
        await runtime.ask(prompt)
        return [each.text for each in runtime.messages[before + 1 : -1]]

    prompt = f"Change it.\n\n{written('api/v2/a.py', 'x = 1')}"
    async with Runtime("any", client=ScriptedClient(["ok"], repeat=True), cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        assert await asked(runtime, prompt) == [f"{API}\n{V2}"]
        assert await asked(runtime, prompt) == []
        assert await asked(runtime, written("web/AGENTS.md", "no jquery")) == []
        messages = runtime.messages
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "api/a.py"})]), "ok"])
    async with Runtime("any", client=client, cwd=project, messages=messages) as runtime:
        NearestInstructions(runtime.agent, lambda: True).attach()
        assert not any(API in text for text in await asked(runtime, "go"))
        runtime.clear()
    async with Runtime("any", client=ScriptedClient(["ok"]), cwd=project) as runtime:
        NearestInstructions(runtime.agent, lambda: False).attach()
        assert await asked(runtime, prompt) == []
