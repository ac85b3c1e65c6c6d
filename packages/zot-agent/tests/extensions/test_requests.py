"""Requests to an extension: each has one outcome, and replies without a request are logged."""

import asyncio

import pytest

from zot_agent.extensions.requests import ExtensionEnded, PendingRequests, TimedOut
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse


async def test_a_reply_is_the_result_of_its_request() -> None:
    logged: list[str] = []
    pending = PendingRequests("ext", logged.append)
    first, second = pending.open("1", CommandResponse, 60), pending.open("2", CommandResponse, 60)
    pending.resolve(CommandResponse("2", "noop"))
    assert (await second).action == "noop"
    assert not first.done()
    assert logged == []


async def test_an_id_can_be_used_again_only_after_its_reply() -> None:
    pending = PendingRequests("ext", lambda line: None)
    pending.open("1", CommandResponse, 60)
    with pytest.raises(ValueError, match="open already"):
        pending.open("1", CommandResponse, 60)
    pending.resolve(CommandResponse("1"))
    pending.open("1", CommandResponse, 60)


async def test_a_reply_of_another_class_fails_the_request() -> None:
    logged: list[str] = []
    pending = PendingRequests("ext", logged.append)
    future = pending.open("1", EventInterceptResponse, 60)
    pending.resolve(CommandResponse("1"))
    with pytest.raises(FrameError, match="event_intercept_response is"):
        await future
    assert len(logged) == 1


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("resolve", "there was a reply before"),
        ("time_out", "it came after the time limit"),
        ("abandon", "nobody waits for it any more"),
        ("", "nobody asked for it"),
    ],
)
async def test_a_reply_without_an_open_request_is_dropped_and_logged(end: str, reason: str) -> None:
    logged: list[str] = []
    pending = PendingRequests("ext", logged.append)
    future: asyncio.Future[CommandResponse] | None = pending.open("1", CommandResponse, 5) if end else None
    if end == "resolve":
        pending.resolve(CommandResponse("1"))
    elif end == "time_out":
        pending.time_out("1")
    elif end == "abandon":
        pending.abandon("1")
    pending.resolve(CommandResponse("1"))
    assert logged == [f"command_response frame for id '1': {reason}; dropped"]
    if end == "time_out":
        assert future is not None
        with pytest.raises(TimedOut, match="within 5 s"):
            await future


async def test_the_end_of_the_extension_fails_every_request() -> None:
    pending = PendingRequests("ext", lambda line: None)
    futures = [pending.open(id, CommandResponse, 60) for id in "12"]
    pending.fail_all("exited with code 1")
    for future in futures:
        with pytest.raises(ExtensionEnded, match="extension 'ext' exited with code 1"):
            await future


async def test_an_unreadable_reply_fails_its_request_alone() -> None:
    pending = PendingRequests("ext", lambda line: None)
    first, second = pending.open("1", CommandResponse, 60), pending.open("2", CommandResponse, 60)
    pending.reject(FrameError("must be a string", frame="command_response", field="action", id="1"))
    with pytest.raises(FrameError, match="must be a string"):
        await first
    assert not second.done()
