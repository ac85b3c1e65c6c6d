"""Repairs what a line of standard input has, and says with a line whether the package `mcp` takes that: `ok`, or why
not."""

import base64
import json
import sys
from pathlib import Path
from types import ModuleType

from mcp_types import jsonrpc_message_adapter
from mcp_types.methods import parse_server_result

source = Path(__file__).parents[3] / "src" / "zot_agent"
sys.modules["zot_agent"] = package = ModuleType("zot_agent")
package.__path__ = [str(source)]
sys.path.append(str(Path(__file__).parents[4] / "zot-ext" / "src"))

from zot_agent.mcp.wire.lines import NotAMessage, read_messages  # noqa: E402  the package is made above
from zot_agent.mcp.wire.repair import Repair  # noqa: E402  as above


def check(asked: dict[str, object]) -> str:
    if "line" in asked:
        try:
            messages = read_messages(base64.b64decode(str(asked["line"])))
        except NotAMessage:
            return "ok"
        for each in messages:
            jsonrpc_message_adapter.validate_json(each.model_dump_json(by_alias=True, exclude_unset=True))
        return "ok"
    method, version = str(asked["method"]), str(asked["version"])
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}, "uri": "x://y", "name": "go"}
    notes: list[str] = []
    result = Repair(lambda _, note: notes.append(note)).result(method, params, asked["result"])  # type: ignore[arg-type]
    parse_server_result(method, version, result)
    return "ok"


for line in sys.stdin:
    try:
        print(check(json.loads(line)), flush=True)
    except Exception as error:
        print(" ".join(f"{type(error).__name__}: {error}".split())[:2000], flush=True)
