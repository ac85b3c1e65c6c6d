"""The commands that open and test a connection: `hello`, `ping`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import CommandField, InvalidCommand, Method
from zot_agent.version import __version__

if TYPE_CHECKING:
    from zot_agent.operations.answers import Pong, ServerInfo
    from zot_agent.rpc.context import CommandContext

PROTOCOL_VERSION = 1
"""The major version of the schema. Within a major version, commands, events and fields are only added."""


def hello(context: "CommandContext", fields: dict[str, Any]) -> "ServerInfo":
    """Check the token, if one is set."""
    if context.token:
        from hmac import compare_digest  # noqa: PLC0415  loads OpenSSL, which few clients need

        if not compare_digest(fields.get("token", "").encode("utf-8", "replace"), context.token.encode()):
            raise InvalidCommand("the token is wrong" if fields.get("token") else "the token is missing")
    if not context.trusted:
        context.trust()
    model = context.runtime.agent.model
    return {
        "protocol_version": PROTOCOL_VERSION,
        "version": __version__,
        "provider": model.provider,
        "model": model.id,
    }


def ping(context: "CommandContext", fields: dict[str, Any]) -> "Pong":
    """Answer."""
    return {"pong": True}


METHODS = (
    Method(
        "hello",
        hello,
        "Identify the server. It must be the first command if `ZOTCORE_RPC_TOKEN` is set, and is optional otherwise. "
        "After any other first line, or a wrong token, the process answers with an error and exits with code 1.",
        (CommandField("token", "string", "The value of `ZOTCORE_RPC_TOKEN`."),),
    ),
    Method("ping", ping, "Check that the process answers."),
)
