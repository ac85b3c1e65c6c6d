"""The probes of a check: what a host may send beside ordinary requests, and a sound program takes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from zot_ext.protocol.codec import encode
from zot_ext.record import Record
from zot_ext.testing.conformance.requests import LARGE, ODD, carrier
from zot_ext.testing.conformance.session import CheckSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from zot_ext.testing.conformance.session import CheckRequest

UNKNOWN = b'{"type":"zot_check_unknown","id":"check-0","value":{"nested":[1,null,"text"]}}\n'
"""A frame that no host sends today."""
_EXTRA = '"zot_check_unknown":{"nested":[1,null]}'
_PIECE_SECONDS = 0.001


class Probe(Record):
    """Something that is sent, and the rule that a program breaks which does not take it.

    `greet` sends hello_ack. `ask` sends more, if there is a request that was answered before such as that one, and
    returns whether all was answered. A probe that is `text` is about requests alone.
    """

    rule: str
    ask: Callable[[CheckSession, CheckRequest | None], bool]
    greet: Callable[[CheckSession], None] = CheckSession.greet
    text: bool = False


def _ask_after_unknown_frame(session: CheckSession, asked: CheckRequest | None) -> bool:
    session.write(UNKNOWN, "a frame of an unknown type")
    return asked is None or session.ask(carrier(session, asked))


def _ask_with_unknown_field(session: CheckSession, asked: CheckRequest | None) -> bool:
    return asked is None or session.ask(carrier(session, asked, extra=_EXTRA))


def _ask_twice(session: CheckSession, asked: CheckRequest | None) -> bool:
    return asked is None or session.ask(carrier(session, asked), carrier(session, asked))


def _ask_in_pieces(session: CheckSession, asked: CheckRequest | None) -> bool:
    if asked is None:
        return True
    request = carrier(session, asked)
    whole = request.line
    _drip(session, whole[:-1], request.what)
    request.line = whole[-1:]
    answered = session.ask(request)
    request.line = whole
    return answered


def _ask_in_other_letters(session: CheckSession, asked: CheckRequest | None) -> bool:
    return asked is None or session.ask(carrier(session, asked, ODD))


def _ask_at_length(session: CheckSession, asked: CheckRequest | None) -> bool:
    return asked is None or session.ask(carrier(session, asked, "zot " * (LARGE // 4)))


def _ask_all(session: CheckSession, asked: CheckRequest | None) -> bool:
    return all(probe.ask(session, asked) for probe in PROBES)


def _ack_with_unknown_field(session: CheckSession) -> bytes:
    return encode(session.ack)[:-2] + f",{_EXTRA}}}\n".encode()


def _greet_with_unknown_field(session: CheckSession) -> None:
    session.write(_ack_with_unknown_field(session), "hello_ack with an unknown field")


def _greet_in_pieces(session: CheckSession) -> None:
    _drip(session, encode(session.ack), "hello_ack")


def _greet_in_all_ways(session: CheckSession) -> None:
    _drip(session, _ack_with_unknown_field(session), "hello_ack with an unknown field")


def _drip(session: CheckSession, data: bytes, what: str) -> None:
    for at in range(len(data)):
        session.write(data[at : at + 1], what)
        time.sleep(_PIECE_SECONDS)  # so that the program reads an incomplete line


PROBES = (
    Probe("breaks-on-unknown-frame", _ask_after_unknown_frame),
    Probe("breaks-on-unknown-field", _ask_with_unknown_field, _greet_with_unknown_field),
    Probe("breaks-on-joined-frames", _ask_twice),
    Probe("breaks-on-cut-frames", _ask_in_pieces, _greet_in_pieces),
    Probe("breaks-on-non-ascii", _ask_in_other_letters, text=True),
    Probe("breaks-on-large-argument", _ask_at_length, text=True),
)
ALL_AT_ONCE = Probe(PROBES[0].rule, _ask_all, _greet_in_all_ways)
"""All of them in one run. If the program takes this, none needs a run of its own; if not, they say what it breaks."""
