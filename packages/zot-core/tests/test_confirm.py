import asyncio

import pytest

from zot_core.confirm import Decision, confirm_gate
from zot_core.hooks import Refusal, ToolRequest

CALL = ToolRequest("1", "bash", {"command": "ls"})


@pytest.mark.parametrize(
    ("decision", "refusal"),
    [
        (True, None),
        (None, None),
        (False, Refusal("the user did not allow this call of bash")),
        ("only in the sandbox", Refusal("only in the sandbox")),
        ("", Refusal("the user did not allow this call of bash")),
    ],
)
async def test_a_decision_lets_a_call_run_or_says_why_not(decision: Decision, refusal: Refusal | None) -> None:
    async def ask(call: ToolRequest) -> Decision:
        await asyncio.sleep(0)
        return decision

    assert await confirm_gate(lambda call: decision)(CALL) == refusal
    assert await confirm_gate(ask)(CALL) == refusal


async def test_confirm_receives_the_call() -> None:
    seen: list[ToolRequest] = []

    await confirm_gate(seen.append)(CALL)

    assert seen == [CALL]
