"""Who speaks to whom: `hello`, `ping`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, InvalidCommand, CommandField, Method
from zot_agent.version import __version__

if TYPE_CHECKING:
    from zot_agent.rpc.service import RpcService

PROTOCOL_VERSION = 1
"""The major version of the schema; within one, commands, events and fields are only added."""


def hello(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Check the token if there is one to check; a wrong one ends the process once the client knows."""
    if service.token:
        from hmac import compare_digest  # noqa: PLC0415  brings OpenSSL, and few need it

        if not compare_digest(given.get("token", "").encode("utf-8", "replace"), service.token.encode()):
            service.wrong_token()
            raise InvalidCommand("the token is wrong" if given.get("token") else "the token is missing")
    if not service.trusted:
        service.trust()
    model = service.runtime.agent.model
    return {
        "protocol_version": PROTOCOL_VERSION,
        "version": __version__,
        "provider": model.provider,
        "model": model.id,
    }


def ping(service: "RpcService", given: dict[str, Any]) -> Answer:
    """Answer."""
    return {"pong": True}


METHODS = (
    Method(
        "hello",
        hello,
        "Say who is there. The first command where `ZOTCORE_RPC_TOKEN` is set, and otherwise of no consequence. With a "
        "wrong token the process answers with an error and exits with code 1.",
        (CommandField("token", "string", "The value of `ZOTCORE_RPC_TOKEN`."),),
        '{"protocol_version": 1, "version": "0.1.0", "provider": "anthropic", "model": "claude-opus-4-5"}',
    ),
    Method("ping", ping, "Find out whether the process is there.", (), '{"pong": true}'),
)
