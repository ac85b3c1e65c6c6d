"""Lines to and from a process or a client, over pipes and sockets, without blocking the event loop.

```text
reader   `LineReader`: reads lines from a descriptor; can be paused, and works in time slices
writer   `LineWriter`: a bounded queue of lines to a descriptor, with back-pressure
stall    `StallTimer`: detects a reader that has stopped reading
```

Extensions, `zot rpc`, `zot acp` and `RpcClient` read and write with these; `zot serve` uses only `StallTimer`.
"""
