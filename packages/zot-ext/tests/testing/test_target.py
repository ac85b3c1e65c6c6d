import os
import threading
from pathlib import Path

from zot_ext.testing.conformance.target import environment


def test_a_variable_that_goes_while_it_is_read_is_left_out(tmp_path: Path) -> None:
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            os.environ["ZOT_EXT_COMES_AND_GOES"] = "x"
            del os.environ["ZOT_EXT_COMES_AND_GOES"]

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for number in range(500):
            folder = tmp_path / str(number)
            folder.mkdir()
            assert environment(str(folder))["PYTHONPATH"].endswith(str(folder))
    finally:
        over.set()
        changing.join()
