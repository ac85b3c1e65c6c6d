"""CPU of one text delta of a provider that an extension serves, from the pipe to the events of a client."""

import json
import statistics
from collections.abc import Iterator

from environment import Environment, Figure

DELTAS = 20_000

EXTENSION = """
import json, os, sys
def say(**frame): os.write(1, json.dumps(frame, separators=(",", ":")).encode() + b"\\n")
say(type="hello", name="corp", capabilities=["providers"])
say(type="ready")
for line in sys.stdin.buffer:
    frame = json.loads(line)
    if frame["type"] == "provider_stream":
        count = int(frame["model"].partition("-")[2])
        for number in range(count):
            say(type="provider_event", id=frame["id"], event="text", delta=f" word{number}")
        say(type="provider_event", id=frame["id"], event="done")
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"""

HOST = """
import asyncio, json, sys, time
from contextlib import aclosing
from zot_agent.extensions.discover import Discovery, discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.providers.provider_service import ServedProviders
from zot_agent.extensions.setup import ExtensionSetup
from zot_provider.events import TextDelta
from zot_provider.messages import Message, TextBlock
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.router import RoutingClient

folder, home, *models = sys.argv[1:]

async def main():
    registry = ModelRegistry(environ={})
    served = ServedProviders(
        registry, lambda found, served: Extensions(
            lambda: Discovery(found, []), lambda: AgentInfo(home, "", "", ""), ExtensionSetup(home), providers=served
        ),
    )
    served.announce(discover([folder], home, home).active())
    client, costs = RoutingClient(registry), []
    for model in ["m-1", *models]:
        request = Request(registry.resolve(f"corp/{model}"), [Message("user", [TextBlock("hi")])])
        begin, characters = time.process_time(), 0
        async with aclosing(client.stream(request)) as batches:
            async for batch in batches:
                characters += sum(len(event.delta) for event in batch if isinstance(event, TextDelta))
        costs.append(time.process_time() - begin)
        assert characters >= 5 * int(model.partition("-")[2])
    await client.close()
    await served.close()
    print(json.dumps(costs[1:]))

asyncio.run(main())
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Microseconds of CPU of zot a delta: an answer of 20,000 less an answer of one, normalised."""
    folder = environment.folder / "corp"
    folder.mkdir()
    (folder / "corp.py").write_text(EXTENSION)
    manifest = {"name": "corp", "exec": environment.python, "args": ["corp.py"], "providers": {"corp": {}}}
    (folder / "extension.json").write_text(json.dumps(manifest))
    host = environment.folder / "host.py"
    host.write_text(HOST)
    models = [f"m-{count}" for _ in range(5) for count in (1, DELTAS)]
    done = environment.run([environment.python, str(host), str(folder), str(environment.folder), *models])
    assert done.returncode == 0, done.stderr.decode()
    costs = json.loads(done.stdout)
    cost = statistics.median(many - one for one, many in zip(costs[::2], costs[1::2], strict=True))
    yield Figure("a text delta of an extension's model", cost / DELTAS * environment.scale * 1e6, "µs CPU", 15)
