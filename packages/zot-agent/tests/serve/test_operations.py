"""Each operation says the same to a client of `zot serve` as over other transports."""

from pathlib import Path

from operation_faults import FAULTS
from served import Serving


async def test_a_client_of_the_server_is_told_which_field_is_wrong(serving: Serving, alone: Path) -> None:
    async with serving() as served:
        id = await served.open(cwd=str(alone))
        for name, fields, code, words in FAULTS:
            answer = await served.command(id, name, **fields)
            assert (answer["success"], answer["code"], answer["error"]) == (False, code, words), name


async def test_what_only_a_process_of_its_own_can_do_is_unavailable(serving: Serving, alone: Path) -> None:
    async with serving() as served:
        id = await served.open(cwd=str(alone))
        answer = await served.command(id, "control.shutdown")
        assert (answer["code"], "zot cannot be ended from here in the mode serve" in answer["error"]) == (
            "unavailable",
            True,
        )
        assert (await served.command(id, "tools.set_active", names=[]))["code"] == "denied"
        assert (await served.command(id, "session.append", custom_type="x", data=1))["code"] == "denied"
