import hashlib

from hypothesis import given
from hypothesis import strategies as st

from zot_provider.files.sha256 import sha256_hex


@given(st.binary())
def test_the_hash_is_that_of_hashlib(data: bytes) -> None:
    assert sha256_hex(data) == hashlib.sha256(data).hexdigest()
