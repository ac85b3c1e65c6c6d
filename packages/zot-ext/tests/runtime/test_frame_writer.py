import os
import threading

from zot_ext.runtime.frame_writer import FrameWriter


def test_lines_from_many_threads_stay_whole() -> None:
    source, target = os.pipe()
    writer = FrameWriter(target, lambda: None)
    lines = [bytes([97 + number]) * 100_000 + b"\n" for number in range(8)]
    threads = [threading.Thread(target=writer.write, args=(line,)) for line in lines]
    for thread in threads:
        thread.start()
    with open(source, "rb") as reader:
        assert sorted(reader.readline() for _ in lines) == lines
        for thread in threads:
            thread.join()
        writer.close()
        assert reader.read() == b""


def test_nothing_follows_the_last_line() -> None:
    source, target = os.pipe()
    writer = FrameWriter(target, lambda: None)
    writer.write(b"a\n", last=True)
    writer.write(b"b\n")
    writer.close()
    writer.close()
    with open(source, "rb") as reader:
        assert reader.read() == b"a\n"


def test_the_end_of_the_reader_is_reported_once() -> None:
    source, target = os.pipe()
    reported: list[bool] = []
    writer = FrameWriter(target, lambda: reported.append(True))
    os.close(source)
    writer.write(b"a\n")
    writer.write(b"b\n")
    writer.close()
    assert reported == [True]
