#!/usr/bin/env python3
"""Snake in an overlay. The game stops while another panel or a question of zot has the keys."""

import random
from collections.abc import Mapping, Sequence

from zot_ext import Extension, PanelKey, Response

Line = str | Sequence[Mapping[str, object]]

ext = Extension("snake", "1.0.0")
WIDTH, HEIGHT = 20, 12  # a cell of the game is two cells wide
panel = ext.panel("snake", "Snake", "arrows · p pauses · q ends", mode="overlay", width=2 * WIDTH, height=HEIGHT + 1)

WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
LETTERS = {"w": "up", "s": "down", "a": "left", "d": "right"}


class Game:
    """The body, the head first, the way it goes, and the ways that were pressed and not yet used."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.start()

    def start(self) -> None:
        self.body = [(WIDTH // 2 - number, HEIGHT // 2) for number in range(3)]
        self.way, self.pressed = (1, 0), list[tuple[int, int]]()
        self.score, self.over, self.paused = 0, False, False
        self.place_food()

    def place_food(self) -> None:
        free = [(x, y) for x in range(WIDTH) for y in range(HEIGHT) if (x, y) not in self.body]
        self.food = self.chance.choice(free)

    def turn(self, way: tuple[int, int]) -> None:
        last = self.pressed[-1] if self.pressed else self.way
        if (way[0] + last[0], way[1] + last[1]) != (0, 0) and len(self.pressed) < 3:
            self.pressed.append(way)

    def step(self) -> None:
        if self.over or self.paused:
            return
        if self.pressed:
            self.way = self.pressed.pop(0)
        head = self.body[0][0] + self.way[0], self.body[0][1] + self.way[1]
        if head in self.body[:-1] or not (0 <= head[0] < WIDTH and 0 <= head[1] < HEIGHT):
            self.over = True
            return
        self.body.insert(0, head)
        if head == self.food:
            self.score += 1
            self.place_food()
        else:
            self.body.pop()


game = Game(random.Random())


@panel.on_render
def lines() -> list[Line]:
    state = "over: enter plays again" if game.over else "paused" if game.paused else ""
    rows: list[Line] = [[{"text": f"{game.score} eaten  ", "style": "accent"}, {"text": state, "style": "warning"}]]
    for y in range(HEIGHT):
        row = []
        for x in range(WIDTH):
            if (x, y) == game.body[0]:
                row.append({"text": "██", "style": "error" if game.over else "success"})
            elif (x, y) in game.body:
                row.append({"text": "▓▓", "style": "success"})
            else:
                row.append(
                    {"text": "● " if (x, y) == game.food else "· ", "style": "error" if (x, y) == game.food else "dim"}
                )
        rows.append(row)
    return rows


@panel.on_key
def key(press: PanelKey) -> None:
    way = WAYS.get(LETTERS.get(press.text, press.key))
    if way is not None:
        game.turn(way)
    elif press.text == "q":
        panel.close()
    elif press.text == "p":
        game.paused = not game.paused
    elif press.key == "enter" and game.over:
        game.start()


@panel.on_focus
def focus(focused: bool) -> None:  # noqa: FBT001  a handler
    game.paused = not focused


@panel.on_tick(0.12)
def tick() -> None:
    game.step()


@ext.command("snake", "plays snake")
def play(_: str) -> Response:
    game.start()
    return panel.open()


if __name__ == "__main__":
    ext.run()
