#!/usr/bin/env python3
"""Space invaders in an overlay, drawn thirty times a second."""

from collections.abc import Mapping, Sequence

from zot_ext import Extension, PanelKey, Response

Line = str | Sequence[Mapping[str, object]]

ext = Extension("space-invaders", "1.0.0")
WIDTH, HEIGHT = 44, 18
EVERY = 10  # ticks for a step of the invaders
panel = ext.panel(
    "space",
    "Space invaders",
    "← → · space fires · p pauses · q ends",
    mode="overlay",
    width=WIDTH,
    height=HEIGHT + 1,
    min_terminal_width=WIDTH + 2,
)


class Game:
    """Where everybody is. A shot goes up a row with each tick, a bomb down a row with every third."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.ship, self.ticks, self.score, self.way = WIDTH // 2, 0, 0, 1
        self.invaders = {(4 * column + 2, row) for column in range(8) for row in (1, 3, 5)}
        self.shots: set[tuple[int, int]] = set()
        self.bombs: set[tuple[int, int]] = set()
        self.end, self.paused = "", False

    def fire(self) -> None:
        if len(self.shots) < 3:
            self.shots.add((self.ship, HEIGHT - 2))

    def tick(self) -> None:
        if self.end or self.paused:
            return
        self.ticks += 1
        self.shots = {(x, y - 1) for x, y in self.shots if y > 0}
        hit = {each for each in self.invaders if each in self.shots or (each[0] + 1, each[1]) in self.shots}
        self.shots -= {(x + more, y) for x, y in hit for more in (0, 1)}
        self.invaders -= hit
        self.score += 10 * len(hit)
        if self.ticks % 3 == 0:
            self.bombs = {(x, y + 1) for x, y in self.bombs if y + 1 < HEIGHT}
        if self.ticks % EVERY == 0:
            self.march()
        if (self.ship, HEIGHT - 1) in self.bombs or any(y >= HEIGHT - 1 for _, y in self.invaders):
            self.end = "they have won"
        elif not self.invaders:
            self.end = "you have won"

    def march(self) -> None:
        edge = any(not 0 < x + self.way < WIDTH - 2 for x, _ in self.invaders)
        self.invaders = {(x, y + 1) if edge else (x + self.way, y) for x, y in self.invaders}
        self.way = -self.way if edge else self.way
        column = min(self.invaders, key=lambda each: (abs(each[0] - self.ship), -each[1]), default=None)
        if column is not None and len(self.bombs) < 4:
            self.bombs.add((column[0], column[1] + 1))


game = Game()


@panel.on_render
def lines() -> list[Line]:
    state = f"{game.end}: enter plays again" if game.end else "paused" if game.paused else ""
    rows: list[Line] = [[{"text": f"{game.score} points  ", "style": "accent"}, {"text": state, "style": "warning"}]]
    drawn = {each: ("│", "warning") for each in game.shots} | {each: ("▼", "error") for each in game.bombs}
    drawn |= {(x + more, y): (sign, "success") for x, y in game.invaders for more, sign in ((0, "▟"), (1, "▙"))}
    drawn[game.ship, HEIGHT - 1] = ("▲", "accent")
    for y in range(HEIGHT):
        marks = [drawn.get((x, y), (" ", "text")) for x in range(WIDTH)]
        rows.append([{"text": sign, "style": style} for sign, style in marks])
    return rows


@panel.on_key
def key(press: PanelKey) -> None:
    if press.key in ("left", "right"):
        game.ship = max(0, min(WIDTH - 1, game.ship + (2 if press.key == "right" else -2)))
    elif press.text == " ":
        game.fire()
    elif press.text == "p":
        game.paused = not game.paused
    elif press.text == "q":
        panel.close()
    elif press.key == "enter" and game.end:
        game.start()


@panel.on_focus
def focus(focused: bool) -> None:  # noqa: FBT001  a handler
    game.paused = not focused


@panel.on_tick(1 / 30)
def tick() -> None:
    game.tick()


@ext.command("invaders", "plays space invaders")
def play(_: str) -> Response:
    game.start()
    return panel.open()


if __name__ == "__main__":
    ext.run()
