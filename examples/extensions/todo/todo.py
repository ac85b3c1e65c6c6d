#!/usr/bin/env python3
"""A list that the person edits in a panel and the model with a tool. It is kept in `todos.json`."""

import json
import os
import threading
from typing import Literal

from zot_ext import Extension, HelloAck, PanelKey, Response

ext = Extension("todo", "1.0.0")
panel = ext.panel("todos-main", "Todos", "type to add, enter to tick, delete to remove")


class Todos:
    """The list, the row that is selected, and what is being typed. The model and the person use it at once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.items: list[tuple[str, bool]] = []
        self.at = 0
        self.typed = ""

    def load(self) -> None:
        try:
            with open(os.path.join(ext.data_dir, "todos.json"), encoding="utf-8") as file:
                self.items = [(item["text"], item["done"]) for item in json.load(file)]
        except FileNotFoundError:
            pass

    def save(self) -> None:
        path = os.path.join(ext.data_dir, "todos.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump([{"text": text, "done": done} for text, done in self.items], file, indent=1)
        os.replace(path + ".new", path)

    def add(self, text: str) -> None:
        self.items.append((text, False))
        self.save()

    def toggle(self, index: int) -> None:
        text, done = self.items[index]
        self.items[index] = (text, not done)
        self.save()

    def remove(self, index: int) -> None:
        del self.items[index]
        self.at = max(0, min(self.at, len(self.items) - 1))
        self.save()


todos = Todos()


@ext.on_hello
def load(_: HelloAck) -> None:
    todos.load()


@panel.on_render
def lines() -> list[str]:
    with todos.lock:
        rows = [
            f"{'▸' if at == todos.at else ' '} {'✓' if done else '□'} {text}"
            for at, (text, done) in enumerate(todos.items)
        ]
        return [*(rows or ["nothing to do"]), f"> {todos.typed}"]


@panel.on_key
def key(press: PanelKey) -> None:
    with todos.lock:
        if press.key == "rune":
            todos.typed += press.text
        elif press.key == "backspace":
            todos.typed = todos.typed[:-1]
        elif press.key == "enter" and todos.typed:
            todos.add(todos.typed)
            todos.typed = ""
        elif press.key == "enter" and todos.items:
            todos.toggle(todos.at)
        elif press.key == "delete" and todos.items:
            todos.remove(todos.at)
        elif press.key in ("up", "down") and todos.items:
            todos.at = (todos.at + (1 if press.key == "down" else -1)) % len(todos.items)


@ext.command("todos", "open the list, or add to it: /todos buy milk")
def show(args: str) -> Response:
    if args:
        with todos.lock:
            todos.add(args)
    return panel.open()


@ext.tool
def todo(action: Literal["list", "add", "tick", "remove"], text: str = "", number: int = 0) -> str:
    """Read and change the todo list of the person.

    Args:
        action: what to do; every action answers with the list
        text: of the new item, for `add`
        number: of the item, from 1, for `tick` and `remove`
    """
    with todos.lock:
        if action == "add":
            todos.add(text)
        elif action != "list":
            if not 1 <= number <= len(todos.items):
                raise LookupError(f"there is no item {number}, there are {len(todos.items)}")
            (todos.toggle if action == "tick" else todos.remove)(number - 1)
        shown = [f"{at}. [{'x' if done else ' '}] {text}" for at, (text, done) in enumerate(todos.items, 1)]
    panel.refresh()
    return "\n".join(shown) or "nothing to do"


ext.run()
