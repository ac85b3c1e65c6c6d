from zot_tui.editor.buffer import KillRing


def test_the_newest_text_is_the_one_to_insert() -> None:
    ring = KillRing()
    assert ring.text == ring.rotate() == ""
    ring.add("one")
    ring.add("")
    ring.add("two")
    assert ring.text == "two"


def test_rotating_comes_round() -> None:
    ring = KillRing()
    for text in ("one", "two", "three"):
        ring.add(text)
    assert [ring.rotate() for _ in range(3)] == ["two", "one", "three"]


def test_texts_join_on_the_side_they_were_cut_from() -> None:
    ring = KillRing()
    ring.add("b", "after")
    ring.add("c", "after")
    ring.add("a", "before")
    assert ring.text == "abc"


def test_the_oldest_texts_are_forgotten() -> None:
    ring = KillRing(limit=2)
    for text in ("one", "two", "three"):
        ring.add(text)
    assert [ring.rotate(), ring.rotate()] == ["two", "three"]
