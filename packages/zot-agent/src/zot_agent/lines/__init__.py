"""Lines to and from a process or a client, over pipes and sockets, without a wait in the event loop.

```text
reader   `LineReader`: the lines that come through a descriptor, with a pause and a time slice
writer   `LineWriter`: a bounded queue of lines to a descriptor, with back-pressure
stall    `StallTimer`: when a reader that takes nothing is given up
```

Extensions, `zot rpc`, `zot acp` and `RpcClient` read and write with these; `zot serve` uses the stall rule alone.
"""
