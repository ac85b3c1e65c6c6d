"""`ImageStore`: the images on a screen: scaled beside the event loop, kept within bounds, forgotten by the terminal."""

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from zot_tui.color import DEFAULT, Rgb, rgb
from zot_tui.image import iterm, kitty
from zot_tui.image.cell import QUERY, cell_pixels, reply_pixels
from zot_tui.image.drawing import Drawing, drawing
from zot_tui.image.fit import ASSUMED, Room, fit, most_rows
from zot_tui.image.pixel_size import Pixels, image_size
from zot_tui.image.protocol import choose
from zot_tui.text.runs import Row
from zot_tui.theme import Theme

if TYPE_CHECKING:
    from zot_tui.terminal.terminal import Display

_COARSE = 12  # pixels across a cell from which a strip that is drawn again and again is not made finer


@dataclass(slots=True)
class Limits:
    """How many scaled images are kept and how many bytes of them, how many wait to be scaled, for how long one is
    waited for, in seconds, and how many characters of one a terminal gets, over ssh too.

    More may wait than a screen shows: those in view that do not wait any more ask again, and again.
    """

    images: int = 100
    bytes: int = 32_000_000
    waiting: int = 200
    seconds: float = 20.0
    sent: int = 1_500_000
    sent_over_ssh: int = 300_000


class _Key(NamedTuple):
    """An image, and the room it has."""

    data: str
    columns: int
    rows: int


@dataclass(slots=True)
class _Entry:
    """What is known of an image: nothing yet, its drawing, or (`done` without one) that it cannot be drawn."""

    watchers: dict[Callable[[], object], None] = field(default_factory=dict)
    drawing: Drawing | None = None
    done: bool = False
    number: int = 0
    sent: bool = False


class ImageStore:
    """Gives rows for images, base64 of a PNG, JPEG, GIF or WebP. `way` is how they are drawn, `off` for not at all.

    To be used in the thread of a running event loop, where `changed` functions are called too. `suspend` is for
    when the screen goes off, `renew` for when it is on again or different.
    """

    def __init__(
        self,
        screen: "Display",
        environment: Mapping[str, str],
        theme: Callable[[], Theme],
        *,
        enabled: bool = True,
        limits: Limits | None = None,
    ) -> None:
        self._screen = screen
        self._limits = limits or Limits()
        self.way, self._tmux = choose(environment, screen.depth, enabled=enabled)
        self._most = self._limits.sent_over_ssh if environment.get("SSH_CONNECTION") else self._limits.sent
        self._theme = theme
        self._background = self._behind()
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._waiting: list[_Key] = []
        self._work: object = None  # what stands for the image that is being scaled
        self._outdated = False  # that image is scaled for a screen that has changed
        self._limit: asyncio.TimerHandle | None = None
        self._closed = False
        self._numbers = kitty.numbers(screen.depth, 1 + os.urandom(1)[0] % 255)
        self._count = int.from_bytes(os.urandom(3), "big")
        self._cell: Pixels | None = None
        self._measure()

    # What is shown

    def rows(self, data: str, width: int, changed: Callable[[], object], *, large: bool = False) -> list[Row[Any]]:
        """The rows of an image in at most `width` cells; none as long as it is not scaled, and if it cannot be.

        `changed` is called once, later, when they would be different. `large` allows for more of the screen.
        """
        room = self._room(width, large=large)
        if room is None:
            return []
        key = _Key(data, room.columns, room.rows)
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        else:
            entry = self._like(key)
        if entry is None:
            entry = self._entries[key] = _Entry()
            self._waiting.append(key)
            self._next()
        entry.watchers[changed] = None
        if entry.drawing is None and not entry.done:
            entry = self._meanwhile(key) or entry
            entry.watchers[changed] = None
        return self._drawn(entry)

    def grows(self, data: str, width: int) -> bool:
        """Whether the image is larger where `large` is said."""
        small, large = self._room(width, large=False), self._room(width, large=True)
        size = self._natural(data)
        if small is None or large is None or size is None:
            return False
        return fit(size, small.cell, small.columns, small.rows) != fit(size, large.cell, large.columns, large.rows)

    # What happens to the screen

    def renew(self) -> None:
        """The screen is on again, or it may have another size, letters of another size, or other colours behind what is
        transparent."""
        before = self._cell, self._background
        self._measure()
        self._background = self._behind()
        if (self._cell, self._background) != before:
            self.clear()
        else:
            self._changed()

    def measured(self, event: str) -> None:
        """Take the terminal's answer to how large a cell is; anything else is left alone."""
        size = reply_pixels(event)
        if size is not None and size != self._cell:
            self._cell = size
            self.clear()

    def clear(self) -> None:
        """Forget all images; those that are still shown are made anew."""
        self._waiting.clear()
        self._outdated = self._work is not None  # it is waited for: no other is decoded beside it
        forgotten, self._entries = self._entries, OrderedDict()
        for entry in forgotten.values():
            self._forget(entry)
        _tell(forgotten.values())

    def suspend(self) -> None:
        """The screen goes off: the terminal is to forget the images."""
        for entry in self._entries.values():
            self._delete(entry)

    def resend(self) -> None:
        """The terminal may have lost the images: give it those again that are shown."""
        self.suspend()
        self._changed()

    def close(self) -> None:
        """Show nothing any more."""
        self._closed = True
        self._waiting.clear()
        if self._limit is not None:
            self._limit.cancel()
        self._changed()

    # Inside

    def _room(self, width: int, *, large: bool) -> Room | None:
        """What an image may take in `width` cells; None where none can be drawn."""
        columns = min(width - 1 if self.way == "iterm" else width, len(kitty.DIACRITICS))
        if self._closed or self.way == "off" or columns < 1:
            return None
        rows = min(most_rows(self._screen.get_cols_rows()[1], large=large), len(kitty.DIACRITICS))
        return Room(columns, rows, self._cell or ASSUMED, self._grain())

    def _grain(self) -> Pixels:
        cell = self._cell or ASSUMED
        if self.way == "half":
            return Pixels(1, 2)
        if self.way == "iterm" and cell.width > _COARSE:
            return Pixels(_COARSE, max(1, cell.height * _COARSE // cell.width))
        return cell

    def _like(self, key: _Key) -> _Entry | None:
        """The same image, made for another room, if in this one it would look the same."""
        room = Room(key.columns, key.rows, self._cell or ASSUMED, self._grain())
        for other, entry in self._entries.items():
            made = entry.drawing
            if made is None or other.data != key.data:
                continue
            if room.box(fit(made.natural, room.cell, room.columns, room.rows)) == (made.columns, made.rows):
                self._entries.move_to_end(other)
                return entry
        return None

    def _meanwhile(self, key: _Key) -> _Entry | None:
        """The same image in another size that can be shown until this one is ready."""
        for other, entry in self._entries.items():
            made = entry.drawing
            if made is not None and other.data == key.data and made.columns <= key.columns and made.rows <= key.rows:
                return entry
        return None

    def _natural(self, data: str) -> Pixels | None:
        """The image's own size, as far as it is known without decoding it."""
        found = [entry for key, entry in self._entries.items() if key.data == data and entry.done]
        if found:
            return next((entry.drawing.natural for entry in found if entry.drawing is not None), None)
        size = image_size(data)
        return size if size is not None and size.width and size.height else None

    def _drawn(self, entry: _Entry) -> list[Row[Any]]:
        """The rows of an image that is ready, having told the terminal of it."""
        made = entry.drawing
        if made is None:
            return []
        if self.way == "half":
            return made.half
        if self.way == "iterm":
            styles = iterm.strip_styles(entry.number, made.rows)
            self._screen.sequences.update(zip(styles, made.strips, strict=True))
            return iterm.strip_rows(entry.number, made.columns, made.rows)
        if not entry.sent and self._screen.started:
            sequence = kitty.transmission(entry.number, made.columns, made.rows, made.data, tmux=self._tmux)
            self._send(sequence)
            entry.sent = True
        return kitty.placeholder_rows(entry.number, made.columns, made.rows, self._screen.depth)

    def _forget(self, entry: _Entry) -> None:
        self._delete(entry)
        if self.way == "iterm" and entry.drawing is not None:
            for style in iterm.strip_styles(entry.number, entry.drawing.rows):
                self._screen.sequences.pop(style, None)

    def _delete(self, entry: _Entry) -> None:
        if entry.sent:
            entry.sent = False
            self._send(kitty.deletion(entry.number, tmux=self._tmux))

    def _send(self, sequence: str) -> None:
        with suppress(OSError):  # the terminal is gone, which the app is told when it reads from it or draws
            self._screen.send(sequence)

    def _next(self) -> None:
        """Scale the image that was asked for last: it is in view, most likely."""
        dropped = [self._entries.pop(key) for key in self._waiting[: -self._limits.waiting]]
        del self._waiting[: -self._limits.waiting]
        loop = asyncio.get_running_loop()
        if dropped:
            loop.call_soon(_tell, dropped)
        if self._work is not None or not self._waiting:
            return
        key = self._waiting.pop()
        work = self._work = object()
        room = Room(key.columns, key.rows, self._cell or ASSUMED, self._grain())
        wanted = (key.data, self.way, room, self._background, self._screen.depth, self._most)

        def scale() -> None:
            made: Drawing | None = None
            with suppress(Exception):  # an image that cannot be drawn is a caption, whatever the reason
                made = drawing(*wanted)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._finished, key, work, made)

        # No thread of a pool: those are waited for at the end of a program.
        threading.Thread(target=scale, name="image", daemon=True).start()
        self._limit = loop.call_later(self._limits.seconds, self._finished, key, work, None)

    def _finished(self, key: _Key, work: object, made: Drawing | None) -> None:
        """An image is scaled, cannot be, or took too long, in which case what comes of it later is dropped."""
        if work is not self._work:
            return
        self._work = None
        if self._limit is not None:
            self._limit.cancel()
        entry = None if self._outdated else self._entries.get(key)
        self._outdated = False
        if entry is not None and not self._closed:
            entry.done, entry.drawing = True, made
            if made is not None:
                entry.number = self._number()
            self._entries.move_to_end(key)
            told = [entry, *self._too_many()]
            _tell(told)
        if not self._closed:
            self._next()

    def _too_many(self) -> list[_Entry]:
        """Take out those that were not looked at for longest, as far as there are too many."""
        gone: list[_Entry] = []
        done = [key for key, entry in self._entries.items() if entry.done]
        cost = sum(entry.drawing.cost for entry in self._entries.values() if entry.drawing is not None)
        for count, key in zip(range(len(done), 1, -1), done, strict=False):
            if count <= self._limits.images and cost <= self._limits.bytes:
                break
            entry = self._entries.pop(key)
            cost -= entry.drawing.cost if entry.drawing is not None else 0
            self._forget(entry)
            gone.append(entry)
        return gone

    def _number(self) -> int:
        """A number that no image here has."""
        taken = {entry.number for entry in self._entries.values()}
        while True:
            self._count += 1
            number = self._numbers[self._count % len(self._numbers)]
            if number not in taken:
                return number

    def _measure(self) -> None:
        size = cell_pixels(self._screen.descriptor)
        if size is not None:
            self._cell = size
        elif self._screen.started and self.way in ("kitty", "iterm"):
            self._send(QUERY)

    def _behind(self) -> Rgb | None:
        return rgb(self._theme().style("text").background or DEFAULT)

    def _changed(self) -> None:
        _tell(self._entries.values())


def _tell(entries: Any) -> None:
    """Call whoever watches these, each once: they look again, and watch again, if they still show it."""
    watchers = dict.fromkeys(watcher for entry in entries for watcher in entry.watchers)
    for entry in entries:
        entry.watchers.clear()
    for watcher in watchers:
        watcher()
