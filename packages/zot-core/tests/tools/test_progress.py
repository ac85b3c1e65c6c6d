import asyncio

from zot_core.tools.progress import Progress


def test_a_burst_is_one_text_and_the_rest_comes_at_the_end() -> None:
    async def work() -> list[str]:
        shown: list[str] = []
        progress = Progress(shown.append, pause=60, size=100)
        progress.feed(b"a\n")
        progress.feed(b"b\n")
        await asyncio.sleep(0.01)
        progress.feed(b"c\n")
        await asyncio.sleep(0.01)
        assert shown == ["a\nb\n"]
        progress.close()
        return shown

    assert asyncio.run(work()) == ["a\nb\n", "c\n"]


def test_later_text_comes_after_the_pause() -> None:
    async def work() -> list[str]:
        shown: list[str] = []
        progress = Progress(shown.append, pause=0.02, size=100)
        for piece in (b"a", b"b"):
            progress.feed(piece)
            await asyncio.sleep(0.05)
        return shown

    assert asyncio.run(work()) == ["a", "b"]


def test_characters_may_be_split_and_cut_off() -> None:
    async def work() -> str:
        shown: list[str] = []
        progress = Progress(shown.append, pause=0, size=100)
        progress.feed("é".encode()[:1])
        progress.feed("é".encode()[1:] + b"\xff" + "€".encode()[:2])
        progress.close()
        return "".join(shown)

    assert asyncio.run(work()) == "é\ufffd\ufffd"


def test_of_a_flood_the_end_is_shown() -> None:
    async def work() -> list[str]:
        shown: list[str] = []
        progress = Progress(shown.append, pause=0, size=4)
        progress.feed(b"0123456789")
        progress.close()
        return shown

    assert asyncio.run(work()) == ["6789"]


def test_nothing_is_shown_of_nothing() -> None:
    async def work() -> list[str]:
        shown: list[str] = []
        Progress(shown.append, pause=0, size=4).close()
        return shown

    assert asyncio.run(work()) == []
