"""The TLS context of connections: which certificates are trusted."""

import os
import ssl
import threading
from concurrent.futures import Future
from importlib.util import find_spec

from zot_provider.errors import ProviderError

SYSTEM_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Alpine, Gentoo, NixOS
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # SUSE
)
"""Where distributions of Linux keep all authorities in one file. They come before the file for which Python was built,
because that of conda or pyenv lacks an authority that was added to the system."""
FILE_OF_BSD = "/etc/ssl/cert.pem"
"""The same on macOS and the BSDs, where the Python of Homebrew has a better one."""

_contexts: "dict[tuple[bool, str | None, str | None], Future[ssl.SSLContext]]" = {}


def load_context(*, insecure: bool = False) -> "Future[ssl.SSLContext]":
    """Begin to load the trusted certificates in a thread, unless that was begun before in this process.

    They come from the file `SSL_CERT_FILE`, else from the folder `SSL_CERT_DIR`, else what the system trusts (its file
    and its folder), else, where it trusts nobody, the authorities of certifi. With `insecure` any certificate is
    accepted. The result is a context for all connections, or `ProviderError` for certificates that cannot be read;
    after that, the next call tries again.
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
    elif file or folder:
        try:
            context = ssl.create_default_context(cafile=file, capath=None if file else folder)
        except OSError as error:
            reason = " ".join(str(error).split())
            raise ProviderError(f"cannot use a proxy or certificate file named in the environment: {reason}") from error
    else:
        context = _system_context()
    # Python 3.13 began to refuse certificates that curl, pip and uv accept, and many of companies' proxies are such.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.set_alpn_protocols(["http/1.1"])
    return context


def _system_context() -> ssl.SSLContext:
    """Make a context that trusts what the system trusts, else what certifi does."""
    built_for = ssl.get_default_verify_paths()
    file = next(filter(os.path.isfile, (*SYSTEM_FILES, built_for.cafile or "", FILE_OF_BSD)), None)
    folder = built_for.capath  # of files named by a hash, each of which OpenSSL reads when it needs it
    if file is None and not (folder and any(name.endswith(".0") for name in os.listdir(folder))):
        file = _certifi_file()
    try:
        return ssl.create_default_context(cafile=file, capath=folder)
    except OSError as error:
        reason = " ".join(str(error).split())
        raise ProviderError(
            f"cannot use the certificates in {file}: {reason}; SSL_CERT_FILE may name another file"
        ) from error


def _certifi_file() -> str:
    """Return the file of certifi, without importing it if possible: that takes longer than finding it."""
    spec = find_spec("certifi")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = os.path.join(folder, "cacert.pem")
        if os.path.isfile(file):
            return file
    import certifi  # noqa: PLC0415  distributions of Linux move the file

    return certifi.where()
