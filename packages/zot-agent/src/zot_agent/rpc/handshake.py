"""The operations that open and test a connection: `hello`, `ping`."""

from typing import TYPE_CHECKING, Literal, TypedDict

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import operation
from zot_agent.rpc.service import service_of
from zot_agent.version import __version__

if TYPE_CHECKING:
    from zot_agent.operations.answers import ServerInfo

PROTOCOL_VERSION = 1
"""The major version of the schema. Within a major version, commands, events and fields are only added."""


@operation("hello", scope="watch")
def hello(caller: OperationCaller, *, token: str = "") -> "ServerInfo":
    """Identify the server. It must be the first command if `ZOTCORE_RPC_TOKEN` is set, and is optional otherwise. After
    any other first line, or a wrong token, the process answers with an error and exits with code 1.

    token: The value of `ZOTCORE_RPC_TOKEN`.
    """
    client, model = service_of(caller), caller.conversation.runtime.agent.model
    if client.trust.token:
        from hmac import compare_digest  # noqa: PLC0415  loads OpenSSL, which few clients need

        if not compare_digest(token.encode("utf-8", "replace"), client.trust.token.encode()):
            raise OperationFailed("denied", "the token is wrong" if token else "the token is missing")
    if not client.trust.given:
        client.trust.give()
    return {
        "protocol_version": PROTOCOL_VERSION,
        "version": __version__,
        "provider": model.provider,
        "model": model.id,
    }


class Pong(TypedDict):
    """The process answers."""

    pong: Literal[True]


@operation("ping", scope="watch")
def ping(caller: OperationCaller) -> Pong:
    """Check that the process answers."""
    return {"pong": True}
