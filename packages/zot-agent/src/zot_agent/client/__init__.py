"""A Python client of `zot rpc`: the agent runs in a separate process.

```python
async with RpcClient.start(cwd=".", provider="anthropic") as client:
    async for event in client.prompt("what does this project do?"):
        if event["type"] == "text_delta":
            print(event["delta"], end="")
```

```text
rpc        `RpcClient`: what can be asked, as methods; most of them are written from the operations
connection `RpcConnection`: sends commands, and gives events to their prompts
operation  `Operation`: the events of a running prompt or compaction
link       `RpcProcess`: the process, its lines and its end
```
"""

from zot_agent.client.connection import RpcError as RpcError
from zot_agent.client.link import ClientLimits as ClientLimits
from zot_agent.client.link import Disconnected as Disconnected
from zot_agent.client.operation import Operation as Operation
from zot_agent.client.rpc import RpcClient as RpcClient
from zot_agent.client.rpc import image as image
from zot_agent.operations.answers import Event as Event
from zot_agent.operations.answers import Image as Image
from zot_agent.operations.answers import RunInfo as RunInfo
from zot_agent.operations.answers import RunQuestionInfo as RunQuestionInfo
from zot_agent.operations.answers import ServerInfo as ServerInfo
from zot_agent.operations.answers import SettingInfo as SettingInfo
from zot_ext.protocol.agent_answers import AgentEntryInfo as AgentEntryInfo
from zot_ext.protocol.agent_answers import ContextInfo as ContextInfo
from zot_ext.protocol.agent_answers import JobInfo as JobInfo
from zot_ext.protocol.agent_answers import KnownCommand as KnownCommand
from zot_ext.protocol.agent_answers import MessageInfo as MessageInfo
from zot_ext.protocol.agent_answers import StateInfo as StateInfo
from zot_ext.protocol.answers import ModelInfo as ModelInfo
from zot_ext.protocol.answers import StoredSessionInfo as StoredSessionInfo
from zot_ext.protocol.answers import UsageCount as UsageCount
