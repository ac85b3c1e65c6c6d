import asyncio
import json
import os
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zot_agent.acp.transport import StdioTransport
from zot_agent.rpc.limits import RpcLimits


def talk(data: bytes, limits: RpcLimits | None = None) -> tuple[list[Any], list[Any]]:
    """What is received of `data`, and what is answered without anybody's doing."""

    async def main() -> list[Any]:
        transport = StdioTransport(limits or RpcLimits(), lambda why: None, source=source, target=target)
        received = []
        while (message := await transport.receive()) is not None:
            received.append(message)
        await transport.drain()
        await transport.close()
        return received

    source, into = os.pipe()
    out, target = os.pipe()
    try:
        os.write(into, data)
        os.close(into)
        received = asyncio.run(main())
    finally:
        os.close(source)
        os.close(target)
    with open(out, "rb") as answers:
        return received, [json.loads(line) for line in answers.read().splitlines()]


@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode)), max_size=5))
@example([b"\xef\xbb\xbf"])  # a byte order mark before the first line is passed over
def test_every_line_is_a_message_or_has_an_answer(lines: list[bytes]) -> None:
    data = b"\n".join(lines)

    received, answers = talk(data)

    assert len(received) + len(answers) == len(
        [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    )
    assert all(each["error"]["code"] in (-32700, -32600) for each in answers)


@pytest.mark.parametrize("id", [1, "a", None])
def test_a_message_that_is_neither_a_request_nor_a_response_is_refused(id: str | int | None) -> None:
    good = [{"id": 1, "method": "initialize"}, {"id": 2, "result": None}, {"id": 3, "error": {}}]
    lines = [json.dumps(each).encode() for each in ({"jsonrpc": "2.0", "id": id}, *good)]

    received, answers = talk(b"\n".join(lines))

    assert received == good
    assert [(each["id"], each["error"]["code"]) for each in answers] == [(id, -32600)]


def test_a_message_that_is_too_long_is_passed_over() -> None:
    good = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    long = json.dumps({"method": "x" * 200}).encode()

    received, answers = talk(long + b"\n" + json.dumps(good).encode(), RpcLimits(line_bytes=100))

    assert received == [good]
    assert [each["error"]["message"] for each in answers] == [
        "the message is longer than 100 bytes and was passed over"
    ]


@pytest.mark.parametrize(
    ("start", "id"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "', 7),
        ('{"id":"a-1","params":"', "a-1"),
        ('{"a": true, "b": -1.5e3, "id" : -3 ,"params":"', -3),
        ('{"params": {"id": 7}, "method": "', None),
        ('{"id": "a\\u0022", "method": "', None),
        ('{"id": 7.5, "method": "', None),
        ('["id", {"id": 7, "method": "', None),
        ('{"method": "\\"id\\": 7, ', None),
    ],
)
def test_the_error_of_a_message_that_is_too_long_has_its_id_if_that_is_in_its_first_bytes(
    start: str, id: object
) -> None:
    _, answers = talk((start + "x" * 200 + '"}\n').encode(), RpcLimits(line_bytes=100))

    assert [each["id"] for each in answers] == [id]
    assert [each["error"]["data"] for each in answers] == [{"code": "too_large"}]


def test_json_that_is_nested_too_deeply_is_not_a_message() -> None:
    _, answers = talk(b"[" * 60_000)

    assert [(each["error"]["code"], each["error"]["data"]) for each in answers] == [(-32700, {"code": "invalid"})]
