"""What extensions draw in the conversation, with real processes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from screen import Chats

from zot_agent.config.paths import zot_home
from zot_agent.extensions.log import log_path
from zot_core.conversation.events import WidgetLine
from zot_provider.testing import Call, ScriptedServer, Turn

PAINT = """
@ext.renderer("tool_call", "bash")
def call(asked):
    return [[{"text": "RUN ", "style": "accent", "bold": True}, {"text": asked.args["command"]}], f"{asked.width} wide"]

@ext.renderer("tool_result", "*")
async def result(asked):
    if "same" in asked.text:
        return None
    if "hide" in asked.text:
        return [] if not asked.expanded else "the hidden one"
    if "long" in asked.text:
        return ["x" * 1_000_000] * 3
    if "odd" in asked.text:
        return "a\\x1b[5;5Hb \\x1b[31mred\\x1b[0m\\tc"
    if "wrong" in asked.text:
        return [5]
    if "die" in asked.text:
        os._exit(4)
    return [f"{asked.state}: {asked.text.splitlines()[0]}"]

@ext.renderer("message", "weather")
def weather(asked):
    return "☀ " + asked.text + " ☀"

@ext.command("tell")
def tell(text):
    ext.messages.send(text, custom_type="weather")

@ext.command("quietly")
def quietly(text):
    ext.messages.send(text, custom_type="weather", trigger=False)

@ext.command("unfold")
def unfold(_):
    ext.rendering.expand(not ext.rendering.expanded)

@ext.command("plainly")
def plainly(_):
    ext.call("renderers.unregister", kind="tool_call", name="bash")

@ext.command("redraw")
def redraw(_):
    ext.rendering.again("tool_call", "bash")

ext._requested += ("messages",)
"""


def says(output: str) -> Turn:
    return Turn(calls=[Call("bash", {"command": f"echo {output}"})])


async def test_calls_and_results_are_drawn_by_an_extension(chats: Chats, server: ScriptedServer) -> None:
    server.add(says("one"), "done")
    async with chats.extended(server, {"painter": PAINT}) as talk:
        await talk.send("go")
        await talk.shown("● RUN echo one")
        await talk.shown("ok: one")
        await talk.shown("78 wide")
        talk.resize(60, 24)
        await talk.shown("58 wide")
        await talk.press("/redraw<enter>")
        await talk.press("/plainly<enter>")
        await talk.until_hidden("RUN")
        await talk.shown("● bash echo one")
        await talk.shown("ok: one")


COUNTS = """
import asyncio, itertools, os

@ext.tool(description="counts", schema={"type": "object"})
async def count(args):
    for n in itertools.count(1):
        await ext.soon(ext.tools.progress, f"at {n}\\n")
        while n == 3 and not os.path.exists(args["gate"]):
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.05)

@ext.renderer("tool_progress", "count")
def progress(asked):
    last = asked.text.split()[-1]
    return f"{asked.state} {asked.expanded} [{'=' * min(int(last), 20)}]"

ext._requested += ("tools2",)
"""


async def test_the_progress_of_a_call_is_drawn_by_an_extension_until_it_ends(
    chats: Chats, server: ScriptedServer
) -> None:
    gate = chats.root / "gate"
    server.add(Turn(calls=[Call("count", {"gate": str(gate)})]), "done")
    async with chats.extended(server, {"counter": COUNTS}) as talk:
        await talk.press("go<enter>")
        await talk.shown("running False [===]")
        gate.touch()
        await talk.shown("running False [=====")
        assert "at 1" not in talk.screen()
        await talk.press("<esc>")
        await talk.until_hidden("[==")
        await talk.shown("■ count")


@pytest.mark.parametrize(
    ("output", "shown"),
    [("same", "same"), ("odd", "ab red    c"), ("wrong", "wrong"), ("long", "x" * 60), ("die", "exited with code 4")],
)
async def test_an_answer_that_is_none_or_hostile_leaves_a_whole_screen(
    chats: Chats, server: ScriptedServer, output: str, shown: str
) -> None:
    server.add(says(output), "done")
    async with chats.extended(server, {"painter": PAINT}, rows=40) as talk:
        await talk.send("go")
        await talk.shown(shown)
        if output == "die":
            await talk.until_hidden("RUN")
        await talk.shown("● bash echo die" if output == "die" else "● RUN echo " + output)
        assert "\x1b" not in talk.screen()
        await talk.press("still typing")
        assert talk.editor == "still typing"


async def test_an_empty_answer_hides_a_result_until_everything_is_expanded(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add(says("hide"), "done")
    async with chats.extended(server, {"painter": PAINT}) as talk:
        await talk.send("go")
        await talk.until(lambda: "\n  hide" not in talk.screen() and "RUN" in talk.screen())
        await talk.until(lambda: [row for row in talk.rows() if row.strip() == "hide"] == [])
        await talk.press("/unfold<enter>")
        await talk.shown("the hidden one")
        await talk.press("/unfold<enter>")
        await talk.until_hidden("the hidden one")


async def test_a_message_of_its_type_is_drawn_by_an_extension(chats: Chats, server: ScriptedServer) -> None:
    server.add("thanks")
    async with chats.extended(server, {"painter": PAINT}) as talk:
        await talk.press("/tell sunny<enter>")
        await talk.shown("☀ sunny ☀")
        await talk.shown("thanks")


async def test_a_message_that_nobody_answers_is_drawn_at_once_and_once(chats: Chats, server: ScriptedServer) -> None:
    server.add("thanks")
    async with chats.extended(server, {"painter": PAINT}) as talk:
        await talk.press("/quietly rainy<enter>")
        await talk.shown("☀ rainy ☀")
        assert "thanks" not in talk.screen()
        assert server.requests == []
        await talk.send("and?")
        await talk.shown("thanks")
        assert talk.screen().count("rainy") == 1
        await talk.press("/new<enter>")
        await talk.until_hidden("rainy")


async def test_a_late_answer_for_another_width_is_clipped_until_there_is_one_for_this_width(
    chats: Chats, server: ScriptedServer
) -> None:
    asked: dict[int, asyncio.Future[list[WidgetLine] | None]] = {}

    async def draw(members: dict[str, Any]) -> list[WidgetLine] | None:
        asked[members["width"]] = asyncio.get_running_loop().create_future()
        return await asked[members["width"]]

    server.add(says("one"), "done")
    async with chats.built(server) as talk:
        talk.access.add_renderer("slow", "tool_call", "bash", draw, 5)
        await talk.send("go")
        await talk.shown("done")
        await talk.shown("● bash echo one")  # zot's own, until there is an answer
        await talk.press("typed meanwhile")
        await talk.until(lambda: 78 in asked)
        asked[78].set_result(["wide " * 15])
        await talk.shown("wide " * 14)
        talk.resize(40, 24)
        await talk.until(lambda: 38 in asked)
        assert "● " + "wide " * 7 in talk.screen()
        assert all(len(row) <= 40 for row in talk.rows())
        asked[38].set_result(["narrow"])
        await talk.shown("● narrow")
        assert talk.editor == "typed meanwhile"


async def test_a_reload_while_a_renderer_and_a_completer_are_asked_leaves_a_whole_screen(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOT_EXT_PATIENCE", "3")  # the process waits for its handlers before it ends
    waits = """
import asyncio

@ext.renderer("tool_call", "bash")
async def call(asked):
    ext.log("drawing")
    await asyncio.sleep(1000)

@ext.completer("#")
async def complete(asked):
    ext.log("completing")
    await asyncio.sleep(1000)

@ext.command("pid")
def pid(_):
    return f"pid {os.getpid()}"
"""
    server.add(says("one"), "done")
    async with chats.extended(server, {"waits": waits}) as talk:
        await talk.send("go")
        await talk.shown("● bash echo one")
        await talk.press("see #1")
        log = Path(log_path(zot_home(), "waits"))
        while not {"drawing", "completing"} <= set(log.read_text().split()):
            await talk.settle()
            await asyncio.sleep(0.01)
        await talk.press("<ctrl+u>/reload-ext<enter>")
        await talk.shown("reloaded: 1 stopped, 1 loaded (1 ready)")
        await talk.shown("● bash echo one")
        await talk.press("/pid<enter>")
        await talk.shown("[waits] pid ")


async def test_a_renderer_that_never_answers_is_not_asked_for_ever(chats: Chats, server: ScriptedServer) -> None:
    asked: list[str] = []

    async def never(members: dict[str, Any]) -> list[WidgetLine] | None:
        asked.append(members["item"])
        raise TimeoutError("it did not answer")

    calls = [Call("bash", {"command": f"echo {n}"}) for n in range(6)]
    server.add(Turn(calls=calls), "done")
    async with chats.built(server, rows=40) as talk:
        talk.access.add_renderer("slow", "tool_call", "bash", never, 5)
        await talk.send("go")
        await talk.shown("● bash echo 5")
        for _ in range(1000):
            talk.access.render_again("slow", "tool_call", "bash")
            await talk.settle()
            if "no longer draws bash" in talk.screen():
                break
        assert len(asked) >= 5
        await talk.shown("[slow] no longer draws bash: it did not answer")
        count = len(asked)
        talk.resize(60, 40)
        await talk.settle()
        assert len(asked) == count


async def test_a_call_about_renderers_is_refused_in_one_line(chats: Chats, server: ScriptedServer) -> None:
    body = """
@ext.command("try")
def attempt(given):
    try:
        ext.call("renderers.register", **dict(each.split("=") for each in given.split()))
    except HostError as error:
        return f"{error.code}: {error}"

ext._requested += ("renderers",)
"""
    async with chats.extended(server, {"x": body}) as talk:
        await talk.press("/try kind=picture name=a<enter>")
        await talk.shown("invalid: kind must be one of tool_call, tool_progress,")
        await talk.press("<esc>/try kind=message name=" + "n" * 101 + "<enter>")
        await talk.shown("too_large: name has 101 characters; at most 100")
