"""`endpoint`: the URL of a request, from a base URL as people write it."""

from zot_provider.wire.base import Wire


def endpoint(base_url: str, wire: Wire, model_id: str = "", *, path: str = "") -> str:
    """Return the URL to post to, or that of another `path`.

    `base_url` is the base URL of the provider's own SDK. A trailing slash, a doubled version (`.../v1/v1`, or `.../v1`
    for a wire whose path begins with it) and a whole endpoint in place of the base are corrected. A query stays at the
    end.
    """
    base, mark, query = base_url.strip().partition("#")[0].partition("?")
    base = base.rstrip("/").removesuffix(wire.path).rstrip("/")
    bare = base
    while bare.endswith("/v1"):
        bare = bare.removesuffix("/v1").rstrip("/")
    if bare != base:
        base = bare + "/v1" if wire.version else bare
    path = path or wire.path
    if "{model}" in path:
        from urllib.parse import quote  # noqa: PLC0415  most wires name the model in the body

        path = path.replace("{model}", quote(model_id, safe=""))
    if mark and "?" in path:
        mark = "&"
    return base + path + mark + query
