"""Patterns of paths, compared with a slow reading of what their docstring says."""

import fnmatch
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zot_core.permissions.patterns import PathPattern

NAMES = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), min_size=1, max_size=5)
PARTS = st.lists(st.sampled_from(["a", "ab", "*", "a*", "*b", "?", "**"]), min_size=1, max_size=4)


def fits(parts: Sequence[str], names: Sequence[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(fits(parts[1:], names[skip:]) for skip in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], parts[0]) and fits(parts[1:], names[1:])


@given(parts=PARTS, names=NAMES, careful=st.booleans(), slash=st.booleans())
@example(parts=["**", "a"], names=["a", "b"], careful=True, slash=False)
@example(parts=["**", "a"], names=["b", "a", "b"], careful=False, slash=True)
@example(parts=["**", "a", "**"], names=["b", "a", "b"], careful=False, slash=False)
def test_a_pattern_covers_what_its_parts_say(parts: list[str], names: list[str], *, careful: bool, slash: bool) -> None:
    pattern = PathPattern("/".join(parts) + ("/" if slash else ""), careful=careful)
    below = careful or slash or parts[-1] == "**"
    own = [part for at, part in enumerate(parts) if part != "**" or at + 1 < len(parts)] if below else parts
    covered = any(fits(own, names[:count]) for count in range(len(names) + 1)) if below else fits(own, names)
    assert pattern.matches("/".join(["/w", *names]), "/w") == covered


@pytest.mark.parametrize("careful", [True, False])
@pytest.mark.parametrize("text", ["/", "/**", "**"])
def test_all_files_can_be_meant(text: str, *, careful: bool) -> None:
    assert PathPattern(text, careful=careful).matches("/a/b", "/")
