"""The TLS context of connections: which certificates are trusted."""

import os
import ssl
from importlib.util import find_spec
from pathlib import Path

from zot_provider.errors import ProviderError


def tls_context(*, insecure: bool) -> ssl.SSLContext:
    """Return a context that trusts `SSL_CERT_FILE`, else `SSL_CERT_DIR`, else the authorities of certifi.

    With `insecure` it accepts any certificate. Loading certificates takes some 30 ms, mostly without the interpreter's
    lock: call this in a thread. Raises ProviderError for a file of certificates that cannot be read.
    """
    if insecure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        try:
            if file := os.environ.get("SSL_CERT_FILE"):
                context = ssl.create_default_context(cafile=file)
            elif folder := os.environ.get("SSL_CERT_DIR"):
                context = ssl.create_default_context(capath=folder)
            else:
                context = ssl.create_default_context(cafile=_certifi_file())
        except OSError as error:
            reason = " ".join(str(error).split())
            raise ProviderError(f"cannot use a proxy or certificate file named in the environment: {reason}") from error
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certifi_file() -> str:
    """Return the file of certifi, without importing it if possible: that takes longer than finding it."""
    spec = find_spec("certifi")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, "cacert.pem")
        if file.is_file():
            return str(file)
    import certifi  # noqa: PLC0415  distributions of Linux move the file

    return certifi.where()
