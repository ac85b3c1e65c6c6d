import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from zot_core.errors import Refused, SessionError
from zot_core.hooks import Collect, Gate, Hooks, Observe, Refusal, Transform


def broken(value: object) -> None:
    raise KeyError(value)


async def later(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


def test_observers_are_notified_in_order_and_their_results_are_ignored() -> None:
    told: list[str] = []
    point: Observe[str] = Observe()
    point.add(lambda value: told.append(f"a {value}"))
    point.add(lambda value: told.append(f"b {value}"))

    point.notify("x")

    assert told == ["a x", "b x"]


def test_an_observer_that_names_classes_gets_no_values_of_others_and_the_order_stays() -> None:
    told: list[str] = []
    point: Observe[object] = Observe()
    point.add(lambda value: told.append(f"numbers {value}"), int, float)
    point.add(lambda value: told.append(f"all {value}"))
    remove = point.add(lambda value: told.append(f"errors {value}"), ValueError)

    for value in (1, "x", UnicodeError("y")):  # a subclass of ValueError
        point.notify(value)
    remove()
    remove()
    point.add(lambda value: told.append(f"late {value}"), ValueError)
    point.notify(UnicodeError("z"))

    assert told == ["numbers 1", "all 1", "all x", "all y", "errors y", "all z", "late z"]


def test_an_observer_s_failure_is_logged_and_the_others_are_notified(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    point: Observe[str] = Observe()
    point.add(broken)
    point.add(told.append)

    with caplog.at_level(logging.ERROR):
        point.notify("x")

    assert told == ["x"]
    assert [record.message for record in caplog.records] == ["hook broken failed"]
    assert caplog.records[0].exc_info is not None


def test_a_zot_error_of_an_observer_is_raised_after_all_were_notified() -> None:
    def full(value: str) -> None:
        raise SessionError(value)

    told: list[str] = []
    point: Observe[str] = Observe()
    point.add(full)
    point.add(lambda value: full("second"))
    point.add(told.append)

    with pytest.raises(SessionError, match="first"):
        point.notify("first")

    assert told == ["first"]


def test_an_observer_must_be_plain() -> None:
    async def wait(value: str) -> None: ...

    with pytest.raises(TypeError, match="plain function"):
        Observe[str]().add(wait)  # type: ignore[arg-type]  # the point of it


def test_a_handler_may_be_removed_while_the_others_are_notified() -> None:
    told: list[str] = []
    point: Observe[str] = Observe()
    removes: list[Callable[[], None]] = []

    def once(value: str) -> None:
        removes[0]()
        told.append("once")

    removes.append(point.add(once))
    point.add(lambda value: told.append("always"))

    point.notify("x")
    point.notify("x")

    assert told == ["once", "always", "always"]


def test_a_handler_added_during_a_notification_is_called_from_the_next_one_on() -> None:
    told: list[str] = []
    point: Observe[str] = Observe()
    point.add(lambda value: point.add(told.append) and None)

    point.notify("first")
    point.notify("second")

    assert told == ["second"]


def test_taking_a_handler_off_twice_leaves_its_other_registration() -> None:
    told: list[str] = []
    point: Observe[str] = Observe()
    remove = point.add(told.append)
    point.add(told.append)

    remove()
    remove()
    point.notify("x")

    assert told == ["x"]
    assert point


def test_a_point_without_handlers_is_false() -> None:
    assert not Hooks().event


def ask(*handlers: Any) -> Refusal | None:
    point: Gate[str] = Gate()
    for handler in handlers:
        point.add(handler)
    return asyncio.run(point.ask("x"))


def test_a_gate_is_open_until_somebody_refuses() -> None:
    assert ask() is None
    assert ask(lambda value: None, lambda value: later(None)) is None


def test_the_first_refusal_of_a_gate_wins_and_later_handlers_are_not_asked() -> None:
    asked: list[str] = []

    async def refuse(value: str) -> Refusal:
        return Refusal("no", "max_cost")

    assert ask(lambda value: None, refuse, asked.append) == Refusal("no", "max_cost")
    assert asked == []


def test_a_gate_may_be_refused_by_raising() -> None:
    def refuse(value: str) -> None:
        raise Refused("no")

    assert ask(refuse) == Refusal("no")


def test_a_gate_that_fails_refuses(caplog: pytest.LogCaptureFixture) -> None:
    assert ask(broken) == Refusal("hook broken failed: 'x'")
    assert len(caplog.records) == 1


def test_a_gate_whose_own_work_was_cancelled_refuses() -> None:
    async def cancelled(value: str) -> None:
        raise asyncio.CancelledError

    refusal = ask(cancelled)

    assert refusal is not None
    assert refusal.reason.endswith("failed: it was cancelled")


def apply(*handlers: Any, ignored: str | None = None) -> str:
    point: Transform[str] = Transform(ignored)
    for handler in handlers:
        point.add(handler)
    return asyncio.run(point.apply("x"))


def test_each_transform_receives_the_output_of_the_one_before() -> None:
    assert apply() == "x"
    assert apply(lambda value: value + "a", lambda value: None, lambda value: later(value + "b")) == "xab"


def test_an_empty_string_replaces_the_value_unless_it_is_ignored() -> None:
    assert apply(lambda value: "") == ""
    assert apply(lambda value: "", ignored="") == "x"


def test_a_transform_that_fails_or_refuses_refuses() -> None:
    def refuse(value: str) -> None:
        raise Refused("no")

    with pytest.raises(Refused, match=r"^no$"):
        apply(refuse, broken)
    with pytest.raises(Refused, match=r"^hook broken failed: 'x'$") as caught:
        apply(broken, refuse)
    assert isinstance(caught.value.__cause__, KeyError)


async def test_all_results_are_collected_and_a_failing_handler_contributes_none() -> None:
    point: Collect[str, str] = Collect()
    point.add(lambda value: [value, "a"])
    point.add(broken)
    point.add(lambda value: None)
    point.add(lambda value: later(["b"]))

    assert await point.gather("x") == ["x", "a", "b"]


async def test_cancelling_the_caller_is_not_a_failure_of_the_hook() -> None:
    async def hang(value: str) -> None:
        await asyncio.get_running_loop().create_future()

    for point, verb in ((Gate[str](), "ask"), (Transform[str](), "apply"), (Collect[str, str](), "gather")):
        point.add(hang)  # type: ignore[attr-defined]
        task = asyncio.ensure_future(getattr(point, verb)("x"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
