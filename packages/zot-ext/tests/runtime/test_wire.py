import os
import threading

from zot_ext.runtime.wire import Wire


def test_lines_from_many_threads_stay_whole() -> None:
    source, target = os.pipe()
    wire = Wire(target, lambda: None)
    lines = [bytes([97 + number]) * 100_000 + b"\n" for number in range(8)]
    threads = [threading.Thread(target=wire.write, args=(line,)) for line in lines]
    for thread in threads:
        thread.start()
    with open(source, "rb") as reader:
        assert sorted(reader.readline() for _ in lines) == lines
        for thread in threads:
            thread.join()
        wire.close()
        assert reader.read() == b""


def test_nothing_follows_the_last_line() -> None:
    source, target = os.pipe()
    wire = Wire(target, lambda: None)
    wire.write(b"a\n", last=True)
    wire.write(b"b\n")
    wire.close()
    wire.close()
    with open(source, "rb") as reader:
        assert reader.read() == b"a\n"


def test_a_reader_that_has_gone_is_told_once() -> None:
    source, target = os.pipe()
    told: list[bool] = []
    wire = Wire(target, lambda: told.append(True))
    os.close(source)
    wire.write(b"a\n")
    wire.write(b"b\n")
    wire.close()
    assert told == [True]
