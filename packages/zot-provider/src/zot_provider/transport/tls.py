"""The TLS context of connections: which certificates are trusted."""

import os
import ssl
import threading
from concurrent.futures import Future
from importlib.util import find_spec

from zot_provider.errors import ProviderError

_contexts: "dict[tuple[bool, str | None, str | None], Future[ssl.SSLContext]]" = {}


def load_context(*, insecure: bool = False) -> "Future[ssl.SSLContext]":
    """Begin to load the trusted certificates in a thread, unless that was begun before in this process.

    They are those of the file `SSL_CERT_FILE`, else of the folder `SSL_CERT_DIR`, else the authorities of certifi. With
    `insecure` any certificate is accepted. The result is a context for all connections, or `ProviderError` for
    certificates that cannot be read; after that, the next call tries again.
    """
    key = insecure, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    context = _contexts.get(key)
    if context is None or (context.done() and context.exception()):
        context = _contexts[key] = Future()
        context.set_running_or_notify_cancel()  # a cancelled request must not cancel it for the others
        threading.Thread(target=_load, args=(context, *key), name="certificates").start()
    return context


def _load(context: "Future[ssl.SSLContext]", insecure: bool, file: str | None, folder: str | None) -> None:  # noqa: FBT001  called by position
    try:
        context.set_result(_make_context(insecure, file, folder))
    except BaseException as error:  # noqa: BLE001  raised where it is awaited
        context.set_exception(error)


def _make_context(insecure: bool, file: str | None, folder: str | None) -> ssl.SSLContext:  # noqa: FBT001  as above
    """Make the context. That takes some 30 ms, mostly without the interpreter's lock."""
    if insecure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        try:
            if folder and not file:
                context = ssl.create_default_context(capath=folder)
            else:
                context = ssl.create_default_context(cafile=file or _certifi_file())
        except OSError as error:
            reason = " ".join(str(error).split())
            raise ProviderError(f"cannot use a proxy or certificate file named in the environment: {reason}") from error
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certifi_file() -> str:
    """Return the file of certifi, without importing it if possible: that takes longer than finding it."""
    spec = find_spec("certifi")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = os.path.join(folder, "cacert.pem")
        if os.path.isfile(file):
            return file
    import certifi  # noqa: PLC0415  distributions of Linux move the file

    return certifi.where()
