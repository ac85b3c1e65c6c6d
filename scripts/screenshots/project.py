"""The project in the screenshots: a small shop with a mistake in it, and what the model says while it mends that."""

from collections.abc import Mapping
from pathlib import Path

from zot_provider.testing import Call, Turn
from zot_provider.usage import Usage

BASKET = '''\
"""What a customer takes to the till. All amounts are in cents."""

from prices import PRICES

FREE_DELIVERY_FROM = 5000
DELIVERY = 490


def subtotal(items: dict[str, int]) -> int:
    """The price of all items."""
    return sum(PRICES[name] * count for name, count in items.items())


def total(items: dict[str, int]) -> int:
    """What is to be paid, with delivery."""
    amount = subtotal(items)
    if amount > FREE_DELIVERY_FROM:
        return amount
    return amount + DELIVERY
'''

TESTS = '''\
"""What the basket promises."""

import unittest

from basket import subtotal, total


class BasketTest(unittest.TestCase):
    def test_items_are_added_up(self) -> None:
        self.assertEqual(subtotal({"bread": 2, "honey": 1}), 1550)

    def test_a_small_order_pays_for_delivery(self) -> None:
        self.assertEqual(total({"bread": 1}), 890)

    def test_a_large_order_does_not(self) -> None:
        self.assertEqual(total({"honey": 8}), 6000)

    def test_neither_does_one_of_fifty_exactly(self) -> None:
        self.assertEqual(total({"cheese": 4}), 5000)


if __name__ == "__main__":
    unittest.main()
'''

CHART = '''\
"""Draws what was sold on each day of the week, Monday first."""

import struct
import zlib
from pathlib import Path

SOLD = (14, 9, 17, 22, 30, 41, 12)
WIDTH, HEIGHT, DAY = 336, 160, 48


def color(x: int, y: int) -> bytes:
    day, within = divmod(x, DAY)
    if within < 40 and HEIGHT - y <= SOLD[day] * 3.75:
        return bytes((220, 150, 60) if SOLD[day] == max(SOLD) else (90, 130, 190))
    return bytes((40, 44, 56))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


rows = b"".join(b"\\0" + b"".join(color(x, y) for x in range(WIDTH)) for y in range(HEIGHT))
head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
image = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
Path(__file__).with_suffix(".png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n" + image)
'''

FILES = {
    "README.md": "# shop\n\nA basket, prices and a till. Orders of 50 and more are delivered free.\n",
    "basket.py": BASKET,
    "prices.py": '"""Prices in cents."""\n\nPRICES = {"bread": 400, "cheese": 1250, "honey": 750}\n',
    "test_basket.py": TESTS,
    "docs/chart.py": CHART,
    "docs/delivery.md": "# Delivery\n\nFree from 50.00 on.\n",
    "docs/returns.md": "# Returns\n\nWithin 30 days.\n",
    ".gitignore": "__pycache__/\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}

PROMPT = "orders of exactly 50 should be delivered free, as the README says"

RUN_TESTS = "python3 -m unittest"

SEARCH = Turn(
    "I look at where the limit is used.",
    calls=[Call("grep", {"pattern": "FREE_DELIVERY_FROM"})],
    usage=Usage(input=3120, output=64),
)
EDIT = Turn(
    "The limit itself is left out: `>` should be `>=`.",
    calls=[
        Call(
            "edit",
            {
                "path": "basket.py",
                "edits": [
                    {
                        "oldText": "    if amount > FREE_DELIVERY_FROM:\n",
                        "newText": "    if amount >= FREE_DELIVERY_FROM:\n",
                    }
                ],
            },
        )
    ],
    usage=Usage(input=220, output=118, cache_read=3120),
)
TEST = Turn(calls=[Call("bash", {"command": RUN_TESTS})], usage=Usage(input=180, output=58, cache_read=3340))

SUMMARY = """\
An order of **exactly 50.00** is delivered free now.

- `basket.py` compared with `>`, which left the limit itself out
- all four tests pass, the one of fifty among them

```python
if amount >= FREE_DELIVERY_FROM:
    return amount
```
"""
DONE = Turn(SUMMARY, usage=Usage(input=160, output=96, cache_read=3520))

TASK = (SEARCH, EDIT, TEST, DONE)

LOOK = (
    Turn("I read it.", calls=[Call("read", {"path": "basket.py"})], usage=Usage(input=3120, output=40)),
    Turn("It adds up the prices, and the delivery where there is any.", usage=Usage(input=410, output=30)),
)


DRAW = (
    Turn(
        "I draw the week.",
        calls=[Call("bash", {"command": "python3 docs/chart.py"})],
        usage=Usage(input=3120, output=48),
    ),
    Turn(calls=[Call("read", {"path": "docs/chart.png"})], usage=Usage(input=210, output=40, cache_read=3120)),
    Turn("Saturday, by far.", usage=Usage(input=420, output=12, cache_read=3330)),
)

READ = Turn(
    "I look at the code and at its tests.",
    calls=[
        Call("read", {"path": "basket.py"}),
        Call("read", {"path": "test_basket.py"}),
        Call("grep", {"pattern": "FREE_DELIVERY_FROM"}),
    ],
    usage=Usage(input=3120, output=92),
)
COMPARED = (READ, EDIT, TEST, DONE)


def write(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    """Write the project, or these files, into `folder`, and give that back."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder
