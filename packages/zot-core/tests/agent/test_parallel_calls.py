import asyncio

from zot_core.agent import Agent, user_message
from zot_core.events import ToolResultEvent
from zot_core.testing import make_agent, record, run_to_end
from zot_core.testing.world import MemoryFiles
from zot_core.tools.definition.tool import tool
from zot_core.tools.read import read
from zot_core.tools.write import write
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn


class Crowd:
    """A tool whose calls count how many of them run at the same time; the call `hang` waits to be cancelled."""

    def __init__(self) -> None:
        self.most = self.running = 0
        self.hangs = asyncio.Event()

        @tool(parallel=True)
        async def join(name: str) -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                if name == "hang":
                    self.hangs.set()
                    await asyncio.Event().wait()
                for _ in range(100):  # all of them have started by then
                    await asyncio.sleep(0)
                return name
            finally:
                self.running -= 1

        self.tool = join


def texts(events: list[object]) -> list[str]:
    blocks = [block for event in events if isinstance(event, ToolResultEvent) for block in event.content]
    return [block.text for block in blocks if isinstance(block, TextBlock)]


def agent_of(crowd: Crowd, names: list[str]) -> Agent:
    calls = [Call("join", {"name": name}) for name in names]
    return make_agent(ScriptedClient([Turn(calls=calls), "ok"]), crowd.tool)


def test_of_many_calls_only_some_run_at_the_same_time() -> None:
    crowd = Crowd()
    names = [str(number) for number in range(1500)]
    assert texts([*run_to_end(agent_of(crowd, names), "hi")]) == names
    assert crowd.most == 16


def test_the_number_is_a_setting_of_the_agent() -> None:
    crowd = Crowd()
    agent = agent_of(crowd, ["a", "b", "c"])
    agent.parallel_calls = 1
    assert texts([*run_to_end(agent, "hi")]) == ["a", "b", "c"]
    assert crowd.most == 1


async def test_a_call_that_had_no_turn_yet_was_not_run_when_the_user_stops() -> None:
    crowd = Crowd()
    agent = agent_of(crowd, ["hang", "b"])
    agent.parallel_calls = 1
    events = record(agent)
    run = agent.start(user_message("hi"))
    await crowd.hangs.wait()
    agent.cancel()
    assert await run == "aborted"
    assert texts([*events]) == [
        "aborted: stopped by the user",
        "aborted: not run, the turn was stopped by the user",
    ]


def test_calls_that_touch_one_file_keep_their_order_beyond_the_number() -> None:
    calls = [Call("write", {"path": "/a", "content": f"{number}"}) for number in range(40)]
    calls = [each for call in calls for each in (call, Call("read", {"path": "/a"}))]
    agent = make_agent(ScriptedClient([Turn(calls=calls), "ok"]), read, write)
    agent.place.context = agent.context.replace(files=MemoryFiles(), cwd="/")
    agent.parallel_calls = 3
    shown = texts([*run_to_end(agent, "hi")])
    assert [text.strip() for text in shown[1::2]] == [str(number) for number in range(40)]
