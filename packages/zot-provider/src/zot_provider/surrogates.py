"""Halves of surrogate pairs, which Python's texts may hold and UTF-8 cannot."""


def without_surrogates(text: str) -> str:
    """`text` with surrogate pairs joined, and U+FFFD in place of each half that stands alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
