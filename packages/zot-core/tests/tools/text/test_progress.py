import asyncio

from zot_core.tools.text.progress import Progress


async def test_a_burst_is_one_text_and_the_rest_comes_at_the_end() -> None:
    shown: list[str] = []
    progress = Progress(shown.append, pause=60, size=100)
    progress.feed(b"a\n")
    progress.feed(b"b\n")
    await asyncio.sleep(0.01)
    progress.feed(b"c\n")
    await asyncio.sleep(0.01)
    assert shown == ["a\nb\n"]
    progress.close()
    assert shown == ["a\nb\n", "c\n"]


async def test_later_text_comes_after_the_pause() -> None:
    shown: list[str] = []
    progress = Progress(shown.append, pause=0.02, size=100)
    for piece in (b"a", b"b"):
        progress.feed(piece)
        await asyncio.sleep(0.05)
    assert shown == ["a", "b"]


async def test_characters_may_be_split_and_cut_off() -> None:
    shown: list[str] = []
    progress = Progress(shown.append, pause=0, size=100)
    progress.feed("é".encode()[:1])
    progress.feed("é".encode()[1:] + b"\xff" + "€".encode()[:2])
    progress.close()
    assert "".join(shown) == "é\ufffd\ufffd"


async def test_of_a_flood_the_end_is_shown() -> None:
    shown: list[str] = []
    progress = Progress(shown.append, pause=0, size=4)
    progress.feed(b"0123456789")
    progress.close()
    assert shown == ["6789"]


async def test_nothing_is_shown_of_nothing() -> None:
    shown: list[str] = []
    Progress(shown.append, pause=0, size=4).close()
    assert shown == []
