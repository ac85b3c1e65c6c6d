"""How long ago something happened, in words; pure."""


def age(seconds: float) -> str:
    """Format an age: `just now`, `3 min ago`, `2 h ago`, `5 days ago`, `3 weeks ago`, `2 years ago`."""
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86400:
        return f"{int(seconds // 3600)} h ago"
    days = int(seconds // 86400)
    for unit, size, until in (("day", 1, 14), ("week", 7, 61), ("month", 30.44, 730)):
        if days < until:
            return _ago(int(days / size), unit)
    return _ago(int(days / 365.25), "year")


def _ago(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"
