"""`sha256_hex`: the SHA-256 of some bytes, without the import of OpenSSL."""

import sys
from functools import cache
from importlib import import_module
from types import ModuleType


def sha256_hex(data: bytes) -> str:
    """Return the hash in hex. `hashlib` would load OpenSSL, which takes 2 ms of each start; `random` does the same."""
    digest: str = _module().sha256(data).hexdigest()
    return digest


@cache
def _module() -> ModuleType:
    try:
        return import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:  # an interpreter without hashes of its own
        return import_module("hashlib")
