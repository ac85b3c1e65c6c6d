import pytest

from zot_tui.theme.tokens import TOKENS, Token, fallback_chain


def test_tokens_are_unique_and_every_one_has_a_meaning() -> None:
    assert len({token.name for token in TOKENS}) == len(TOKENS)
    assert len({token.key for token in TOKENS}) == len(TOKENS)
    assert all(token.meaning for token in TOKENS)


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token.name)
def test_every_fallback_ends_in_text(token: Token) -> None:
    assert fallback_chain(token.name)[-1].name == "text"
