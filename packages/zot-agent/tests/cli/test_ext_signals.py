import signal

import pytest

from zot_agent.cli.ext.signals import deferred, undisturbed


def begin(begun: list[str], failure: Exception | None = None) -> None:
    with deferred():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        if failure is not None:
            raise failure
        begun.append("a process")


def test_a_ctrl_c_counts_when_what_was_begun_is_known() -> None:
    begun: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        begin(begun)
    assert begun == ["a process"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as before


def test_a_ctrl_c_counts_also_where_nothing_could_be_begun() -> None:
    failure = OSError("no such program")
    with pytest.raises(KeyboardInterrupt) as caught:
        begin([], failure)
    assert caught.value.__context__ is failure


def test_signals_pass_by_what_is_not_to_be_disturbed() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with undisturbed():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) == before
