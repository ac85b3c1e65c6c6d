"""Whether a request may come in, told by its head alone."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.serve.access import BEARER, Access
from zot_agent.serve.http_error import HttpError


@given(st.text(min_size=1))
def test_any_token_can_be_brought_as_a_subprotocol(token: str) -> None:
    data = token.encode("utf-8", "replace")
    word = BEARER + base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    access = Access(data.decode())
    access.check_token([], ["zot.rpc", word])
    with pytest.raises(HttpError):
        access.check_token([(b"sec-websocket-protocol", word.encode())])


@given(st.lists(st.tuples(st.sampled_from([b"authorization", b"host"]), st.binary())), st.lists(st.text()))
def test_no_head_but_one_with_the_token_comes_in(headers: list[tuple[bytes, bytes]], words: list[str]) -> None:
    with pytest.raises(HttpError) as refused:
        Access("a token that nobody guesses").check_token(headers, [*words, *(BEARER + word for word in words)])
    assert refused.value.status == 401


@given(st.binary(), st.binary())
def test_whatever_stands_as_host_and_origin_there_is_an_answer(host: bytes, origin: bytes) -> None:
    with pytest.raises(HttpError) as refused:
        Access("token").check_host_and_origin([(b"host", host + b".example"), (b"origin", origin)])
    assert refused.value.status in (403, 421)


def test_a_token_that_is_brought_twice_does_not_count() -> None:
    headers = [(b"authorization", b"Bearer token"), (b"authorization", b"Bearer token")]
    with pytest.raises(HttpError):
        Access("token").check_token(headers)
    Access("token").check_token(headers[:1])
    Access("token").check_token([(b"authorization", b"bEaReR  token")])
