"""The errors of a connection to a server, in words."""

from __future__ import annotations

from mcp.shared.exceptions import MCPError

from zot_agent.mcp.wire.stdio import ServerLost
from zot_agent.mcp.wire.web import WebAnswers, system_words


def leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe(error: BaseException, answers: WebAnswers | None = None) -> str:
    """Return an error as the end of a sentence that begins "the server"."""
    if isinstance(error, ServerLost):
        return str(error)
    text = " ".join((error.message if isinstance(error, MCPError) else str(error)).split())[:1000]
    why = (answers.refused if answers is not None else "") or system_words(error)
    more = f" ({why})" if why and why not in text else ""
    return f"cannot be used: {text or type(error).__name__}{more}"
