"""Where a request goes: a base URL as people write it, made into an endpoint."""

from zot_provider.wire.base import Wire


def endpoint(base_url: str, wire: Wire) -> str:
    """The URL to post to.

    `base_url` is what the vendor's own SDK takes. A trailing slash, a doubled version (`.../v1` for a wire whose path
    begins with `/v1`) and a whole endpoint instead of the base are put right.
    """
    base = base_url.strip().rstrip("/")
    if base.endswith(wire.path):
        return base
    version = "/v1"
    if not wire.version_in_base and base.endswith(version):
        base = base[: -len(version)].rstrip("/")
    while base.endswith(version + version):
        base = base[: -len(version)]
    return base + wire.path
