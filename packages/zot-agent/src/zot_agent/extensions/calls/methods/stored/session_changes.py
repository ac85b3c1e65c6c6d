"""Calls that continue the conversation elsewhere: in another session, or at another entry."""

import asyncio
from typing import TYPE_CHECKING, Any, get_args

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_core.clock import timestamp
from zot_core.errors import FilesEdited
from zot_core.runtime.restoring import Moved, Restore
from zot_provider.messages import Message, TextBlock

if TYPE_CHECKING:
    from zot_ext.protocol.answers import MovedPlace, OpenedPlace, SessionPlace

POSITIONS = ("at", "before")

_MOST = 1000
"""First messages of a new session."""


async def new(call: ExtensionCall) -> "SessionPlace":
    """Continue with a new session."""
    _check_front_end(call)
    given = call.params.get("messages") or []
    if len(given) > _MOST:
        raise CallFailed("invalid", f"a session begins with at most {_MOST} messages")
    messages = [_message(call, each, at) for at, each in enumerate(given)]
    await call.conversation.new_session(messages, linked=call.flag("parent"))
    return _place(call)


def _message(call: ExtensionCall, given: Any, at: int) -> Message:
    if not isinstance(given, dict):
        raise CallFailed("invalid", f"messages[{at}] must be an object")
    text, role, display = given.get("text"), given.get("role") or "user", given.get("display_text")
    if not isinstance(text, str) or not text.strip() or not isinstance(display, str | None):
        raise CallFailed("invalid", f"messages[{at}] needs a text, and its display_text must be a string")
    if role not in ("user", "assistant"):
        raise CallFailed("invalid", f"messages[{at}].role must be user or assistant")
    return Message(
        "user" if role == "user" else "assistant",
        [TextBlock(text)],
        timestamp(),
        display_text=display,
        hidden=f"sent by extension {call.extension}" if given.get("hidden") is True else "",
        extra={"extension": call.extension},
    )


async def switch(call: ExtensionCall) -> "OpenedPlace":
    """Continue another stored session."""
    _check_front_end(call)
    conversation, open_session = call.conversation, call.conversation.actions.open_session
    if open_session is None:
        raise CallFailed("unavailable", "this program opens no other sessions")
    path = (await asyncio.to_thread(call.services.stored.find, call.params["session"], conversation.runtime.cwd)).path
    session = conversation.runtime.session
    if session is not None and session.path == path:
        raise CallFailed("invalid", "this session is open already")
    notes = await open_session(path)
    return {**_place(call), "notes": notes}


async def fork(call: ExtensionCall) -> "SessionPlace":
    """Continue in a copy of the conversation up to an entry."""
    _check_front_end(call)
    await call.conversation.branches.fork(call.params["entry"], before=_before(call))
    return _place(call)


async def clone(call: ExtensionCall) -> "SessionPlace":
    """Continue in a copy of the conversation."""
    _check_front_end(call)
    await call.conversation.branches.fork()
    return _place(call)


async def navigate(call: ExtensionCall) -> "MovedPlace":
    """Continue at another entry."""
    _check_front_end(call)
    restore = next((each for each in get_args(Restore) if each == call.text("restore", "conversation")), None)
    if restore is None:
        raise CallFailed("invalid", f"restore must be one of {', '.join(get_args(Restore))}")
    moved, edited = Moved(), list[str]()
    try:
        moved = await call.conversation.branches.go_back(
            call.params["entry"],
            before=_before(call),
            restore=restore,
            force=call.flag("force"),
            summarise=call.flag("summarise"),
            instructions=call.text("instructions"),
            label=call.text("label"),
        )
    except FilesEdited as error:
        edited = error.paths
    return {**_place(call), "restored": moved.restored, "problems": moved.problems, "edited": edited}


def _check_front_end(call: ExtensionCall) -> None:
    if why := call.conversation.actions.fixed_session:
        raise CallFailed("unavailable", f"the session cannot change in {call.mode}: {why}")


def _before(call: ExtensionCall) -> bool:
    position = call.text("position", "at")
    if position not in POSITIONS:
        raise CallFailed("invalid", f"position must be {' or '.join(POSITIONS)}, not {position!r}")
    return position == "before"


def _place(call: ExtensionCall) -> "SessionPlace":
    """Describe where the conversation continues."""
    runtime = call.conversation.runtime
    messages = runtime.messages
    return {
        "session_id": runtime.state.session_id,
        "entry": (messages[-1].id if messages else "") or None,
        "messages": len(messages),
    }
