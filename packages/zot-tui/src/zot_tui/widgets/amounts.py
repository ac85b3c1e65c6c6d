"""Durations, sizes and counts formatted for reading; pure."""


def duration(seconds: float) -> str:
    """Format seconds: `0.3s`, `12s`, `1m 12s`, `2h 05m`, `3d 04h`; negative values and NaN are `0.0s`."""
    seconds = min(seconds, 9999 * 86400) if seconds > 0 else 0.0
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d {whole % 86400 // 3600:02d}h"


def size(count: int) -> str:
    """Format a number of bytes: `812 B`, `12 kB`, `3.4 MB` (powers of 1000)."""
    if count < 1000:
        return f"{count} B"
    if count < 999_500:
        return f"{round(count / 1000)} kB"
    return f"{count / 1_000_000:.1f} MB"


def counted(count: int, noun: str) -> str:
    """Format a number of things: `1 line`, `12 lines`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
