#!/usr/bin/env python3
"""Tic-tac-toe against the model: you play in an overlay, the model with the tool `tic_tac_toe`."""

import threading
from collections.abc import Mapping, Sequence

from zot_ext import Extension, PanelKey, PanelMouse, Response, error

Line = str | Sequence[Mapping[str, object]]

ext = Extension("tic-tac-toe", "1.0.0", capabilities=("submit",))
CELL = 9  # columns
panel = ext.panel(
    "board", "Tic-tac-toe", "arrows, enter · q ends", mode="overlay", width=3 * CELL, anchor="right_center"
)

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
STEPS = {"left": -1, "right": 1, "up": -3, "down": 3}
STYLES = {"X": "success", "O": "error", "": "dim"}


class Board:
    """The cells, and the one that is chosen. The person is X and begins. Both may play at once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.start()

    def start(self) -> None:
        self.cells, self.at = [""] * 9, 4

    @property
    def winner(self) -> str:
        """`X`, `O`, `nobody` if the board is full, or empty."""
        for a, b, c in LINES:
            if self.cells[a] and self.cells[a] == self.cells[b] == self.cells[c]:
                return self.cells[a]
        return "" if "" in self.cells else "nobody"

    @property
    def turn(self) -> str:
        return "X" if self.cells.count("X") == self.cells.count("O") else "O"

    def put(self, cell: int, mark: str) -> str:
        """Put a mark; return why not, or nothing."""
        if self.winner:
            return "the game is over"
        if self.turn != mark:
            return f"it is the turn of {self.turn}"
        if not 0 <= cell < 9 or self.cells[cell]:
            return f"cell {cell + 1} is not free"
        self.cells[cell] = mark
        return ""

    def text(self) -> str:
        marks = [mark or str(number) for number, mark in enumerate(self.cells, 1)]
        return "\n".join(" ".join(marks[row : row + 3]) for row in (0, 3, 6))


board = Board()


@panel.on_render
def lines() -> list[Line]:
    with board.lock:
        rows: list[Line] = []
        for row in (0, 3, 6):
            spans = []
            for cell in range(row, row + 3):
                mark = board.cells[cell]
                chosen = cell == board.at and panel.focused
                spans.append(
                    {"text": (mark or "·").center(CELL), "style": STYLES[mark], "inverse": chosen, "bold": bool(mark)}
                )
            rows += [spans, ""]
        state = {"X": "you win", "O": "the model wins", "nobody": "nobody wins"}.get(board.winner)
        rows[-1] = [{"text": state or ("your turn" if board.turn == "X" else "the model thinks"), "style": "muted"}]
        return rows


def play(cell: int) -> None:
    with board.lock:
        board.at = cell
        if board.put(cell, "X") or board.winner:
            return
        shown = board.text()
    ext.submit(f"I put X into cell {cell + 1}. The board:\n{shown}\nPut your O with the tool tic_tac_toe.")


@panel.on_key
def key(press: PanelKey) -> None:
    if press.text == "q":
        panel.close()
    elif press.key in STEPS:
        board.at = (board.at + STEPS[press.key]) % 9
    elif press.text.isdecimal() and press.text != "0":
        play(int(press.text) - 1)
    elif press.key == "enter" or press.text == " ":
        play(board.at)


@panel.on_mouse
def mouse(event: PanelMouse) -> None:
    if event.action == "press" and event.row % 2 == 0 and event.row < 6:
        play(event.row // 2 * 3 + event.column // CELL)


@ext.tool
def tic_tac_toe(cell: int) -> object:
    """Put your O into a cell of the board, 1 to 9 from the top left."""
    with board.lock:
        problem = board.put(cell - 1, "O")
        panel.refresh()
        return error(problem) if problem else f"{board.text()}\nwinner: {board.winner or 'not yet'}"


@ext.command("tic-tac-toe", "plays against the model")
def start(_: str) -> Response:
    with board.lock:
        board.start()
    return panel.open()


if __name__ == "__main__":
    ext.run()
