import asyncio
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zot_agent.ui.cells.history_pager import PAGE, HistoryPager
from zot_provider.messages import Message, Role, TextBlock
from zot_tui.text.runs import plain
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.cells import NoteCell
from zot_tui.widgets.transcript.transcript import Transcript

TURN: list[Role] = ["user", "assistant"]


class Scene:
    """A transcript over a conversation whose cells say which message they are of."""

    def __init__(self, *roles: Role) -> None:
        self.messages = [Message(role, [TextBlock(f"m{number}")]) for number, role in enumerate(roles)]
        self.transcript = Transcript()
        self.made: list[int] = []
        self.past = HistoryPager(self.transcript, self.cells)
        self.transcript.older_wanted.connect(self.past.more)

    def cells(self, messages: Sequence[Message]) -> list[Cell]:
        self.made.append(len(messages))
        return [NoteCell(message.text) for message in messages]

    @property
    def shown(self) -> list[str]:
        return [line for row in self.transcript.last_rows(20, 100_000) if (line := plain(row).rstrip())]


def test_a_short_conversation_is_there_at_once() -> None:
    scene = Scene("user", "assistant")
    scene.past.show(scene.messages)
    assert [line.strip() for line in scene.shown] == ["m0", "m1"]
    assert not scene.transcript.older


def test_of_a_long_conversation_the_end_comes_first_and_more_when_one_scrolls_up() -> None:
    scene = Scene(*TURN * PAGE)
    scene.past.show(scene.messages)
    assert scene.made == [PAGE]
    assert scene.transcript.older
    scene.transcript.render((20, 10))
    for _ in range(PAGE):
        scene.transcript.page(-1)
        scene.transcript.render((20, 10))
    assert scene.made == [PAGE, PAGE]
    assert [line.strip() for line in scene.shown] == [f"m{number}" for number in range(2 * PAGE)]
    assert not scene.transcript.older


def test_results_are_not_parted_from_their_calls() -> None:
    roles: list[Role] = [*TURN, "tool", "tool", "tool"]
    roles += ["assistant"] * (PAGE - 1)
    scene = Scene(*roles)
    scene.past.show(scene.messages)
    assert scene.made == [PAGE + 3]


def test_the_first_message_of_all_is_one_key_away() -> None:
    scene = Scene(*TURN * 3 * PAGE)
    scene.past.show(scene.messages)
    scene.transcript.render((20, 10))
    scene.transcript.home()
    assert b"m0" in scene.transcript.render((20, 10)).text[0]
    assert sum(scene.made) == len(scene.messages)


def test_all_of_it_can_be_had() -> None:
    scene = Scene(*TURN[:1] * (3 * PAGE + 1))
    scene.past.show(scene.messages)
    scene.past.all()
    scene.past.all()
    assert scene.made == [PAGE, PAGE, PAGE, 1]


def numbers(scene: Scene) -> list[str]:
    return [cell.text for cell in scene.transcript.cells if isinstance(cell, NoteCell)]


ROLES = st.lists(st.sampled_from(["user", "assistant", "tool"]), min_size=1, max_size=700)


@given(ROLES, st.lists(st.integers(0, 699), max_size=6))
def test_messages_that_are_gone_to_are_there_and_all_are_there_once_and_in_order_at_the_end(
    roles: list[Role], opened: list[int]
) -> None:
    scene = Scene(*roles)
    scene.past.show(scene.messages)
    for number in opened:
        at = number % len(roles)
        scene.past.open(at)
        shown = numbers(scene)
        assert f"m{at}" in shown
        assert shown == sorted(set(shown), key=lambda text: int(text[1:]))
        unread = sum(len(each) for each in scene.past.unread)
        assert len(shown) + unread == len(roles)
        assert all(f"m{each}" not in shown for numbers in scene.past.unread for each in numbers)
    scene.past.all()
    assert numbers(scene) == [f"m{number}" for number in range(len(roles))]
    assert scene.past.unread == []
    assert not scene.transcript.older


async def test_every_message_passes_by_when_one_scrolls_up_over_what_was_left_out() -> None:
    scene = Scene(*TURN * (4 * PAGE))
    scene.past.show(scene.messages)
    scene.transcript.render((20, 10))
    scene.past.open(3)
    seen: list[str] = []
    for _ in range(12 * PAGE):
        rows = [b"".join(text for _, _, text in row).decode().split("%")[0].split() for row in drawn(scene)]
        above = [row[0] for row in rows if row and row[0].startswith("m")]
        seen = [*[each for each in above if each not in seen[:20]], *seen]
        scene.transcript.scroll(-5)
        await asyncio.sleep(0)
    assert seen == [f"m{number}" for number in range(8 * PAGE)]


def drawn(scene: Scene) -> Sequence[Any]:
    return list(scene.transcript.render((20, 10)).content())
