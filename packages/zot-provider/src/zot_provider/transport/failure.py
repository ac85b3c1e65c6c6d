"""The `ProviderError` for a failure of a socket, in one line."""

import errno
import os
import socket

from zot_provider.errors import ConnectError, ProviderError, ResponseTimeout, StreamCut
from zot_provider.transport.connection import NotHttp
from zot_provider.transport.url import location


def connection_failure(cause: OSError, url: str, *, answered: bool) -> ProviderError:
    """Return the error for a request to `url` that failed with `cause`; `answered`: part of the answer had come."""
    where, words = location(url), system_message(cause)
    found = _classify(cause, where, words, answered=answered)
    if not is_tls_failure(cause):  # whose messages are quoted in part
        found.untrusted_parts = tuple(part for part in (where, words) if part in str(found))
    return found


def _classify(cause: OSError, where: str, words: str, *, answered: bool) -> ProviderError:
    if isinstance(cause, TimeoutError) and not cause.errno:
        return ResponseTimeout(f"{where} stopped answering; try again, or check the server")
    if answered:
        return StreamCut(f"the answer of {where} broke off in the middle ({words}); try again")
    if is_refusal(cause):
        return ConnectError(f"cannot connect to {where}: connection refused; is the server running there?")
    if isinstance(cause, socket.gaierror):
        return ConnectError(f"cannot find the host of {where}; check the address and the network")
    if is_tls_failure(cause):
        return ConnectError(f"no secure connection to {where}: {_tls_message(str(cause))}")
    return ConnectError(f"no answer from {where}: {words}", retryable=not isinstance(cause, NotHttp))


def is_refusal(cause: OSError) -> bool:
    """Whether the host was reached and nothing listens there, at any of its addresses."""
    return cause.errno == errno.ECONNREFUSED or f"[Errno {errno.ECONNREFUSED}]" in str(cause)


def is_tls_failure(cause: OSError) -> bool:
    return "ssl" in type(cause).__name__.lower()  # without importing `ssl`


def system_message(cause: OSError) -> str:
    """Return the system's description of a failure, in one line."""
    system = "" if is_tls_failure(cause) or (cause.errno or 0) <= 0 else os.strerror(cause.errno or 0)
    return system or " ".join(str(cause).split()) or type(cause).__name__


def _tls_message(text: str) -> str:
    """Return OpenSSL's message without its code and line number, and advice."""
    words = (text.partition("] ")[2].partition(" (_ssl")[0] or text).removesuffix(".")
    if "mismatch" in words:
        return f"{words} (the base URL must have a host that the certificate is for)"
    if "expired" in words or "not yet valid" in words:
        return f"{words} (check the clock of this machine, or have the server's certificate renewed)"
    if "certificate" in words:
        return f"{words} (SSL_CERT_FILE may name a file of certificates to trust)"
    return f"{words}; does the server speak http:// instead?"
