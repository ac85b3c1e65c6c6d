"""A client of `zot rpc`: an agent in a process of its own, for programs in Python that want it there.

```python
async with RpcClient.start(cwd=".", provider="anthropic") as client:
    async for event in client.prompt("what does this project do?"):
        if event["type"] == "text_delta":
            print(event["delta"], end="")
```

```text
rpc        `RpcClient`: every command as a method
operation  a prompt or a compaction under way, as the events of it
link       the process: lines to it, lines from it, its end
answers    the shapes of what it answers
talk       `Talk`: the lines as they are, without an event loop
```
"""

from zot_agent.client.answers import CommandInfo as CommandInfo
from zot_agent.client.answers import Event as Event
from zot_agent.client.answers import Image as Image
from zot_agent.client.answers import MessageInfo as MessageInfo
from zot_agent.client.answers import ModelInfo as ModelInfo
from zot_agent.client.answers import ServerInfo as ServerInfo
from zot_agent.client.answers import StateInfo as StateInfo
from zot_agent.client.answers import UsageCount as UsageCount
from zot_agent.client.link import ClientLimits as ClientLimits
from zot_agent.client.link import Disconnected as Disconnected
from zot_agent.client.operation import Operation as Operation
from zot_agent.client.rpc import RpcClient as RpcClient
from zot_agent.client.rpc import RpcError as RpcError
from zot_agent.client.rpc import image as image
from zot_agent.client.talk import Talk as Talk
