"""`ImageStore`: the images on a screen, scaled in threads, kept within limits, and deleted from the terminal."""

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from zot_tui.color import DEFAULT, Rgb, rgb
from zot_tui.image import iterm, kitty
from zot_tui.image.cell import QUERY, cell_pixels, reply_pixels
from zot_tui.image.drawing import Drawing, drawing
from zot_tui.image.fit import ASSUMED, ImageRoom, fit, most_rows
from zot_tui.image.protocol import choose
from zot_tui.image.size import Pixels, base64_pixels
from zot_tui.terminal.screen import AppScreen
from zot_tui.text.runs import Row
from zot_tui.theme import Theme

_COARSE = 12  # most pixels across a cell of a strip, which is written often


@dataclass(slots=True)
class ImageLimits:
    """Limits: scaled images kept and their bytes, images waiting to be scaled, seconds to wait for one, and the most
    characters of an image for a terminal, and to a terminal over ssh.

    The queue is longer than a screen: images in view that are dropped from it are requested again and again.
    """

    images: int = 100
    bytes: int = 32_000_000
    waiting: int = 200
    seconds: float = 20.0
    sent: int = 1_500_000
    sent_over_ssh: int = 300_000


class _ImageKey(NamedTuple):
    """An image, and the room for it."""

    data: str
    columns: int
    rows: int


@dataclass(slots=True)
class _ImageEntry:
    """The state of an image: pending, a drawing, or (`done` without a drawing) cannot be drawn."""

    watchers: dict[Callable[[], object], None] = field(default_factory=dict)
    drawing: Drawing | None = None
    done: bool = False
    number: int = 0
    sent: bool = False


class _Scaling:
    """An image that is being scaled, until `limit`. `outdated`: it is for a screen that has changed."""

    def __init__(self) -> None:
        self.limit: asyncio.TimerHandle | None = None
        self.outdated = False


class _Numbers:
    """Numbers of images, as the depth of the colours allows."""

    def __init__(self, screen: AppScreen) -> None:
        self._numbers = kitty.numbers(screen.depth, 1 + os.urandom(1)[0] % 255)
        self._count = int.from_bytes(os.urandom(3), "big")

    def next(self, taken: Collection[int]) -> int:
        """Return a number that is not taken."""
        while True:
            self._count += 1
            number = self._numbers[self._count % len(self._numbers)]
            if number not in taken:
                return number


class ImageStore:
    """Returns rows for images, given as base64 of a PNG, JPEG, GIF or WebP. `protocol` is how they are drawn, which the
    terminal's answer may change; `off` draws none.

    Use it in the thread of a running event loop; `changed` callbacks are called there too. Call `suspend` when the
    screen goes off, and `renew` when it is on again or has changed.
    """

    def __init__(
        self,
        screen: AppScreen,
        environment: Mapping[str, str],
        theme: Callable[[], Theme],
        *,
        enabled: bool = True,
        limits: ImageLimits | None = None,
    ) -> None:
        self._screen = screen
        self._limits = limits or ImageLimits()
        self.protocol, self._tmux, self._better = choose(environment, screen.depth, enabled=enabled)
        self._max_sent = self._limits.sent_over_ssh if environment.get("SSH_CONNECTION") else self._limits.sent
        self._theme = theme
        self._background = self._background_color()
        self._entries: OrderedDict[_ImageKey, _ImageEntry] = OrderedDict()
        self._waiting: list[_ImageKey] = []
        self._work: _Scaling | None = None
        self._closed = False
        self._numbers = _Numbers(screen)
        self._cell: Pixels | None = None
        self._measure()

    # Rows

    def rows(self, data: str, width: int, changed: Callable[[], object], *, large: bool = False) -> list[Row[Any]]:
        """Return the rows of an image in at most `width` cells; empty until it is scaled, and if it cannot be drawn.

        `changed` is called once, later, when they would be different. `large` allows more of the screen.
        """
        room = self._room(width, large=large)
        if room is None:
            return []
        key = _ImageKey(data, room.columns, room.rows)
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        else:
            entry = self._equivalent(key)
        if entry is None:
            entry = self._entries[key] = _ImageEntry()
            self._waiting.append(key)
            self._next()
        entry.watchers[changed] = None
        if entry.drawing is None and not entry.done:
            entry = self._placeholder(key) or entry
            entry.watchers[changed] = None
        return self._drawn(entry)

    def can_expand(self, data: str, width: int) -> bool:
        """Whether the image would be larger with `large`."""
        small, large = self._room(width, large=False), self._room(width, large=True)
        size = self._natural(data)
        if small is None or large is None or size is None:
            return False
        return fit(size, small.cell, small.columns, small.rows) != fit(size, large.cell, large.columns, large.rows)

    # Changes of the screen

    def renew(self) -> None:
        """Update after the screen came on again, or may have changed its size, the size of its cells, or its
        background."""
        before = self._cell, self._background
        self._measure()
        self._background = self._background_color()
        if (self._cell, self._background) != before:
            self.clear()
        else:
            self._changed()

    def handle_reply(self, reply: str) -> None:
        """Take the terminal's answers to the queries for its cell size and its version; ignore anything else."""
        if self._better and kitty.knows_placeholders(reply):
            self.protocol, self._better = self._better, ""
            self._measure()
            self.clear()
        size = reply_pixels(reply)
        if size is not None and size != self._cell:
            self._cell = size
            self.clear()

    def clear(self) -> None:
        """Forget all images; visible ones are drawn again."""
        self._waiting.clear()
        if self._work is not None:  # its end is awaited: only one image is decoded at a time
            self._work.outdated = True
        forgotten, self._entries = self._entries, OrderedDict()
        for entry in forgotten.values():
            self._forget(entry)
        _notify(forgotten.values())

    def suspend(self) -> None:
        """Delete the images from the terminal: the screen goes off."""
        for entry in self._entries.values():
            self._delete(entry)

    def resend(self) -> None:
        """Send the visible images again: the terminal may have lost them."""
        self.suspend()
        self._changed()

    def close(self) -> None:
        self._closed = True
        self._waiting.clear()
        if self._work is not None and self._work.limit is not None:
            self._work.limit.cancel()
        self._changed()

    # Internals

    def _room(self, width: int, *, large: bool) -> ImageRoom | None:
        """Return the room for an image in `width` cells; None where none can be drawn."""
        columns = min(width - 1 if self.protocol == "iterm" else width, len(kitty.DIACRITICS))
        if self._closed or self.protocol == "off" or columns < 1:
            return None
        rows = min(most_rows(self._screen.get_cols_rows()[1], large=large), len(kitty.DIACRITICS))
        return ImageRoom(columns, rows, self._cell or ASSUMED, self._grain())

    def _grain(self) -> Pixels:
        cell = self._cell or ASSUMED
        if self.protocol == "half":
            return Pixels(1, 2)
        if self.protocol == "iterm" and cell.width > _COARSE:
            return Pixels(_COARSE, max(1, cell.height * _COARSE // cell.width))
        return cell

    def _equivalent(self, key: _ImageKey) -> _ImageEntry | None:
        """Return an entry of the same image, made for another room, that would look the same in this one."""
        room = ImageRoom(key.columns, key.rows, self._cell or ASSUMED, self._grain())
        for other, entry in self._entries.items():
            made = entry.drawing
            if made is None or other.data != key.data:
                continue
            if room.box(fit(made.natural, room.cell, room.columns, room.rows)) == (made.columns, made.rows):
                self._entries.move_to_end(other)
                return entry
        return None

    def _placeholder(self, key: _ImageKey) -> _ImageEntry | None:
        """Return an entry of the same image in a smaller size, to be shown until this one is ready."""
        for other, entry in self._entries.items():
            made = entry.drawing
            if made is not None and other.data == key.data and made.columns <= key.columns and made.rows <= key.rows:
                return entry
        return None

    def _natural(self, data: str) -> Pixels | None:
        """Return the image's own size if it is known without decoding the image."""
        found = [entry for key, entry in self._entries.items() if key.data == data and entry.done]
        if found:
            return next((entry.drawing.natural for entry in found if entry.drawing is not None), None)
        size = base64_pixels(data)
        return size if size is not None and size.width and size.height else None

    def _drawn(self, entry: _ImageEntry) -> list[Row[Any]]:
        """Return the rows of an image that is ready, after sending it to the terminal if necessary."""
        made = entry.drawing
        if made is None:
            return []
        if self.protocol == "half":
            return made.half
        if self.protocol == "iterm":
            styles = iterm.strip_styles(entry.number, made.rows)
            self._screen.sequences.update(zip(styles, made.strips, strict=True))
            return iterm.strip_rows(entry.number, made.columns, made.rows)
        if not entry.sent and self._screen.started:
            sequence = kitty.transmission(entry.number, made.columns, made.rows, made.data, tmux=self._tmux)
            self._send(sequence)
            entry.sent = True
        return kitty.placeholder_rows(entry.number, made.columns, made.rows, self._screen.depth)

    def _forget(self, entry: _ImageEntry) -> None:
        self._delete(entry)
        if self.protocol == "iterm" and entry.drawing is not None:
            for style in iterm.strip_styles(entry.number, entry.drawing.rows):
                self._screen.sequences.pop(style, None)

    def _delete(self, entry: _ImageEntry) -> None:
        if entry.sent:
            entry.sent = False
            self._send(kitty.deletion(entry.number, tmux=self._tmux))

    def _send(self, sequence: str) -> None:
        with suppress(OSError):  # the terminal is gone, which the app notices when it reads or draws
            self._screen.send(sequence)

    def _next(self) -> None:
        """Scale the image that was requested last, which is most likely in view."""
        dropped = [self._entries.pop(key) for key in self._waiting[: -self._limits.waiting]]
        del self._waiting[: -self._limits.waiting]
        loop = asyncio.get_running_loop()
        if dropped:
            loop.call_soon(_notify, dropped)
        if self._work is not None or not self._waiting:
            return
        key = self._waiting.pop()
        work = self._work = _Scaling()
        room = ImageRoom(key.columns, key.rows, self._cell or ASSUMED, self._grain())
        wanted = (key.data, self.protocol, room, self._background, self._screen.depth, self._max_sent)

        def scale() -> None:
            made: Drawing | None = None
            with suppress(Exception):  # an image that cannot be drawn shows only its caption, whatever the reason
                made = drawing(*wanted)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._finished, key, work, made)

        # Not a pool thread: the interpreter waits for those at exit.
        threading.Thread(target=scale, name="image", daemon=True).start()
        work.limit = loop.call_later(self._limits.seconds, self._finished, key, work, None)

    def _finished(self, key: _ImageKey, work: _Scaling, made: Drawing | None) -> None:
        """Handle an image that is scaled, cannot be, or took too long; later results of the latter are dropped."""
        if work is not self._work:
            return
        self._work = None
        if work.limit is not None:
            work.limit.cancel()
        entry = None if work.outdated else self._entries.get(key)
        if entry is not None and not self._closed:
            entry.done, entry.drawing = True, made
            if made is not None:
                entry.number = self._numbers.next({each.number for each in self._entries.values()})
            self._entries.move_to_end(key)
            _notify([entry, *self._evict()])
        if not self._closed:
            self._next()

    def _evict(self) -> list[_ImageEntry]:
        """Remove the least recently used images that exceed the limits, and return them."""
        removed: list[_ImageEntry] = []
        done = [key for key, entry in self._entries.items() if entry.done]
        cost = sum(entry.drawing.cost for entry in self._entries.values() if entry.drawing is not None)
        for count, key in zip(range(len(done), 1, -1), done, strict=False):
            if count <= self._limits.images and cost <= self._limits.bytes:
                break
            entry = self._entries.pop(key)
            cost -= entry.drawing.cost if entry.drawing is not None else 0
            self._forget(entry)
            removed.append(entry)
        return removed

    def _measure(self) -> None:
        size = cell_pixels(self._screen.descriptor)
        if size is not None:
            self._cell = size
        elif self._screen.started and self.protocol in ("kitty", "iterm"):
            self._send(QUERY)
        if self._screen.started and self._better:
            self._send(kitty.QUERY_VERSION)

    def _background_color(self) -> Rgb | None:
        return rgb(self._theme().style("text").background or DEFAULT)

    def _changed(self) -> None:
        _notify(self._entries.values())


def _notify(entries: Any) -> None:
    """Call the watchers of these entries, each once. A watcher requests a visible image again."""
    watchers = dict.fromkeys(watcher for entry in entries for watcher in entry.watchers)
    for entry in entries:
        entry.watchers.clear()
    for watcher in watchers:
        watcher()
