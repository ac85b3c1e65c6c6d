from zot_tui.text.runs import plain
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk, wrapped


class Counted(Cell):
    """Says how often it was made."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def _make(self) -> list[Chunk]:
        self.made += 1
        return [wrapped([[("text", f"made {self.made}")]])]


def test_parts_are_made_when_they_are_asked_for_and_once() -> None:
    cell = Counted()
    assert cell.made == 0

    assert cell.chunks is cell.chunks
    assert cell.made == 1


def test_parts_are_made_again_after_they_were_forgotten() -> None:
    cell = Counted()
    first = plain(cell.chunks[0].rows(20)[0])
    cell.release()

    assert (first, plain(cell.chunks[0].rows(20)[0])) == ("made 1", "made 2")


def test_a_cell_tells_that_it_was_expanded_only_if_it_was_not() -> None:
    cell = Counted()
    told: list[bool] = []
    cell.watch(lambda: told.append(cell.expanded))
    cell.expanded = True
    cell.expanded = True
    cell.expanded = False
    cell.watch(None)
    cell.expanded = True

    assert told == [True, False]
