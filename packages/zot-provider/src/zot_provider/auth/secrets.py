"""The stored keys and tokens that this process has seen, for a log that must not contain them."""

_SHORTEST = 6
"""Characters. Shorter values are not keys, and hiding them would make a log unreadable."""

_seen: set[str] = set()


def remember_secret(value: str) -> None:
    """Remember a key or a token until the process ends."""
    if len(value) >= _SHORTEST:
        _seen.add(value)


def seen_secrets() -> frozenset[str]:
    """Return all keys and tokens that `remember_secret` was called with. The set only grows."""
    return frozenset(_seen)
